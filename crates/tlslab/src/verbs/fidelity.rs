//! `tlslab fidelity`: how far the code that the counter counts is the code that runs here.

use tlslab_lab::{Status, fidelities_text, fidelity as count_twice};

use crate::cli::FidelityArgs;
use crate::session::{CachedBuilds, Lab, exit_status, in_session};

/// Counts each scenario twice, times it twice and prints what differs.
pub fn fidelity(lab: &Lab, args: &FidelityArgs) -> anyhow::Result<Status> {
    let (results, request) = (args.kept.results(), args.request());
    let done = in_session(lab, &results, &lab.new_job(), CachedBuilds::Hidden, |session| {
        count_twice(session, &request)
    });
    exit_status(done, "interrupted; nothing was recorded", |found| {
        out!("{}", fidelities_text(&found));
        outln!("\nrecorded in {}: reports of counts there are marked by it", args.kept.out.display());
        Ok(Status::Done)
    })
}
