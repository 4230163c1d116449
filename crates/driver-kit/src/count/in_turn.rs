//! Threads that take turns at the work: contention is counted, and no thread waits for a lock.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use tlslab_protocol::{ContextUse, Counting, Scenario, Start, Work};

use super::counted::{WARM_UP, counting};
use super::counter::Counter;
use super::places::PLACES;
use super::source::Source;
use super::tally::Tally;
use crate::Endpoint;
use crate::memory::meter::Fingerprint;
use crate::pair::{Pair, Place, Worker};
use crate::timing::meter::Silent;

/// The reason why a scenario's threads cannot take turns, if any.
pub(super) fn hole(scenario: &Scenario) -> Option<String> {
    let what = match scenario {
        _ if scenario.threads < 2 => "one thread",
        _ if scenario.concurrent || scenario.rate > 0 => "sides that run at once",
        _ if scenario.context == ContextUse::Fresh => "contexts of each connection's own",
        _ if scenario.start == Start::Cold => "a cold start",
        _ => return None,
    };
    Some(format!(
        "contention is counted in threads that share contexts and take turns, and the scenario has {what}"
    ))
}

/// The order of turns. The first turns of each thread are a warm-up.
struct Turns {
    threads: u64,
    warm_up: u64,
    all: u64,
    now: Mutex<u64>,
    changed: Condvar,
}

impl Turns {
    /// Waits for a thread's next turn, once all previous turns are over. `None` after the last one, or if one
    /// has failed.
    fn wait(&self, thread: u64) -> Option<Turn<'_>> {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let is_early = |now: &mut u64| *now < self.all && *now % self.threads != thread;
        let now = self.changed.wait_while(now, is_early).unwrap_or_else(PoisonError::into_inner);
        (*now < self.all).then(|| Turn { turns: self, number: *now, is_done: false })
    }

    fn go_on(&self, with: u64) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = with;
        self.changed.notify_all();
    }
}

/// A thread's turn; the next one begins when it is dropped.
struct Turn<'t> {
    turns: &'t Turns,
    number: u64,
    is_done: bool,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.go_on(if self.is_done { self.number + 1 } else { self.turns.all });
    }
}

/// The places that a thread has entered, and its bytes on the wire.
struct Share {
    marks: [u64; PLACES],
    wire: Fingerprint,
}

/// Does the work `iterations` times in all, after some uncounted iterations in each thread.
pub(super) fn count<E: Endpoint>(
    pair: &mut Pair<'_, E>,
    tool: Counter,
    iterations: u64,
) -> Result<Counting, String> {
    let work = pair.scenario.work;
    let (workers, places) = pair.workers_and_places();
    let threads = workers.len() as u64;
    let warm_up = WARM_UP * threads;
    let turns =
        &Turns { threads, warm_up, all: warm_up + iterations, now: Mutex::new(0), changed: Condvar::new() };
    let shares: Vec<Result<Share, String>> = thread::scope(|scope| {
        let started: Vec<_> = workers
            .iter_mut()
            .zip(places)
            .zip(0..)
            .map(|((worker, place), thread)| {
                scope.spawn(move || share(worker, place, work, tool, turns, thread))
            })
            .collect();
        let joined = started.into_iter().map(|thread| thread.join());
        joined.map(|done| done.unwrap_or_else(|_| Err("a thread panicked".to_owned()))).collect()
    });
    let counter = Source::Tool(tool);
    let (mut tally, mut wire) = (Tally::of_thread(&counter), Fingerprint::new());
    for share in shares {
        let Share { marks, wire: of_thread } = share?;
        tally.add_marks(&marks);
        wire.see(of_thread.text().as_bytes());
    }
    counting(iterations, &counter, tally, &wire)
}

/// One thread's turns.
fn share<E: Endpoint>(
    worker: &mut Worker<E>,
    place: Place<'_, E>,
    work: Work,
    tool: Counter,
    turns: &Turns,
    thread: u64,
) -> Result<Share, String> {
    let counter = Source::Tool(tool);
    let (mut tally, mut wire) = (Tally::of_thread(&counter), Fingerprint::new());
    while let Some(mut turn) = turns.wait(thread) {
        if turn.number < turns.warm_up {
            worker.once(place, work, &mut Silent, &mut Fingerprint::new())?;
        } else {
            if turn.number == turns.warm_up {
                counter.start();
            }
            worker.once(place, work, &mut tally, &mut wire)?;
        }
        turn.is_done = true;
    }
    Ok(Share { marks: tally.marks(), wire })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_take_turns_until_all_are_done_or_one_fails() {
        let played = |fails_at: Option<u64>| {
            let turns = Turns { threads: 3, warm_up: 0, all: 8, now: Mutex::new(0), changed: Condvar::new() };
            let seen = Mutex::new(Vec::new());
            thread::scope(|scope| {
                for thread in 0..3 {
                    let (turns, seen) = (&turns, &seen);
                    scope.spawn(move || {
                        while let Some(mut turn) = turns.wait(thread) {
                            seen.lock().unwrap().push((thread, turn.number));
                            turn.is_done = Some(turn.number) != fails_at;
                        }
                    });
                }
            });
            seen.into_inner().unwrap()
        };
        assert_eq!(played(None), (0..8).map(|turn| (turn % 3, turn)).collect::<Vec<_>>());
        assert_eq!(played(Some(4)), (0..5).map(|turn| (turn % 3, turn)).collect::<Vec<_>>());
    }
}
