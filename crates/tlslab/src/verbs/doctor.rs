//! `tlslab doctor`: this host's noise, the smallest detectable change, and what disturbs measurements.

use tlslab_lab::{Environment, diagnosis_text, doctor as diagnose};

use crate::Ended;
use crate::cli::{DoctorArgs, Invocation};
use crate::session::{CachedBuilds, ended_by, in_session};

/// Compares a stack with itself in every arrangement, and prints what was found.
pub fn doctor(
    environment: &Environment,
    args: &DoctorArgs,
    invocation: &Invocation,
) -> anyhow::Result<Ended> {
    let done = in_session(environment, CachedBuilds::Hidden, |session| diagnose(session, &args.request()));
    ended_by(done, "interrupted", |diagnosis| {
        out!("{}", diagnosis_text(&diagnosis));
        let counted = "instructions do not vary with a host's noise: `tlslab compare BASELINE CANDIDATE --metric count` counts them";
        outln!("\n{}", invocation.complete(counted));
        Ok(Ended::Well)
    })
}
