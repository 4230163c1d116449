//! Counts instructions at the same marks as time.
//!
//! Marks are monomorphised: a loop that is timed contains no code of this module.

mod blocks;
mod callgrind;
mod counted;
mod counter;
mod features;
mod fork;
mod hardware;
mod in_turn;
pub(crate) mod places;
mod source;
mod tally;

use tlslab_protocol::{ContextUse, Counting, Scenario, Start};

use crate::Endpoint;
use crate::memory::meter::Fingerprint;
use crate::pair::Pair;
use crate::prepared_primitive::PreparedPrimitive;
use crate::timing::meter::Silent;
pub(crate) use blocks::Blocks;
use counted::{WARM_UP, counting};
pub(crate) use features::seen as features;
pub(crate) use fork::{Forked, NotForked, fork};
pub(crate) use source::Source;
use tally::Tally;

/// The reason why a scenario is not counted, if any.
pub(crate) fn hole(scenario: &Scenario, counter: &Source) -> Option<String> {
    if counter.contention().is_some() {
        return in_turn::hole(scenario);
    }
    let what = match scenario {
        _ if scenario.processors() > 1 => "threads of its own",
        _ if scenario.start == Start::Cold => "a cold start",
        _ => return None,
    };
    Some(format!("instructions are counted in one thread of a warm process, and the scenario has {what}"))
}

impl<E: Endpoint> Pair<'_, E> {
    /// Does the work `iterations` times, after some uncounted ones.
    pub(crate) fn count(&mut self, counter: &Source, iterations: u64) -> Result<Counting, String> {
        match counter {
            Source::Callgrind(callgrind) => callgrind.count(|| self.count_once(counter, iterations)),
            _ => match counter.contention() {
                Some(tool) => in_turn::count(self, tool, iterations),
                None => self.count_once(counter, iterations),
            },
        }
    }

    fn count_once(&mut self, counter: &Source, iterations: u64) -> Result<Counting, String> {
        let mut wire = Fingerprint::new();
        warm_up(counter, || self.slice(WARM_UP).map(drop))?;
        if self.scenario.context == ContextUse::Fresh {
            let mut tally = Tally::start(counter);
            for _ in 0..iterations {
                self.once_with_own_contexts(&mut tally, &mut wire)?;
            }
            return counting(iterations, counter, tally, &wire);
        }
        let work = self.scenario.work;
        let (place, worker) = self.first()?;
        let mut tally = Tally::start(counter);
        for _ in 0..iterations {
            worker.once(place, work, &mut tally, &mut wire)?;
        }
        counting(iterations, counter, tally, &wire)
    }
}

impl PreparedPrimitive<'_> {
    /// Does the operation `iterations` times, after some uncounted ones.
    pub(crate) fn count(&mut self, counter: &Source, iterations: u64) -> Result<Counting, String> {
        match counter {
            Source::Callgrind(callgrind) => callgrind.count(|| self.count_once(counter, iterations)),
            _ => self.count_once(counter, iterations),
        }
    }

    fn count_once(&mut self, counter: &Source, iterations: u64) -> Result<Counting, String> {
        warm_up(counter, || self.book(WARM_UP, &mut Silent).map(drop))?;
        let mut tally = Tally::start(counter);
        self.book(iterations, &mut tally)?;
        counting(iterations, counter, tally, &Fingerprint::new())
    }
}

/// Does the work before the first counted iteration, as often as the counter needs until it succeeds.
fn warm_up(counter: &Source, mut work: impl FnMut() -> Result<(), String>) -> Result<(), String> {
    let mut failed = 0;
    while let Err(cause) = work() {
        failed += 1;
        if failed > counter.false_starts() {
            return Err(cause);
        }
    }
    Ok(())
}
