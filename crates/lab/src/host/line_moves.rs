//! The cost of moving a cache line from one processor to another: two threads write it in turn.

use std::hint::spin_loop;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_stats::median;

/// Moves of one measurement.
const MOVES: u64 = 40_000;
/// Measurements of a pair, of which the smallest counts: other work only adds time.
const TIMES: usize = 7;
/// The measured pairs: the first processor with so many others, evenly spaced.
const MOST_PAIRS: usize = 8;
/// The time limit of one measurement: a thread may wait for its processor.
const PATIENCE: Duration = Duration::from_secs(2);
/// The moves between two readings of the clock.
const SPINS: u32 = 1 << 14;

/// The move of a line between two processors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LineMove {
    /// The two processors, by number.
    pub cpus: [u32; 2],
    /// The time of one move with its write, ns.
    pub ns: f64,
    /// Whether both are threads of one core and share its first cache: the line does not move.
    #[serde(default)]
    pub same_core: bool,
}

/// Measures pairs of these processors; none on a host with one.
pub(crate) fn measure(cpus: &[u32]) -> Vec<LineMove> {
    let Some((&first, others)) = cpus.split_first() else { return Vec::new() };
    let step = others.len().div_ceil(MOST_PAIRS).max(1);
    let pairs = others.iter().step_by(step).map(|other| [first, *other]);
    let of = |cpus: [u32; 2]| {
        let same_core = tlslab_host::share_a_core(Path::new("/"), cpus);
        Some(LineMove { cpus, ns: of_pair(cpus)?, same_core })
    };
    pairs.filter_map(of).collect()
}

/// The time of a write that moves a line here, ns: the median of pairs; `None` on a host with one processor.
pub fn line_move_ns() -> Option<f64> {
    let cpus: Vec<u32> = tlslab_host::usable_cpus(Path::new("/")).into_iter().collect();
    typical_ns(&measure(&cpus))
}

/// The median of pairs of cores; of threads of one core if there is no other pair.
pub(crate) fn typical_ns(moves: &[LineMove]) -> Option<f64> {
    let between_cores: Vec<f64> = moves.iter().filter(|one| !one.same_core).map(|one| one.ns).collect();
    let all = || moves.iter().map(|one| one.ns).collect::<Vec<_>>();
    median(&if between_cores.is_empty() { all() } else { between_cores }).ok()
}

/// The smallest of several measurements; `None` if a thread could not be bound or did not get its processor.
fn of_pair(cpus: [u32; 2]) -> Option<f64> {
    let times: Option<Vec<f64>> = (0..TIMES).map(|_| once(cpus)).collect();
    times?.into_iter().min_by(f64::total_cmp)
}

/// A line of its own.
#[repr(align(128))]
struct Line(AtomicU64);

fn once(cpus: [u32; 2]) -> Option<f64> {
    let (line, ready) = (Line(AtomicU64::new(0)), AtomicU64::new(0));
    let writes = |parity: u64| -> Option<Duration> {
        let mut own = CpuSet::new();
        own.set(cpus[parity as usize] as usize);
        let is_bound = sched_setaffinity(None, &own).is_ok();
        ready.fetch_add(if is_bound { 1 } else { FAILED }, Ordering::SeqCst);
        let deadline = Instant::now() + PATIENCE;
        await_that(deadline, || ready.load(Ordering::SeqCst) >= 2)?;
        if ready.load(Ordering::SeqCst) >= FAILED {
            return None;
        }
        let start = Instant::now();
        while line.0.load(Ordering::Acquire) < MOVES {
            await_that(deadline, || line.0.load(Ordering::Acquire) % 2 == parity)?;
            line.0.fetch_add(1, Ordering::AcqRel);
        }
        Some(start.elapsed())
    };
    let took = thread::scope(|scope| {
        let writes = &writes;
        let [one, other] = [0, 1].map(|parity| scope.spawn(move || writes(parity)));
        one.join().ok().flatten().zip(other.join().ok().flatten())
    });
    took.map(|(one, other)| one.max(other).as_secs_f64() * 1e9 / MOVES as f64)
}

/// The value that marks a thread which could not be bound to its processor.
const FAILED: u64 = 1 << 32;

fn await_that(deadline: Instant, is_so: impl Fn() -> bool) -> Option<()> {
    loop {
        for _ in 0..SPINS {
            if is_so() {
                return Some(());
            }
            spin_loop();
        }
        if Instant::now() > deadline {
            return None;
        }
    }
}

/// One line of text; empty if nothing was measured.
pub(crate) fn text(moves: &[LineMove]) -> String {
    let each: Vec<String> = moves
        .iter()
        .map(|LineMove { cpus: [one, other], ns, same_core }| {
            let core = if *same_core { " of one core" } else { "" };
            format!("{ns:.0} ns between CPUs {one} and {other}{core}")
        })
        .collect();
    match each.is_empty() {
        true => String::new(),
        false => format!("a contended write, which moves a cache line: {}", each.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_takes_some_time_to_move_and_one_processor_has_nobody_to_move_it_to() {
        let cpus: Vec<u32> = tlslab_host::usable_cpus(std::path::Path::new("/")).into_iter().collect();
        for LineMove { cpus: [one, other], ns, .. } in measure(&cpus) {
            assert!(one != other && ns > 1.0 && ns < 1e6, "{one}, {other}: {ns}");
        }
        assert_eq!((measure(&cpus[..1]), measure(&[])), (vec![], vec![]));
    }

    #[test]
    fn a_processor_that_is_not_there_gives_no_figure() {
        assert_eq!(measure(&[0, 1_000]), []);
        assert_eq!(text(&[]), "");
        let of = |other: u32, ns: f64, same_core: bool| LineMove { cpus: [0, other], ns, same_core };
        let moves = [of(3, 62.4, false), of(7, 131.0, false), of(1, 9.0, true)];
        let expected = "a contended write, which moves a cache line: 62 ns between CPUs 0 and 3, 131 ns between CPUs 0 and 7, \
                        9 ns between CPUs 0 and 1 of one core";
        assert_eq!(text(&moves), expected);
        assert_eq!(typical_ns(&moves), Some(96.7));
        assert_eq!((typical_ns(&moves[2..]), typical_ns(&[])), (Some(9.0), None));
    }
}
