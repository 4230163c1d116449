//! `tlslab fidelity`: how far the code that the counter counts is the code that runs here.

use tlslab_lab::{Environment, Fidelities, fidelity as count_twice};

use crate::Ended;
use crate::cli::FidelityArgs;
use crate::session::{CachedBuilds, ended_by, in_session};

/// Counts each scenario twice, times it twice and prints what differs.
pub fn fidelity(environment: &Environment, args: &FidelityArgs) -> anyhow::Result<Ended> {
    let done = in_session(environment, CachedBuilds::Hidden, |session| count_twice(session, &args.request()));
    ended_by(done, "interrupted; nothing was recorded", |found| {
        print(&found);
        outln!("\nrecorded in {}: reports of counts there are marked by it", args.kept.out.display());
        Ok(Ended::Well)
    })
}

fn print(found: &Fidelities) {
    outln!("{}: counts by {} compared with native execution", found.stack, found.counter);
    for (scenario, hole) in &found.holes {
        outln!("\n{scenario}\n  {hole}");
    }
    let [native, counted] = &found.both[0].features;
    let hidden: Vec<&str> =
        native.iter().filter(|feature| !counted.contains(feature)).map(String::as_str).collect();
    outln!(
        "hidden by the counter: {}",
        if hidden.is_empty() { "nothing".to_owned() } else { hidden.join(" ") }
    );
    for note in &found.notes {
        outln!("{note}");
    }
    for one in &found.both {
        outln!("\n{}", one.scenario.name);
        for (side, contrast) in &one.sides {
            let [emulated, natively] = contrast.totals().map(|total| total / found.iterations);
            outln!(
                "  {side}: {emulated} instructions under valgrind, {:.2} times the {natively} natively",
                contrast.ratio()
            );
            if let Some(time) = found.times.get(&(one.scenario.name.clone(), *side)) {
                outln!("  {side}: {time}");
            }
            out!("{}", contrast.table());
        }
    }
}
