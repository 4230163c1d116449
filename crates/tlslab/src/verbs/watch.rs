//! `tlslab watch`: measures new releases of stacks, or builds the newest revision of a branch.

use std::path::Path;

use clap::Args;
use serde_json::Value;
use tlslab_job::Status;
use tlslab_lab::request::{BackfillRequest, BranchRequest};
use tlslab_lab::{BranchOutcome, BranchRevision, Error, Watched, branch_line, watch_branch};
use tlslab_text::Listing;

use crate::cli::{Invocation, ListFormat};
use crate::session::{CachedBuilds, Lab, exit_status, in_session};
use crate::verbs::backfill::{PointArgs, all};

/// Arguments of `watch`.
#[derive(Args)]
pub(crate) struct WatchArgs {
    /// The stacks without versions, such as openssl or rustls/ring.
    #[arg(value_name = "STACK", required = true)]
    pub stacks: Vec<String>,
    /// Build the newest revision of this branch of the library's repository, and measure nothing; if it does
    /// not build, find the revision that broke it.
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with_all = ["metrics", "suite", "scenarios", "seeds", "point", "at_once", "canary", "as_of"]
    )]
    pub branch: Option<String>,
    /// With --branch, the repository: an address or a folder [default: the recipe's upstream].
    #[arg(long, value_name = "REPOSITORY", requires = "branch")]
    pub repository: Option<String>,
    /// With --branch, a commit of it that builds, if none is recorded.
    #[arg(long, value_name = "COMMIT", requires = "branch")]
    pub good: Option<String>,
    /// What is measured, and how.
    #[command(flatten)]
    pub points: PointArgs,
}

impl WatchArgs {
    /// The requests for releases, one for each stack.
    pub(crate) fn requests(&self) -> Vec<BackfillRequest> {
        let of = |stack: &String| BackfillRequest { only_newer: true, ..self.points.request(stack) };
        self.stacks.iter().map(of).collect()
    }

    fn of_branch(&self, branch: &str) -> Vec<BranchRequest> {
        let of = |stack: &String| BranchRequest {
            stack: stack.clone(),
            branch: branch.to_owned(),
            repository: self.repository.as_deref().map(canonical),
            good: self.good.clone(),
        };
        self.stacks.iter().map(of).collect()
    }
}

/// Measures the releases that are newer than those in the history, or builds the newest revision of a branch.
pub(crate) fn watch(lab: &Lab, args: &WatchArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    match &args.branch {
        Some(branch) => watch_branches(lab, args, branch),
        None => all(lab, &args.points, &args.requests(), invocation),
    }
}

fn watch_branches(lab: &Lab, args: &WatchArgs, branch: &str) -> anyhow::Result<Status> {
    let results = args.points.kept.results();
    let requests = args.of_branch(branch);
    let done = in_session(lab, &results, &lab.new_job(), CachedBuilds::Hidden, |session| {
        requests.iter().map(|request| watch_branch(session, request)).collect::<Result<Vec<Watched>, Error>>()
    });
    let again = "interrupted; builds are recorded, and the same command resumes";
    exit_status(done, again, |watched| {
        match args.points.format {
            ListFormat::Table => watched.iter().for_each(|one| outln!("{}", branch_line(one))),
            format => out!("{}", listing(&watched).text(format.into())),
        }
        Ok(status(&watched))
    })
}

/// A folder by its whole path, so that builds are found again however it was named.
fn canonical(repository: &str) -> String {
    let folder = Path::new(repository).canonicalize().ok().filter(|path| path.is_dir());
    let folder = folder.and_then(|path| path.to_str().map(str::to_owned));
    folder.unwrap_or_else(|| repository.to_owned())
}

/// If no revision at all builds, the branch may be another library's: then nothing is known of it.
fn status(watched: &[Watched]) -> Status {
    let is_unknown = |one: &&Watched| match &one.outcome {
        BranchOutcome::Builds => false,
        BranchOutcome::Broken(broken) => broken.suspects.is_empty(),
    };
    match watched.iter().all(|one| one.outcome == BranchOutcome::Builds) {
        true => Status::Done,
        false if watched.iter().any(|one| is_unknown(&one)) => Status::Failed,
        false => Status::WithFailures,
    }
}

fn listing(watched: &[Watched]) -> Listing {
    let columns = [
        "stack",
        "branch",
        "newest",
        "builds",
        "since",
        "date",
        "subject",
        "reason",
        "last release",
        "built",
    ];
    let mut listing = Listing::new(columns);
    for one in watched {
        let broken = match &one.outcome {
            BranchOutcome::Builds => None,
            BranchOutcome::Broken(broken) => Some(broken),
        };
        // Of several suspects the first: no later revision is known to build.
        let since = broken.and_then(|broken| broken.suspects.first());
        let of = |part: &dyn Fn(&BranchRevision) -> &String| Value::from(since.map(|one| part(one).clone()));
        listing.add([
            Value::from(one.stack.clone()),
            Value::from(one.branch.clone()),
            Value::from(one.tip.commit.clone()),
            Value::from(broken.is_none()),
            of(&|revision| &revision.commit),
            of(&|revision| &revision.date),
            of(&|revision| &revision.subject),
            Value::from(broken.map(|broken| broken.reason.clone())),
            Value::from(broken.and_then(|broken| broken.last_release.clone())),
            Value::from(one.built),
        ]);
    }
    listing
}
