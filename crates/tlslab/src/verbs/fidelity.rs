//! `tlslab fidelity`: how far the code that the counter counts is the code that runs here.

use tlslab_lab::{Outcome, Request, Status, fidelities_text};

use crate::cli::FidelityArgs;
use crate::session::{Lab, carried_out, exit_status};

/// Counts each scenario twice, times it twice and prints what differs.
pub(crate) fn fidelity(lab: &Lab, args: &FidelityArgs) -> anyhow::Result<Status> {
    let (results, request) = (args.kept.results(), Request::Fidelity(args.request()));
    let done = carried_out(lab, &results, &lab.new_job(), &request);
    exit_status(done, "interrupted; nothing was recorded", |outcome| {
        if let Outcome::Fidelity(found) = &outcome {
            out!("{}", fidelities_text(found));
        }
        outln!("\nrecorded in {}: reports of counts there are marked by it", args.kept.out.display());
        Ok(outcome.status())
    })
}
