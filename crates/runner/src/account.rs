//! Checks the times that a driver reports against the processor time that the system counts for it.

use std::time::Duration;

use tlslab_process::ProcessorTime;
use tlslab_protocol::{Measurement, Scenario, Work};

use crate::Talk;

/// What a driver reports over a visit, and the processor time of its processes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    processor_time: Option<ProcessorTime>,
    /// How long its threads had waited for a processor at the beginning.
    waited_before: Duration,
    reported: Duration,
    /// How long its processes ran while it was asked: a runtime may go on with work of its own while others have their turn.
    ran: Duration,
    /// How long an iteration took in each slice, ns.
    slices_ns: Vec<f64>,
    /// Iterations of all slices.
    iterations: u64,
}

/// How much longer than it reports a driver may run, and what comes once: reading requests, writing replies.
const MOST: f64 = 6.0;
const ONCE: Duration = Duration::from_millis(20);
/// The least share of its usual time that a driver runs or waits for a processor. A virtual machine that is stopped by its host shows
/// in neither, but in one slice only: what is usual is the median of the slices.
const LEAST: f64 = 0.2;
/// With fewer slices no time is usual.
const FEWEST_FOR_LEAST: usize = 3;

/// The share of its time for which a driver waits for a processor at most where single slices are judged.
const CALM: f64 = 0.1;

impl Account {
    /// Begins with what the driver has had.
    pub fn begin(talk: &dyn Talk) -> Self {
        let processor_time = talk.processor_time();
        let waited_before = processor_time.as_ref().map(ProcessorTime::waiting).unwrap_or_default();
        Self { processor_time, waited_before, ..Self::default() }
    }

    /// How long its processes have run.
    pub fn ran_until_now(&self) -> Duration {
        self.processor_time.as_ref().map(ProcessorTime::running).unwrap_or_default()
    }

    /// Adds what it reports of a request before which it had run for so long.
    pub fn add(&mut self, slices: &[Measurement], ran_before: Duration) {
        let warm_up = |slice: &Measurement| slice.warm_up.map_or(0, |warm_up| warm_up.elapsed_ns);
        let ns = slices
            .iter()
            .fold(0_u64, |sum, slice| sum.saturating_add(slice.elapsed_ns).saturating_add(warm_up(slice)));
        self.reported = self.reported.saturating_add(Duration::from_nanos(ns));
        self.ran += self.ran_until_now().saturating_sub(ran_before);
        let per_iteration = |slice: &Measurement| slice.elapsed_ns as f64 / slice.iterations.max(1) as f64;
        self.slices_ns.extend(slices.iter().map(per_iteration));
        self.iterations =
            slices.iter().fold(self.iterations, |sum, slice| sum.saturating_add(slice.iterations));
    }

    /// How long all iterations take at the time of a usual slice; zero if there are too few to say.
    fn usual(&self) -> Duration {
        if self.slices_ns.len() < FEWEST_FOR_LEAST {
            return Duration::ZERO;
        }
        // The conversion is saturating.
        Duration::from_nanos((middle(&self.slices_ns).unwrap_or_default() * self.iterations as f64) as u64)
    }

    /// What cannot be true of it: work left out in one slice, or much more or much less work than it reports. Where both sides wait for
    /// each other, or where much is made beforehand, nothing is said.
    pub fn untrue(&self, scenario: &Scenario) -> Option<String> {
        if scenario.works_at_once() || scenario.threads > 1 {
            return None;
        }
        let waited = self.processor_time.as_ref()?.waiting().saturating_sub(self.waited_before);
        // Where most slices wait for a processor, one that does not stands out.
        let is_calm = waited.as_secs_f64() < CALM * self.reported.as_secs_f64();
        // An ML-DSA signature takes as many tries as chance wills.
        let is_by_chance = match &scenario.work {
            Work::Primitive(primitive) => primitive.pair().contains("ml-dsa"),
            _ => scenario.signature.name().contains("ml-dsa"),
        };
        let dip = if is_calm && !is_by_chance { lonely_dip(&self.slices_ns) } else { None };
        dip.or_else(|| uneven(self.reported, self.usual(), self.ran, waited))
    }
}

/// What cannot be true of a time that is reported, beside how long the processes ran and how long they waited for a processor. `usual` is
/// what all iterations take at the time of a usual slice.
fn uneven(reported: Duration, usual: Duration, ran: Duration, waited: Duration) -> Option<String> {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let is_more = ms(ran.saturating_sub(ONCE)) > MOST * ms(reported);
    let is_less = ms(ran + waited + ONCE) < LEAST * ms(usual);
    (is_more || is_less).then(|| {
        format!("{:.1} ms of work, for which it used {:.1} ms of the processor", ms(reported), ms(ran))
    })
}

/// A slice that took far less than those around it: what disturbs a machine makes work slower, and what makes it faster for good, such
/// as a compiler at run time, lasts.
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

/// With fewer slices nothing is usual.
const FEWEST_SLICES: usize = 9;
/// How much of the usual time a slice takes that cannot have done the work.
const DIP: f64 = 0.4;
/// How much of the usual time those beside it take.
const BESIDE_A_DIP: f64 = 0.8;

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a driver that reports so many ms, ran so many and waited so many.
    fn said(reported: u64, ran: u64, waited: u64) -> Option<String> {
        let [reported, ran, waited] = [reported, ran, waited].map(Duration::from_millis);
        uneven(reported, reported, ran, waited)
    }

    #[test]
    fn a_tenth_of_the_time_is_noticed_and_honest_work_is_not() {
        assert_eq!(said(100, 100, 0), None);
        assert_eq!(said(100, 130, 0), None);
        assert_eq!(said(100, 10, 90), None, "on a busy host");
        assert_eq!(said(2, 15, 0), None, "a short trial");
        let text = "100.0 ms of work, for which it used 1000.0 ms of the processor";
        assert_eq!(said(100, 1000, 0).unwrap(), text);
        assert_eq!(said(1000, 1, 1).unwrap(), "1000.0 ms of work, for which it used 1.0 ms of the processor");
    }

    #[test]
    fn a_machine_that_was_stopped_for_one_slice_accuses_nobody() {
        let with = |slices_ms: &[u64]| {
            let slices_ns: Vec<f64> = slices_ms.iter().map(|ms| *ms as f64 * 1e4).collect();
            let reported = Duration::from_millis(slices_ms.iter().sum());
            let iterations = 100 * slices_ms.len() as u64;
            let ran = Duration::from_millis(22);
            let account = Account { slices_ns, iterations, reported, ran, ..Account::default() };
            uneven(account.reported, account.usual(), account.ran, Duration::ZERO)
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
