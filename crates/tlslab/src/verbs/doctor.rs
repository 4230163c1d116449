//! `tlslab doctor`: this host's noise, the smallest detectable change, and what disturbs measurements.

use tlslab_lab::{Diagnosis, Environment, doctor as diagnose, share_text};

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
        print(&diagnosis);
        let counted = "instructions do not vary with a host's noise: `tlslab compare BASELINE CANDIDATE --metric count` counts them";
        outln!("\n{}", invocation.complete(counted));
        Ok(Ended::Well)
    })
}

fn print(diagnosis: &Diagnosis) {
    outln!(
        "{} against itself, {} rounds of fresh processes, {:.2} s each\n",
        diagnosis.stack,
        diagnosis.rounds,
        diagnosis.visit_s
    );
    for noise in &diagnosis.arrangements {
        outln!(
            "{}: spread between rounds, and the smallest change of time that is detected four times out of five,",
            noise.arrangement.name()
        );
        outln!("by the time that is spent on a cell");
        for cell in &noise.cells {
            let detectable = cell.detectable.iter().map(|(budget_s, detectable)| match detectable {
                Ok(share) => format!("{budget_s:.0} s: {}", share_text((share * 1e5).ceil() / 1e5)),
                Err(refused) => refused.clone(),
            });
            outln!(
                "  {:<66} {:<7} {:>9}  {}",
                cell.scenario,
                cell.side.to_string(),
                share_text((cell.spread * 1e5).round() / 1e5),
                detectable.collect::<Vec<_>>().join("  ")
            );
        }
        outln!();
    }
    if diagnosis.warnings.is_empty() {
        outln!("no disturbance of measurements was found");
    } else {
        outln!("disturbances of measurements on this host, with remedies:");
        for warning in &diagnosis.warnings {
            outln!("- {warning}");
        }
    }
}
