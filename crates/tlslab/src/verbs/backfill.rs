//! `tlslab backfill` and `tlslab watch`: the releases of stacks, into the history.

use serde_json::Value;
use tlslab_lab::request::BackfillRequest;
use tlslab_lab::{Backfilled, Error, Outcome, ReleaseOutcome, Request, Status};
use tlslab_recipe::Spec;
use tlslab_text::Listing;

use crate::cli::{BackfillArgs, Invocation, ListFormat, PointArgs, WatchArgs};
use crate::session::{Lab, carried_out, exit_status};

/// Measures what is missing, and lists every release with what became of it.
pub(crate) fn backfill(lab: &Lab, args: &BackfillArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    all(lab, &args.points, &[args.request()?], invocation)
}

/// Measures the releases that are newer than those in the history.
pub(crate) fn watch(lab: &Lab, args: &WatchArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    all(lab, &args.points, &args.requests(), invocation)
}

fn all(
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
