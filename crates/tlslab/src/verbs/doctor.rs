//! `tlslab doctor`: this host's noise, the smallest detectable change, and what disturbs measurements.

use anyhow::Context;
use tlslab_lab::{Outcome, Request, Status, diagnosis_text};

use crate::cli::{DoctorArgs, Invocation};
use crate::session::{Lab, carried_out, exit_status};

/// Compares a stack with itself in every arrangement, and prints what was found.
pub(crate) fn doctor(lab: &Lab, args: &DoctorArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let (results, request) = (args.kept.results(), Request::Doctor(args.request()));
    let done = carried_out(lab, &results, &lab.new_job(), &request);
    exit_status(done, "interrupted", |outcome| {
        if let Outcome::Diagnosis(diagnosis) = &outcome {
            out!("{}", diagnosis_text(diagnosis));
        }
        if let Some(file) = &args.save {
            let json = serde_json::to_string_pretty(&outcome)? + "\n";
            std::fs::write(file, json).with_context(|| format!("cannot write {}", file.display()))?;
        }
        let settings =
            "`tlslab doctor --plan` prints which of this host's settings add noise and can be changed";
        outln!("\n{}", invocation.complete(settings));
        let counted = "instructions do not vary with a host's noise: `tlslab compare BASELINE CANDIDATE --metric count` counts them";
        outln!("{}", invocation.complete(counted));
        Ok(outcome.status())
    })
}
