//! Requests to the lab: plain data, so that a queue can hold them and another machine can carry them out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_documents::ReproduceRequest;
use tlslab_lab::{
    request::BackfillRequest, request::BisectRequest, request::BuildRequest, request::CompareFoldersRequest,
    request::CompareRequest, request::CompareRunsRequest, request::CountRequest, request::DiffRequest,
    request::DoctorRequest, request::FidelityRequest, request::ProfileRequest, request::RunRequest,
};
use tlslab_validation::{NeighboursRequest, ValidateRequest};

/// A request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Request {
    /// Measure stacks.
    Run(Box<RunRequest>),
    /// Count instructions of stacks.
    Count(Box<CountRequest>),
    /// Measure two stacks together and judge what changed.
    Compare(Box<CompareRequest>),
    /// Compare two recorded runs.
    CompareRuns(CompareRunsRequest),
    /// Compare two folders with files of figures.
    CompareFolders(CompareFoldersRequest),
    /// Count the functions of a cell.
    Profile(ProfileRequest),
    /// Compare the functions of two stacks, folders or files.
    Diff(DiffRequest),
    /// Compare valgrind's counts with native execution.
    Fidelity(FidelityRequest),
    /// Find the revision that changed a cell.
    Bisect(Box<BisectRequest>),
    /// Reproduce a published document.
    Reproduce(ReproduceRequest),
    /// Measure false alarms and power of comparisons.
    Validate(Box<ValidateRequest>),
    /// Measure how far times depend on the other stacks of a run.
    Neighbours(Box<NeighboursRequest>),
    /// Measure this host's noise and the smallest detectable change.
    Doctor(DoctorRequest),
    /// Measure the releases that a history does not have yet.
    Backfill(Box<BackfillRequest>),
    /// Build stacks.
    Build(BuildRequest),
}

impl Request {
    /// The name of its kind, as in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Run(_) => "run",
            Self::Count(_) => "count",
            Self::Compare(_) => "compare",
            Self::CompareRuns(_) => "compare-runs",
            Self::CompareFolders(_) => "compare-folders",
            Self::Profile(_) => "profile",
            Self::Diff(_) => "diff",
            Self::Fidelity(_) => "fidelity",
            Self::Bisect(_) => "bisect",
            Self::Reproduce(_) => "reproduce",
            Self::Validate(_) => "validate",
            Self::Neighbours(_) => "neighbours",
            Self::Doctor(_) => "doctor",
            Self::Backfill(_) => "backfill",
            Self::Build(_) => "build",
        }
    }

    /// Its subject, in a line for lists.
    pub fn title(&self) -> String {
        let of = |stacks: &[String], suite: Option<&str>| match (stacks, suite) {
            ([], Some(suite)) => format!("suite {suite}"),
            ([], None) => "the project's own stacks".to_owned(),
            (stacks, _) => stacks.join(", "),
        };
        match self {
            Self::Run(run) => of(&run.stacks, run.suite.as_deref()),
            Self::Count(count) => of(&count.stacks, count.suite.as_deref()),
            Self::Compare(compare) => {
                let pair =
                    |(baseline, candidate): &(String, String)| format!("{candidate} against {baseline}");
                compare.pairs.iter().map(pair).collect::<Vec<_>>().join(", ")
            }
            Self::CompareRuns(runs) => format!("{} against {}", runs.candidate, runs.baseline),
            Self::CompareFolders(folders) => {
                format!("{} against {}", folders.candidate.display(), folders.baseline.display())
            }
            Self::Profile(profile) => format!("{}: {}", profile.stack, profile.scenario),
            Self::Diff(_) => "functions of two cells".to_owned(),
            Self::Fidelity(fidelity) => fidelity.stack.clone(),
            Self::Bisect(bisect) => format!("{} from {} to {}", bisect.stack, bisect.good, bisect.bad),
            Self::Reproduce(reproduce) => reproduce.document.clone(),
            Self::Validate(validate) => validate.stack.clone(),
            Self::Neighbours(neighbours) => of(&neighbours.stacks, None),
            Self::Doctor(doctor) => doctor.stack.clone(),
            Self::Backfill(backfill) => backfill.stack.clone(),
            Self::Build(build) => of(&build.stacks, None),
        }
    }
}
