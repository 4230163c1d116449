//! The counters of the machine at one moment.

use std::collections::BTreeMap;
use std::path::Path;

use crate::LoadAverages;
use crate::power::on_battery;
use crate::processes::Processes;
use crate::tree::Tree;

/// Counters that only grow, and further values; the difference of two is what happened in between.
///
/// A tick is 10 ms on common kernels, so an interval of one second resolves one per cent of a CPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings {
    /// Seconds since the machine started; never set back, unlike the time of day.
    pub uptime_s: Option<f64>,
    /// What each online CPU has done since then, by its number; empty if this is not shown.
    pub cpus: BTreeMap<u32, CpuTimes>,
    /// Load averages.
    pub load: Option<LoadAverages>,
    /// Whether the machine runs on a battery.
    pub on_battery: Option<bool>,
    pub(crate) processes: Option<Processes>,
}

/// Ticks that one CPU has spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTimes {
    /// In programs, whatever their priority, guests of a hypervisor here included.
    pub user: u64,
    /// In the kernel, interrupts included.
    pub system: u64,
    /// Doing nothing, or waiting for input and output.
    pub idle: u64,
    /// Ready to run, but the hypervisor ran something else.
    pub steal: u64,
}

impl Readings {
    /// The share of the time since boot that a hypervisor took, %; `None` if it is not shown.
    pub fn stolen_percent(&self) -> Option<f64> {
        let sum = |of: fn(&CpuTimes) -> u64| self.cpus.values().map(of).fold(0_u64, u64::saturating_add);
        let total = sum(|times| times.total());
        (total > 0).then(|| 100.0 * sum(|times| times.steal) as f64 / total as f64)
    }

    /// Reads the machine whose files are under `root`: `/` for the one this runs on.
    pub fn take(root: &Path) -> Self {
        let tree = Tree::new(root);
        Self {
            uptime_s: tree.text("proc/uptime").and_then(|text| seconds(&text)),
            cpus: tree.text("proc/stat").map(|text| cpu_times(&text)).unwrap_or_default(),
            load: LoadAverages::read(tree),
            on_battery: on_battery(tree),
            processes: Processes::read(tree),
        }
    }
}

impl CpuTimes {
    /// All ticks together.
    pub fn total(self) -> u64 {
        self.busy().saturating_add(self.idle).saturating_add(self.steal)
    }

    /// Ticks in which something ran.
    pub fn busy(self) -> u64 {
        self.user.saturating_add(self.system)
    }

    /// The difference since `before`; a counter that went back, as some do by a tick, counts as unchanged.
    pub fn since(self, before: Self) -> Self {
        Self {
            user: self.user.saturating_sub(before.user),
            system: self.system.saturating_sub(before.system),
            idle: self.idle.saturating_sub(before.idle),
            steal: self.steal.saturating_sub(before.steal),
        }
    }
}

fn seconds(uptime: &str) -> Option<f64> {
    let seconds: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then_some(seconds)
}

fn cpu_times(stat: &str) -> BTreeMap<u32, CpuTimes> {
    stat.lines().filter_map(one_cpu).collect()
}

/// Reads `cpuN user nice system idle iowait irq softirq steal …`; the line `cpu` is the sum of the others.
fn one_cpu(line: &str) -> Option<(u32, CpuTimes)> {
    let mut words = line.split_whitespace();
    let cpu = words.next()?.strip_prefix("cpu")?.parse().ok()?;
    let ticks: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
    let &[user, nice, system, idle, iowait, irq, softirq, steal, ..] = ticks.as_slice() else { return None };
    let times = CpuTimes {
        user: user.saturating_add(nice),
        system: system.saturating_add(irq).saturating_add(softirq),
        idle: idle.saturating_add(iowait),
        steal,
    };
    Some((cpu, times))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_cpu_is_read_and_their_sum_is_not() {
        let times = cpu_times("cpu  9 9 9 9 9 9 9 9 9 9\ncpu3 1 2 4 8 16 32 64 128 0 0\ncpu4 1 2\nintr 5\n");
        assert_eq!(times, BTreeMap::from([(3, CpuTimes { user: 3, system: 100, idle: 24, steal: 128 })]));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".*", statlike in "cpu[0-9]{1,3}( [0-9]{1,21}){0,11}") {
            for times in [cpu_times(&text), cpu_times(&statlike)] {
                let _ = times.values().map(|times| times.total()).max();
            }
            let _ = seconds(&text);
        }
    }
}
