//! Checks the times that a driver reports against the processor time that the system counts for it, and
//! against the time that the lab waited for it.
//!
//! Figures come from the clocks of both sides, so these are checked. All processes that work for the driver
//! count, also those that it started and waited for.

use std::time::Duration;

use tlslab_process::{ProcessorTime, lab_waiting};
use tlslab_protocol::{Capabilities, Measurement, Scenario, WarmUp, Work};
use tlslab_record::unverified_time;

use crate::Talk;

/// A driver's reports over a visit, and the processor time of its processes.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimeBounds {
    processor_time: Option<ProcessorTime>,
    /// How long its threads and the lab's had waited for a processor at the beginning.
    waited_before: Duration,
    /// The same at the end of its last turn, if turns of other scenarios come between.
    waited_until: Duration,
    turns: Vec<Turn>,
    /// How long an iteration took in each slice, ns.
    slices_ns: Vec<f64>,
    /// Iterations of all slices.
    iterations: u64,
}

/// One request and its answer.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    /// The time on the clocks of both sides, including the warm-up.
    on_clocks: Duration,
    /// From the first iteration to the last one, including the warm-up.
    elapsed: Duration,
    /// The processor time of its processes during requests: a runtime may do work of its own during other
    /// stacks' turns.
    ran: Duration,
    /// How long the lab waited for the answer.
    asked: Duration,
}

/// The factor by which a driver may run longer than it reports, and the overhead of each request: reading it,
/// writing the reply. In 1,158 visits of two native stacks at a load of 8, processes ran for at most 1.04
/// times the elapsed time, of which at least 0.96 was on clocks where these are judged.
const MOST: f64 = 1.2;
const EACH: Duration = Duration::from_micros(200);
/// The same if a driver's threads may use several processors: a runtime works in parallel with the library,
/// such as by collecting garbage.
const MOST_UNBOUND: f64 = 6.0;
/// The kernel reports the time of ended processes in steps; one-off work takes less than this.
const ONCE: Duration = Duration::from_millis(2);
/// The time that the lab and the system take to transfer a request and its answer.
const ACROSS: Duration = Duration::from_micros(500);
/// Turns with the slowest transfers are not judged by that: the lab or the machine may have been stopped
/// meanwhile.
const DISTURBED: f64 = 0.25;
/// The least share of its usual time for which a driver runs or waits for a processor. A virtual machine that
/// is stopped by its host does neither, but in one slice only: the usual value is the median of the slices.
const LEAST: f64 = 0.2;
/// With fewer slices there is no usual time.
const FEWEST_FOR_LEAST: usize = 3;
/// Sleeping instead of working is detected beyond this.
const ASLEEP: Duration = Duration::from_millis(20);

/// The largest share of its time for which a driver or the lab may wait for a processor if single slices and
/// the lab's own clock are judged.
const CALM: f64 = 0.1;

impl TimeBounds {
    /// Begins with the driver's present values.
    pub(crate) fn begin(talk: &dyn Talk) -> Self {
        let processor_time = talk.processor_time();
        let waited_before = waited(processor_time.as_ref());
        Self { processor_time, waited_before, waited_until: waited_before, ..Self::default() }
    }

    /// A turn of this scenario ends, and perhaps one of another begins.
    pub(crate) fn pause(&mut self) {
        self.waited_until = waited(self.processor_time.as_ref());
    }

    /// Continues: waits since the pause do not count here.
    pub(crate) fn resume(&mut self) {
        let meanwhile = waited(self.processor_time.as_ref()).saturating_sub(self.waited_until);
        self.waited_before = self.waited_before.saturating_add(meanwhile);
    }

    /// How many turns it has had.
    pub(crate) fn turns(&self) -> u64 {
        self.turns.len() as u64
    }

    /// How long its processes have run.
    pub(crate) fn ran_until_now(&self) -> Duration {
        self.processor_time.as_ref().map(ProcessorTime::running).unwrap_or_default()
    }

    /// Adds its report for a request, how long the lab waited for the answer, and its processor time before.
    pub(crate) fn add(&mut self, slices: &[Measurement], ran_before: Duration, asked: Duration) {
        let warm_ups = slices.iter().filter_map(|slice| slice.warm_up.as_ref());
        let ns = |of_slice: fn(&Measurement) -> u64, of_warm_up: fn(&WarmUp) -> u64| {
            let all = slices.iter().map(of_slice).chain(warm_ups.clone().map(of_warm_up));
            Duration::from_nanos(all.fold(0, u64::saturating_add))
        };
        self.turns.push(Turn {
            on_clocks: ns(tlslab_proof::clocks_ns, tlslab_proof::warm_up_clocks_ns),
            elapsed: ns(|slice| slice.elapsed_ns, |warm_up| warm_up.elapsed_ns),
            ran: self.ran_until_now().saturating_sub(ran_before),
            asked,
        });
        let per_iteration = |slice: &Measurement| slice.elapsed_ns as f64 / slice.iterations.max(1) as f64;
        self.slices_ns.extend(slices.iter().map(per_iteration));
        self.iterations =
            slices.iter().fold(self.iterations, |sum, slice| sum.saturating_add(slice.iterations));
    }

    /// How long all iterations take at the time of a usual slice; zero if there are too few slices.
    fn usual(&self) -> Duration {
        if self.slices_ns.len() < FEWEST_FOR_LEAST {
            return Duration::ZERO;
        }
        // The conversion is saturating.
        Duration::from_nanos((middle(&self.slices_ns).unwrap_or_default() * self.iterations as f64) as u64)
    }

    fn sum(&self, of: impl Fn(&Turn) -> Duration) -> Duration {
        self.turns.iter().map(of).fold(Duration::ZERO, Duration::saturating_add)
    }

    /// The implausible part, if any: missing work in one slice, or much more or much less work than it
    /// reports. `is_bound` is whether it keeps to one processor. `None` if the sides wait for each other.
    pub(crate) fn untrue(&self, scenario: &Scenario, able: &Capabilities, is_bound: bool) -> Option<String> {
        if scenario.works_at_once() || scenario.threads > 1 {
            return None;
        }
        let waited = waited(Some(self.processor_time.as_ref()?)).saturating_sub(self.waited_before);
        // Untimed preparation is work, too.
        let reported = match unverified_time(scenario, able) {
            Some(_) => |turn: &Turn| turn.elapsed,
            None => |turn: &Turn| turn.on_clocks,
        };
        let most = if is_bound { MOST } else { MOST_UNBOUND };
        // If most slices wait for a processor, one that does not differs from the rest.
        let is_calm = waited.as_secs_f64() < CALM * self.sum(|turn| turn.elapsed).as_secs_f64();
        // An ML-DSA signature takes a random number of tries.
        let is_by_chance = match &scenario.work {
            Work::Primitive(primitive) => primitive.pair().contains("ml-dsa"),
            _ => scenario.signature.name().contains("ml-dsa"),
        };
        self.busier(most, reported)
            .or_else(|| self.idler(waited))
            .or_else(|| self.later(most, reported).filter(|_| is_calm))
            .or_else(|| lonely_dip(&self.slices_ns).filter(|_| is_calm && !is_by_chance))
    }

    /// Whether its processes ran for longer than it reports.
    fn busier(&self, most: f64, reported: impl Fn(&Turn) -> Duration) -> Option<String> {
        let (ran, reported) = (self.sum(|turn| turn.ran), self.sum(reported));
        let least = ran.saturating_sub(ONCE + EACH.saturating_mul(self.turns.len() as u32));
        (least.as_secs_f64() > most * reported.as_secs_f64()).then(|| {
            let [reported, ran] = [reported, ran].map(ms);
            format!("{reported:.1} ms of work on its clocks, for which it used {ran:.1} ms of the processor")
        })
    }

    /// Whether its processes did far less than it reports, although they could do more.
    fn idler(&self, waited: Duration) -> Option<String> {
        let ran = self.sum(|turn| turn.ran);
        (ms(ran.saturating_add(waited) + ASLEEP) < LEAST * ms(self.usual())).then(|| {
            let [reported, ran] = [self.sum(|turn| turn.elapsed), ran].map(ms);
            format!("{reported:.1} ms of work, for which it used {ran:.1} ms of the processor")
        })
    }

    /// Whether the lab waited for longer than it reports.
    fn later(&self, most: f64, reported: impl Fn(&Turn) -> Duration) -> Option<String> {
        let mut turns: Vec<(Duration, Duration)> =
            self.turns.iter().map(|turn| (turn.asked.saturating_sub(ACROSS), reported(turn))).collect();
        turns.sort_by_key(|(asked, reported)| asked.saturating_sub(*reported));
        turns.truncate((turns.len() as f64 * (1.0 - DISTURBED)).ceil() as usize);
        let sum = |of: fn(&(Duration, Duration)) -> Duration| turns.iter().map(of).sum::<Duration>();
        let (asked, reported) = (sum(|turn| turn.0), sum(|turn| turn.1));
        let is_later = turns.len() >= FEWEST_TURNS && asked.as_secs_f64() > most * reported.as_secs_f64();
        is_later.then(|| {
            let [reported, asked] = [reported, asked].map(ms);
            format!("{reported:.1} ms of work on its clocks, for which the lab waited {asked:.1} ms")
        })
    }
}

/// How long a driver's threads and the lab's have waited for a processor.
fn waited(processor_time: Option<&ProcessorTime>) -> Duration {
    processor_time.map(ProcessorTime::waiting).unwrap_or_default().saturating_add(lab_waiting())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A slice that took far less time than its neighbours: disturbances of a machine only add time, and lasting
/// speed-ups, such as by a compiler at run time, affect later slices as well.
fn lonely_dip(slices_ns: &[f64]) -> Option<String> {
    let middle = middle(slices_ns).filter(|_| slices_ns.len() >= FEWEST_SLICES)?;
    let is_low = |ns: f64| ns < DIP * middle;
    let beside = |at: usize| {
        let around = at.saturating_sub(2)..(at + 3).min(slices_ns.len());
        around.filter(|other| *other != at).all(|other| slices_ns[other] > BESIDE_A_DIP * middle)
    };
    let at = (0..slices_ns.len()).find(|at| is_low(slices_ns[*at]) && beside(*at))?;
    Some(format!("{:.0} ns an iteration in one slice, between slices of {middle:.0} ns", slices_ns[at]))
}

/// The median; of an even number the upper one of the two in the middle.
fn middle(slices_ns: &[f64]) -> Option<f64> {
    let mut sorted = slices_ns.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

/// With fewer turns the lab's own waiting is not conclusive.
const FEWEST_TURNS: usize = 3;
/// With fewer slices there is no usual value.
const FEWEST_SLICES: usize = 9;
/// The share of the usual time below which a slice cannot have done the work.
const DIP: f64 = 0.4;
/// The share of the usual time that its neighbours take.
const BESIDE_A_DIP: f64 = 0.8;

#[cfg(test)]
mod tests {
    use super::*;

    /// The times of turns that each report 10 ms, ran for so many µs and took the lab so many µs.
    fn times(turns: u64, ran_us: u64, asked_us: u64) -> TimeBounds {
        let [ran, asked] = [ran_us, asked_us].map(Duration::from_micros);
        let [on_clocks, elapsed] = [9_900, 10_000].map(Duration::from_micros);
        let turn = Turn { on_clocks, elapsed, ran, asked };
        TimeBounds { turns: vec![turn; turns as usize], ..TimeBounds::default() }
    }

    fn on_clocks(turn: &Turn) -> Duration {
        turn.on_clocks
    }

    #[test]
    fn a_quarter_less_than_it_took_is_noticed_and_honest_work_is_not() {
        let busier = |ran_us| times(10, ran_us, 0).busier(MOST, on_clocks);
        assert_eq!(busier(10_100), None);
        assert_eq!(busier(1_000), None, "on a busy host");
        assert_eq!(busier(11_500), None, "with what a request takes");
        let text = "99.0 ms of work on its clocks, for which it used 124.0 ms of the processor";
        assert_eq!(busier(12_400).unwrap(), text);
        assert!(times(1, 14_500, 0).busier(MOST, on_clocks).is_some(), "one turn suffices");
        assert_eq!(times(10, 50_000, 0).busier(MOST_UNBOUND, on_clocks), None);
    }

    #[test]
    fn work_that_the_system_does_not_count_is_waited_for() {
        let later = |asked_us| times(10, 0, asked_us).later(MOST, on_clocks);
        assert_eq!(later(10_400), None);
        let text = "79.2 ms of work on its clocks, for which the lab waited 196.0 ms";
        assert_eq!(later(25_000).unwrap(), text);
        let mut disturbed = times(10, 0, 10_400);
        disturbed.turns[3].asked = Duration::from_secs(1);
        disturbed.turns[7].asked = Duration::from_millis(100);
        assert_eq!(disturbed.later(MOST, on_clocks), None, "the machine was stopped twice");
        assert_eq!(times(2, 0, 25_000).later(MOST, on_clocks), None, "too few");
    }

    #[test]
    fn a_machine_that_was_stopped_for_one_slice_accuses_nobody() {
        let with = |slices_ms: &[u64]| {
            let slices_ns: Vec<f64> = slices_ms.iter().map(|ms| *ms as f64 * 1e4).collect();
            let elapsed = Duration::from_millis(slices_ms.iter().sum());
            let turn = Turn { elapsed, ran: Duration::from_millis(22), ..Turn::default() };
            let iterations = 100 * slices_ms.len() as u64;
            TimeBounds { slices_ns, iterations, turns: vec![turn], ..TimeBounds::default() }
                .idler(Duration::ZERO)
        };
        assert_eq!(with(&[5, 366, 5, 5]), None, "stopped for 360 ms");
        assert_eq!(with(&[383]), None, "one slice says nothing");
        let asleep = with(&[366, 366, 5, 366, 366]).unwrap();
        assert_eq!(asleep, "1469.0 ms of work, for which it used 22.0 ms of the processor");
    }

    #[test]
    fn a_slice_that_did_nothing_stands_out() {
        let mut slices = vec![100.0; 50];
        assert_eq!(lonely_dip(&slices), None);
        slices[30] = 900.0;
        assert_eq!(lonely_dip(&slices), None, "a disturbance");
        slices[20] = 10.0;
        let text = "10 ns an iteration in one slice, between slices of 100 ns";
        assert_eq!(lonely_dip(&slices).unwrap(), text);
        let compiled: Vec<f64> = (0..50).map(|at| if at < 40 { 100.0 } else { 9.0 }).collect();
        assert_eq!(lonely_dip(&compiled), None, "faster for good");
        assert_eq!(lonely_dip(&[100.0, 100.0, 1.0, 100.0, 100.0]), None, "too few");
    }
}
