//! `tlslab bisect`: the revision with which a cell changed.

use tlslab_lab::{Outcome, Request, Status, bisection_text};

use crate::cli::BisectArgs;
use crate::session::{Lab, carried_out, exit_status};

/// Looks for the revision and prints what was found.
pub(crate) fn bisect(lab: &Lab, args: &BisectArgs) -> anyhow::Result<Status> {
    let (results, request) = (args.kept.results(), Request::Bisect(Box::new(args.request())));
    let done = carried_out(lab, &results, &lab.job_of(&request, &results)?, &request);
    exit_status(done, "interrupted; the same command resumes", |outcome| {
        if let Outcome::Bisection(bisection) = &outcome {
            out!("{}", bisection_text(bisection));
            errln!("{:.0} s in all", bisection.took_s);
        }
        Ok(outcome.status())
    })
}
