//! `tlslab validate`: false alarms and power of comparisons on this host, and dependence of times on neighbours.

use tlslab_lab::{Outcome, Request, Status, neighbours_markdown, replays_markdown, validation_markdown};

use crate::cli::ValidateArgs;
use crate::session::{Lab, carried_out, exit_status};

/// Does what is not recorded yet, then prints what all of it shows.
pub(crate) fn validate(lab: &Lab, args: &ValidateArgs) -> anyhow::Result<Status> {
    let results = args.kept.results();
    if args.neighbours {
        let request = Request::Neighbours(Box::new(args.neighbours()));
        let done = carried_out(lab, &results, &lab.new_job(), &request);
        return exit_status(done, "interrupted; nothing was recorded", |outcome| {
            if let Outcome::Neighbours(found) = &outcome {
                out!("{}", neighbours_markdown(found));
            }
            Ok(outcome.status())
        });
    }
    let request = Request::Validate(Box::new(args.request()?));
    let done = carried_out(lab, &results, &lab.job_of(&request, &results)?, &request);
    exit_status(done, "interrupted; the same command resumes", |outcome| {
        if let Outcome::Validation(validation) = &outcome {
            out!("{}", validation_markdown(&validation.trials, validation.confidence));
            out!("{}", replays_markdown(&validation.replayed, validation.confidence));
        }
        Ok(outcome.status())
    })
}
