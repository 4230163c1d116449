//! `tlslab validate`: false alarms and power of comparisons on this host, and dependence of times on neighbours.

use tlslab_lab::{
    Environment, neighbours, neighbours_markdown, validate as validate_comparisons, validation_markdown,
};

use crate::Ended;
use crate::cli::ValidateArgs;
use crate::session::{CachedBuilds, ended_by, in_session};

/// Does what is not recorded yet, then prints what all of it shows.
pub fn validate(environment: &Environment, args: &ValidateArgs) -> anyhow::Result<Ended> {
    if args.neighbours {
        let request = args.neighbours();
        let done = in_session(environment, CachedBuilds::Hidden, |session| neighbours(session, &request));
        return ended_by(done, "interrupted; nothing was recorded", |found| {
            out!("{}", neighbours_markdown(&found));
            let has_failed = found.holes.iter().any(|hole| hole.contains(": failed: "));
            Ok(if has_failed { Ended::WithFailures } else { Ended::Well })
        });
    }
    let request = args.request()?;
    let done =
        in_session(environment, CachedBuilds::Hidden, |session| validate_comparisons(session, &request));
    ended_by(done, "interrupted; the same command resumes", |validation| {
        out!("{}", validation_markdown(&validation.jobs, validation.confidence));
        Ok(Ended::Well)
    })
}
