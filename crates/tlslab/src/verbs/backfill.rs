//! `tlslab backfill`: the releases of a stack, into the history.

use anyhow::Context;
use clap::Args;
use serde_json::Value;
use tlslab_job::{Outcome, Request, Status};
use tlslab_lab::{Backfilled, Error, ReleaseOutcome};
use tlslab_lab::{request::BackfillRequest, request::Every, request::Seeds, request::Stacks, request::range};
use tlslab_protocol::Measure;
use tlslab_recipe::Spec;
use tlslab_record::Seconds;
use tlslab_text::Listing;

use crate::cli::values::{METRICS, Values, parse_named};
use crate::cli::{AsOfArgs, Invocation, KeptArgs, ListFormat};
use crate::session::{Lab, carried_out, exit_status};

/// Which releases.
const EVERY: Values = &[("patch", "All of them"), ("minor", "The last one of each minor release")];

/// Arguments of `backfill`.
#[derive(Args)]
pub(crate) struct BackfillArgs {
    /// The stack without a version, such as openssl or rustls/ring+lto.
    #[arg(value_name = "STACK")]
    pub stack: String,
    /// The oldest and the newest release, such as 3.0.0..3.6.3, 0.23.20.. or ..1.1.1w [default: all].
    #[arg(long, value_name = "A..B")]
    pub versions: Option<String>,
    /// Every release, or the last one of each minor release.
    #[arg(long, value_parser = parse_named::<Every>(EVERY), default_value = "patch")]
    pub every: Every,
    /// Also measure releases that the history has.
    #[arg(long)]
    pub again: bool,
    /// What is measured, and how.
    #[command(flatten)]
    pub points: PointArgs,
}

/// How points of a history are measured.
#[derive(Args)]
pub(crate) struct PointArgs {
    /// The metrics to measure; may be repeated or separated by commas [default: count,heap].
    #[arg(long = "metric", value_parser = parse_named::<Measure>(METRICS), value_name = "METRIC", value_delimiter = ',')]
    pub metrics: Vec<Measure>,
    /// The suite.
    #[arg(long, value_name = "NAME", default_value = "releases", conflicts_with = "scenarios")]
    pub suite: String,
    /// Scenarios instead of a suite's; may be repeated. * stays within a part of a name, ** does not.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// With --metric count, seeds of the deterministic RNG for each count.
    #[arg(long, value_name = "N", default_value = "3")]
    pub seeds: Seeds,
    /// With --metric time, how long each cell of a release is timed.
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub point: Seconds,
    /// Releases per run.
    #[arg(long, value_name = "N", default_value = "8")]
    pub at_once: Stacks,
    /// With --metric time, the canary: a stack that stays the same over the years, by whose time others are
    /// divided [default: canary in [run] of tlslab.toml].
    #[arg(long, value_name = "STACK")]
    pub canary: Option<String>,
    /// Dependencies.
    #[command(flatten)]
    pub as_of: AsOfArgs,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

impl PointArgs {
    /// A request for releases of a stack.
    pub(crate) fn request(&self, stack: &str) -> BackfillRequest {
        let usual = BackfillRequest::default();
        BackfillRequest {
            stack: stack.to_owned(),
            suite: self.suite.clone(),
            scenarios: self.scenarios.clone(),
            metrics: if self.metrics.is_empty() { usual.metrics } else { self.metrics.clone() },
            seeds: self.seeds,
            point_s: self.point,
            at_once: self.at_once,
            canary: self.canary.clone(),
            ..BackfillRequest::default()
        }
    }
}

impl BackfillArgs {
    /// The request.
    ///
    /// # Errors
    /// Fails if the versions are not a range.
    pub(crate) fn request(&self) -> anyhow::Result<BackfillRequest> {
        let (from, to) = range(self.versions.as_deref().unwrap_or("..")).context("--versions")?;
        Ok(BackfillRequest {
            from,
            to,
            every: self.every,
            again: self.again,
            ..self.points.request(&self.stack)
        })
    }
}

/// Measures missing releases, and lists every release with its outcome.
pub(crate) fn backfill(lab: &Lab, args: &BackfillArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    all(lab, &args.points, &[args.request()?], invocation)
}

/// Carries out requests one after the other, and lists every release with its outcome.
pub(crate) fn all(
    lab: &Lab,
    args: &PointArgs,
    requests: &[BackfillRequest],
    invocation: &Invocation,
) -> anyhow::Result<Status> {
    let results = args.kept.results();
    let one = |request: &BackfillRequest| {
        let whole = Request::Backfill(Box::new(request.clone()));
        let whole = args.as_of.put_in(&lab.environment, whole)?;
        let conditions = lab.job_of(&whole, &results)?;
        let outcome = carried_out(lab, &results, &conditions, &whole)?;
        let Outcome::Backfilled(backfilled) = outcome else { unreachable!("releases were asked for") };
        let Request::Backfill(asked) = whole else { unreachable!("releases were asked for") };
        Ok((asked.stack, backfilled))
    };
    let done: Result<Vec<(String, Backfilled)>, Error> = requests.iter().map(one).collect();
    let again = "interrupted; measurements are saved, and the same command resumes";
    exit_status(done, again, |stacks| {
        let mut listing = Listing::new(["release", "outcome"]);
        let mut failures = false;
        for (stack, backfilled) in stacks {
            for release in backfilled.releases {
                failures |= matches!(release.outcome, ReleaseOutcome::Failed(_));
                let outcome = match release.outcome {
                    ReleaseOutcome::Measured => "measured".to_owned(),
                    ReleaseOutcome::MeasuredAgain => {
                        "measured again, in another environment than before".to_owned()
                    }
                    ReleaseOutcome::Known => "measured before".to_owned(),
                    ReleaseOutcome::Failed(reason) => format!("failed: {reason}"),
                };
                let version = &release.version;
                let named = Spec::parse(&stack).map(|spec| spec.at(version));
                let named = named.unwrap_or_else(|_| format!("{stack}@{version}"));
                listing.add([Value::from(named), Value::from(outcome)]);
            }
        }
        out!("{}", listing.text(args.format.into()));
        if args.format == ListFormat::Table {
            outln!("\n{}", invocation.complete(
                    "`tlslab history --by-version` shows them; `tlslab history --by-version --explain` names the functions behind changes."
                ));
        }
        Ok(if failures { Status::WithFailures } else { Status::Done })
    })
}
