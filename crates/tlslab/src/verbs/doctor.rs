//! `tlslab doctor`: this host's noise, the smallest detectable change, and what disturbs measurements.

use tlslab_lab::{Results, Status, diagnosis_text, doctor as diagnose};

use crate::cli::{DoctorArgs, Invocation};
use crate::session::{CachedBuilds, Lab, exit_status, in_session};

/// Compares a stack with itself in every arrangement, and prints what was found.
pub fn doctor(lab: &Lab, args: &DoctorArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let (results, request) = (Results::default(), args.request());
    let done = in_session(lab, &results, &lab.new_job(), CachedBuilds::Hidden, |session| {
        diagnose(session, &request)
    });
    exit_status(done, "interrupted", |diagnosis| {
        out!("{}", diagnosis_text(&diagnosis));
        let counted = "instructions do not vary with a host's noise: `tlslab compare BASELINE CANDIDATE --metric count` counts them";
        outln!("\n{}", invocation.complete(counted));
        Ok(Status::Done)
    })
}
