//! `tlslab backfill`: the releases of a stack, into the history.

use serde_json::Value;
use tlslab_lab::{Environment, ReleaseOutcome, backfill as measure};

use crate::Ended;
use crate::cli::{BackfillArgs, ListFormat};
use crate::listing::Listing;
use crate::session::{CachedBuilds, ended_by, in_session};

/// Measures what is missing, and lists every release with what became of it.
pub fn backfill(environment: &Environment, args: &BackfillArgs) -> anyhow::Result<Ended> {
    let request = args.request()?;
    let done = in_session(environment, CachedBuilds::Hidden, |session| measure(session, &request));
    let again = "interrupted; what was measured is kept, and the same command goes on";
    ended_by(done, again, |backfilled| {
        let mut listing = Listing::new(["release", "outcome"]);
        let mut failures = false;
        for release in backfilled.releases {
            failures |= matches!(release.outcome, ReleaseOutcome::Failed(_));
            let outcome = match release.outcome {
                ReleaseOutcome::Measured => "measured".to_owned(),
                ReleaseOutcome::Known => "measured before".to_owned(),
                ReleaseOutcome::Failed(reason) => format!("failed: {reason}"),
            };
            listing.add([Value::from(format!("{}@{}", args.stack, release.version)), Value::from(outcome)]);
        }
        print!("{}", listing.text(args.format));
        if args.format == ListFormat::Table {
            println!("\n`tlslab history --stack {} {}` shows them.", args.stack, args.kept.again());
        }
        Ok(if failures { Ended::WithFailures } else { Ended::Well })
    })
}
