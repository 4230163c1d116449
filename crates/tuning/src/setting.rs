//! The settings that the lab changes: their files, and the values that they can have.

use std::fmt;

use crate::cpus::{CPUS, Cpus};
use crate::topic::Topic;
use crate::units::{Slice, Unit};
use crate::value::{Mask, bracketed, cpu_list_text, cpu_set, is_integer, is_name};

/// One value that can be read and written. Settings are changed in the order of the variants: daemons that
/// would revert changes are stopped first, and CPUs go offline last, because that affects other settings'
/// values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    /// Whether a unit runs.
    Unit(Unit),
    /// The CPUs of a slice.
    Slice(Slice),
    /// The frequency governor of a policy, which is one CPU or several.
    Governor(u32),
    /// Turbo of Intel processors; 1 turns it off.
    NoTurbo,
    /// Turbo of other processors; 0 turns it off.
    Boost,
    /// The clock source of the kernel.
    Clocksource,
    /// Transparent huge pages.
    HugePages,
    /// The kernel's readiness to swap memory out.
    Swappiness,
    /// Whether pages migrate to the NUMA node that uses them.
    NumaBalancing,
    /// Whether timers migrate from idle CPUs to busy ones.
    TimerMigration,
    /// The watchdog for CPUs that do not handle interrupts.
    NmiWatchdog,
    /// The watchdog for CPUs that do not schedule.
    SoftWatchdog,
    /// The switch for both watchdogs.
    Watchdog,
    /// The CPUs of unbound kernel work.
    WorkqueueCpus,
    /// The CPUs of interrupts that are set up later.
    DefaultIrqCpus,
    /// The CPUs for an interrupt.
    IrqCpus(u32),
    /// Whether a CPU is online.
    CpuOnline(u32),
}

impl Setting {
    /// Its group.
    pub fn topic(self) -> Topic {
        match self {
            Self::Unit(_) => Topic::Units,
            Self::Slice(_) => Topic::Slices,
            Self::Governor(_) => Topic::Governor,
            Self::NoTurbo | Self::Boost => Topic::Turbo,
            Self::Clocksource => Topic::Clocksource,
            Self::HugePages => Topic::HugePages,
            Self::Swappiness => Topic::Swap,
            Self::NumaBalancing => Topic::NumaBalancing,
            Self::TimerMigration => Topic::TimerMigration,
            Self::NmiWatchdog | Self::SoftWatchdog | Self::Watchdog => Topic::Watchdogs,
            Self::WorkqueueCpus => Topic::Workqueues,
            Self::DefaultIrqCpus | Self::IrqCpus(_) => Topic::Interrupts,
            Self::CpuOnline(_) => Topic::Siblings,
        }
    }

    /// Its file, relative to the machine's root; `None` for settings of systemd.
    pub fn file(self) -> Option<String> {
        Some(match self {
            Self::Unit(_) | Self::Slice(_) => return None,
            Self::Governor(policy) => format!("{CPUS}/cpufreq/policy{policy}/scaling_governor"),
            Self::NoTurbo => format!("{CPUS}/intel_pstate/no_turbo"),
            Self::Boost => format!("{CPUS}/cpufreq/boost"),
            Self::Clocksource => format!("{CLOCKS}/current_clocksource"),
            Self::HugePages => "sys/kernel/mm/transparent_hugepage/enabled".to_owned(),
            Self::Swappiness => "proc/sys/vm/swappiness".to_owned(),
            Self::NumaBalancing => "proc/sys/kernel/numa_balancing".to_owned(),
            Self::TimerMigration => "proc/sys/kernel/timer_migration".to_owned(),
            Self::NmiWatchdog => "proc/sys/kernel/nmi_watchdog".to_owned(),
            Self::SoftWatchdog => "proc/sys/kernel/soft_watchdog".to_owned(),
            Self::Watchdog => "proc/sys/kernel/watchdog".to_owned(),
            Self::WorkqueueCpus => "sys/devices/virtual/workqueue/cpumask".to_owned(),
            Self::DefaultIrqCpus => "proc/irq/default_smp_affinity".to_owned(),
            Self::IrqCpus(irq) => format!("proc/irq/{irq}/smp_affinity_list"),
            Self::CpuOnline(cpu) => format!("{CPUS}/cpu{cpu}/online"),
        })
    }

    /// The setting with a name as [`Display`](fmt::Display) prints it; `None` for other names.
    pub fn named(name: &str) -> Option<Self> {
        let found = match name.split_once(' ') {
            Some(("unit", unit)) => Self::Unit(Unit::named(unit)?),
            Some(("slice", slice)) => Self::Slice(Slice::named(slice)?),
            Some(("governor", policy)) => Self::Governor(number(policy)?),
            Some(("irq", irq)) => Self::IrqCpus(number(irq)?),
            Some(("cpu", cpu)) => Self::CpuOnline(number(cpu)?),
            Some(_) => return None,
            None => *SINGLE.iter().find(|setting| setting.to_string() == name)?,
        };
        Some(found)
    }

    /// Whether `text` is a possible reading. Only such values are changed, and only such values are restored.
    pub fn accepts(self, text: &str) -> bool {
        let line = text.strip_suffix('\n').unwrap_or(text);
        match self {
            Self::Unit(_) => ["active", "inactive"].contains(&text),
            Self::Slice(_) => text.is_empty() || cpu_set(text).is_some(),
            Self::Governor(_) | Self::Clocksource => is_name(line),
            Self::NoTurbo | Self::Boost | Self::CpuOnline(_) => ["0", "1"].contains(&line),
            Self::HugePages => bracketed(line).is_some_and(|choice| HUGE_PAGES.contains(&choice)),
            Self::Swappiness
            | Self::NumaBalancing
            | Self::TimerMigration
            | Self::NmiWatchdog
            | Self::SoftWatchdog
            | Self::Watchdog => is_integer(line),
            Self::WorkqueueCpus | Self::DefaultIrqCpus => Mask::parse(line).is_some(),
            Self::IrqCpus(_) => cpu_set(line).is_some(),
        }
    }

    /// The value to write for measuring if the reading is `now`; `None` if it is suitable already. `now` must
    /// be accepted.
    pub fn wanted(self, now: &str, cpus: &Cpus) -> Option<String> {
        let wanted = match self {
            Self::Unit(_) => "inactive".to_owned(),
            Self::Slice(_) => cpu_list_text(cpus.system()),
            Self::Governor(_) => "performance".to_owned(),
            Self::Clocksource => match tlslab_host::is_stable_clock(now.trim()) {
                true => return None,
                false => "tsc".to_owned(),
            },
            Self::HugePages => "never".to_owned(),
            Self::NoTurbo => "1".to_owned(),
            Self::WorkqueueCpus | Self::DefaultIrqCpus => {
                Mask::parse(now.trim())?.without(&cpus.cleared())?
            }
            Self::IrqCpus(_) => {
                let (now, cleared) = (cpu_set(now)?, cpus.cleared());
                if now.is_disjoint(&cleared) {
                    return None;
                }
                let rest = &now - &cleared;
                cpu_list_text(if rest.is_empty() { cpus.system() } else { &rest })
            }
            Self::Boost
            | Self::Swappiness
            | Self::NumaBalancing
            | Self::TimerMigration
            | Self::NmiWatchdog
            | Self::SoftWatchdog
            | Self::Watchdog
            | Self::CpuOnline(_) => "0".to_owned(),
        };
        (!self.is_at(now, &wanted)).then_some(wanted)
    }

    /// Whether the reading is `now` when `value` is set.
    pub fn is_at(self, now: &str, value: &str) -> bool {
        match self {
            Self::HugePages => bracketed(now.trim()) == Some(value),
            Self::IrqCpus(_) | Self::Slice(_) => {
                now == value || cpu_set(now).is_some_and(|cpus| Some(cpus) == cpu_set(value))
            }
            Self::WorkqueueCpus | Self::DefaultIrqCpus => {
                Mask::parse(now.trim()).is_some_and(|mask| Some(mask) == Mask::parse(value.trim()))
            }
            _ => now.trim() == value,
        }
    }

    /// The value to write so that the reading is `reading` again.
    pub fn written_for(self, reading: &str) -> &str {
        match self {
            Self::HugePages => bracketed(reading).unwrap_or_default(),
            _ => reading,
        }
    }
}

/// The setting's name in the state file and in messages.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unit(unit) => return write!(f, "unit {}", unit.name()),
            Self::Slice(slice) => return write!(f, "slice {}", slice.name()),
            Self::Governor(policy) => return write!(f, "governor {policy}"),
            Self::IrqCpus(irq) => return write!(f, "irq {irq}"),
            Self::CpuOnline(cpu) => return write!(f, "cpu {cpu}"),
            Self::NoTurbo => "no_turbo",
            Self::Boost => "boost",
            Self::Clocksource => "clocksource",
            Self::HugePages => "transparent_hugepage",
            Self::Swappiness => "swappiness",
            Self::NumaBalancing => "numa_balancing",
            Self::TimerMigration => "timer_migration",
            Self::NmiWatchdog => "nmi_watchdog",
            Self::SoftWatchdog => "soft_watchdog",
            Self::Watchdog => "watchdog",
            Self::WorkqueueCpus => "workqueue_cpumask",
            Self::DefaultIrqCpus => "default_smp_affinity",
        })
    }
}

/// Settings that exist once per machine.
pub(crate) const SINGLE: [Setting; 12] = [
    Setting::NoTurbo,
    Setting::Boost,
    Setting::Clocksource,
    Setting::HugePages,
    Setting::Swappiness,
    Setting::NumaBalancing,
    Setting::TimerMigration,
    Setting::NmiWatchdog,
    Setting::SoftWatchdog,
    Setting::Watchdog,
    Setting::WorkqueueCpus,
    Setting::DefaultIrqCpus,
];
pub(crate) const CLOCKS: &str = "sys/devices/system/clocksource/clocksource0";
const HUGE_PAGES: [&str; 3] = ["always", "madvise", "never"];
/// More than the number of CPUs or interrupts of any machine.
const HIGHEST_NUMBER: u32 = 99_999;

/// A number as the kernel writes it in a file's name: no sign, no leading zeros.
pub(crate) fn number(text: &str) -> Option<u32> {
    let number: u32 = text.parse().ok()?;
    (number <= HIGHEST_NUMBER && number.to_string() == text).then_some(number)
}
