//! A service against a code host in memory: any order of actions of people, runners and networks, checked
//! against the invariants in terms of the code host. No stranger's commit is built without a maintainer's
//! approval; a required check is satisfied only by the newest finished measurement of that head, if it
//! passes; a comment is of the present head; each command is carried out once; nothing waits for ever.
//!
//! `TLSLAB_MODEL_SEQUENCES=20000 TLSLAB_MODEL_SEED=1` chooses how many sequences are played, from which seed
//! on. A failure prints its seed and the shortest part of the sequence that still fails.

mod api;
mod api_gitlab;
mod check;
mod events;
mod host;
mod outages;
mod steps;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use host::{FLAVOURS, Flavour};
use steps::{Step, sequence};
use world::World;

/// For how long the model is played in an ordinary run of the tests.
const USUALLY: Duration = Duration::from_secs(25);

/// The fault of a sequence, if it has one.
fn played(flavour: Flavour, steps: &[Step]) -> Option<String> {
    let played = catch_unwind(AssertUnwindSafe(|| {
        let mut world = World::new(flavour);
        steps.iter().try_for_each(|step| world.step(step))?;
        world.settled()
    }));
    match played {
        Ok(done) => done.err(),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Some(format!("panic: {}", text.unwrap_or_default()))
        }
    }
}

/// The shortest part of a sequence that is found to fail, too.
fn shortened(flavour: Flavour, steps: &[Step]) -> (Vec<Step>, String) {
    let mut steps = steps.to_vec();
    let mut fault = played(flavour, &steps).unwrap_or_default();
    let mut width = steps.len() / 2;
    while width > 0 {
        let mut at = 0;
        while at < steps.len() {
            let mut fewer = steps.clone();
            fewer.drain(at..(at + width).min(steps.len()));
            match played(flavour, &fewer) {
                Some(found) => (steps, fault) = (fewer, found),
                None => at += width,
            }
        }
        width /= 2;
    }
    (steps, fault)
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn whatever_people_and_networks_do() {
    let seed = number("TLSLAB_MODEL_SEED").unwrap_or(1);
    let sequences = number("TLSLAB_MODEL_SEQUENCES");
    let begun = Instant::now();
    let next = AtomicU64::new(0);
    let faults = Mutex::new(Vec::new());
    let play = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let is_over = match sequences {
                Some(sequences) => at >= sequences,
                None => begun.elapsed() > USUALLY,
            };
            if is_over || !faults.lock().unwrap().is_empty() {
                return;
            }
            let seed = seed + at;
            let (flavour, steps) = (FLAVOURS[seed as usize % FLAVOURS.len()], sequence(seed));
            if played(flavour, &steps).is_some() {
                let (steps, fault) = shortened(flavour, &steps);
                let steps: Vec<String> = steps.iter().map(|step| format!("  {step:?}")).collect();
                let text = format!("seed {seed} on {flavour:?}: {fault}\n{}", steps.join("\n"));
                faults.lock().unwrap().push(text);
            }
        }
    };
    std::thread::scope(|scope| {
        (0..2).for_each(|_| drop(scope.spawn(play)));
    });
    let played = next.load(Ordering::Relaxed).saturating_sub(2);
    println!("{played} sequences from seed {seed} in {:.1} s", begun.elapsed().as_secs_f64());
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(played > 0);
}
