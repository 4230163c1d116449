//! `tlslab validate`: false alarms and power of comparisons on this host, and dependence of times on neighbours.

use tlslab_lab::{
    Outcome, Status, neighbours, neighbours_markdown, validate as validate_comparisons, validation_markdown,
};

use crate::cli::ValidateArgs;
use crate::session::{CachedBuilds, Lab, exit_status, in_session};

/// Does what is not recorded yet, then prints what all of it shows.
pub fn validate(lab: &Lab, args: &ValidateArgs) -> anyhow::Result<Status> {
    let results = args.kept.results();
    if args.neighbours {
        let request = args.neighbours();
        let done = in_session(lab, &results, &lab.new_job(), CachedBuilds::Hidden, |session| {
            neighbours(session, &request)
        });
        return exit_status(done, "interrupted; nothing was recorded", |found| {
            out!("{}", neighbours_markdown(&found));
            Ok(Outcome::Neighbours(found).status())
        });
    }
    let request = args.request()?;
    let conditions = lab.job_of("validate", &request);
    let done = in_session(lab, &results, &conditions, CachedBuilds::Hidden, |session| {
        validate_comparisons(session, &request)
    });
    exit_status(done, "interrupted; the same command resumes", |validation| {
        out!("{}", validation_markdown(&validation.trials, validation.confidence));
        Ok(Status::Done)
    })
}
