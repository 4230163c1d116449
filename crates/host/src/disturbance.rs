//! Disturbances of the machine between two readings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CpuTimes, Readings};

/// How much of the processor's time other work used. A share that the readings do not show is `None`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Disturbance {
    /// How long it was between the readings, in seconds.
    pub seconds: Option<f64>,
    /// Time that the hypervisor gave to others, in per cent of the time of all CPUs.
    pub steal_percent: Option<f64>,
    /// The CPU from which it took most.
    pub worst_steal: Option<CpuSteal>,
    /// Time that processes other than this one and those below it used, in per cent of the time of all CPUs.
    /// In a container it counts the whole machine.
    pub others_busy_percent: Option<f64>,
    /// The same as a number of CPUs: 1 is one CPU kept busy all the time.
    pub others_busy_cpus: Option<f64>,
    /// The 1-minute load average at the end.
    pub load_at_end: Option<f64>,
}

/// The time that one CPU lost to the hypervisor.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct CpuSteal {
    /// Its number.
    pub cpu: u32,
    /// In per cent of its own time.
    pub percent: f64,
}

impl Disturbance {
    /// The difference between `before` and `after`, over the CPUs that both readings show.
    pub fn between(before: &Readings, after: &Readings) -> Self {
        let spent = spent(before, after);
        let sum =
            |of: fn(CpuTimes) -> u64| spent.iter().fold(0_u64, |sum, (_, cpu)| sum.saturating_add(of(*cpu)));
        let (total, busy) = (sum(CpuTimes::total), sum(CpuTimes::busy));
        let others = others_ticks(before, after, busy).and_then(|ticks| share(ticks, total));
        Self {
            seconds: before.uptime_s.zip(after.uptime_s).map(|(from, to)| (to - from).max(0.0)),
            steal_percent: share(sum(|cpu| cpu.steal), total).map(|share| share * 100.0),
            worst_steal: worst_steal(&spent),
            others_busy_percent: others.map(|share| share * 100.0),
            others_busy_cpus: others.map(|share| share * spent.len() as f64),
            load_at_end: after.load.map(|load| load.one),
        }
    }
}

/// What each CPU did between the readings.
fn spent(before: &Readings, after: &Readings) -> Vec<(u32, CpuTimes)> {
    let of = |(&cpu, times): (&u32, &CpuTimes)| Some((cpu, times.since(*before.cpus.get(&cpu)?)));
    after.cpus.iter().filter_map(of).collect()
}

fn worst_steal(spent: &[(u32, CpuTimes)]) -> Option<CpuSteal> {
    let steal = |(cpu, times): &(u32, CpuTimes)| {
        Some(CpuSteal { cpu: *cpu, percent: share(times.steal, times.total())? * 100.0 })
    };
    spent.iter().filter_map(steal).max_by(|a, b| a.percent.total_cmp(&b.percent))
}

/// The busy ticks that the lab's own processes did not use.
fn others_ticks(before: &Readings, after: &Readings, busy: u64) -> Option<u64> {
    let (before, after) = (before.processes.as_ref()?, after.processes.as_ref()?);
    let own = after.own_ticks().saturating_sub(before.own_ticks());
    Some(busy.saturating_sub(own))
}

/// `part` of `whole`, from 0 to 1; `None` if `whole` is zero.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(uptime_s: f64, cpus: [CpuTimes; 2]) -> Readings {
        Readings { uptime_s: Some(uptime_s), cpus: (0..).zip(cpus).collect(), ..Readings::default() }
    }

    #[test]
    fn worked_by_hand() {
        let start = CpuTimes { user: 10, system: 10, idle: 10, steal: 10 };
        let stolen = CpuTimes { user: 60, system: 20, idle: 40, steal: 20 };
        let idle = CpuTimes { idle: 110, ..start };
        let disturbance = Disturbance::between(&readings(5.0, [start; 2]), &readings(6.0, [stolen, idle]));
        // 10 of 200 ticks over both CPUs, 10 of the 100 of CPU 0.
        assert_eq!(disturbance.seconds, Some(1.0));
        assert_eq!(disturbance.steal_percent, Some(5.0));
        assert_eq!(disturbance.worst_steal, Some(CpuSteal { cpu: 0, percent: 10.0 }));
        assert_eq!(disturbance.others_busy_percent, None, "no process is shown");
    }

    #[test]
    fn nothing_between_two_equal_readings_has_no_share() {
        let reading = readings(5.0, [CpuTimes::default(); 2]);
        let disturbance = Disturbance::between(&reading, &reading);
        assert_eq!(disturbance, Disturbance { seconds: Some(0.0), ..Disturbance::default() });
    }
}
