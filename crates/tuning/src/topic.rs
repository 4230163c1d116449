//! Groups of settings, and the purpose of changing them.

/// A group of settings with one purpose, in the order in which a plan lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Frequency governors.
    Governor,
    /// Turbo.
    Turbo,
    /// The clock.
    Clocksource,
    /// CPUs on the same core.
    Siblings,
    /// CPUs of slices.
    Slices,
    /// Interrupts.
    Interrupts,
    /// Kernel work.
    Workqueues,
    /// Huge pages.
    HugePages,
    /// Swap.
    Swap,
    /// Memory of other nodes.
    NumaBalancing,
    /// Timers of the kernel.
    TimerMigration,
    /// Watchdogs.
    Watchdogs,
    /// Units.
    Units,
}

impl Topic {
    /// All topics, in the order of a plan.
    pub const ALL: [Self; 13] = [
        Self::Governor,
        Self::Turbo,
        Self::Clocksource,
        Self::Siblings,
        Self::Slices,
        Self::Interrupts,
        Self::Workqueues,
        Self::HugePages,
        Self::Swap,
        Self::NumaBalancing,
        Self::TimerMigration,
        Self::Watchdogs,
        Self::Units,
    ];

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Governor => "frequency governor",
            Self::Turbo => "turbo",
            Self::Clocksource => "clock source",
            Self::Siblings => "SMT siblings",
            Self::Slices => "CPUs of slices",
            Self::Interrupts => "interrupts",
            Self::Workqueues => "unbound kernel work",
            Self::HugePages => "transparent huge pages",
            Self::Swap => "swapping",
            Self::NumaBalancing => "NUMA balancing",
            Self::TimerMigration => "timer migration",
            Self::Watchdogs => "lockup watchdogs",
            Self::Units => "timers and daemons",
        }
    }

    /// The purpose of changing it.
    pub fn purpose(self) -> &'static str {
        match self {
            Self::Governor => "the clock frequency does not follow the load",
            Self::Turbo => "the clock frequency does not depend on temperature and on other cores",
            Self::Clocksource => "reading the time costs no system call",
            Self::Siblings => "no other program shares a core with a driver",
            Self::Slices => "programs of users and services leave the CPUs for measuring",
            Self::Interrupts => "devices interrupt other CPUs",
            Self::Workqueues => "the kernel's deferred work runs on other CPUs",
            Self::HugePages => "page faults and the merging of pages do not change times at random",
            Self::Swap => "memory of drivers is not swapped out",
            Self::NumaBalancing => "pages are not unmapped to find out who uses them",
            Self::TimerMigration => "timers of idle CPUs do not move to a CPU that measures",
            Self::Watchdogs => "no regular check interrupts a CPU that measures",
            Self::Units => "no periodic job begins during a measurement; they are stopped and stay enabled",
        }
    }

    /// The reason why a machine does not have such a setting.
    pub(crate) fn absent(self) -> &'static str {
        match self {
            Self::Governor | Self::Turbo => {
                "the kernel offers no control of the frequency; in a virtual machine only the hypervisor's host has it"
            }
            Self::Clocksource => "the kernel offers no choice of clocks",
            Self::Siblings => "no CPU that could go offline shares a core with a CPU for measuring",
            Self::Slices => "this needs systemd, and cgroup v2 with the controller cpuset at /sys/fs/cgroup",
            Self::Interrupts | Self::Workqueues => "the kernel does not show this",
            Self::HugePages => "the kernel has no transparent huge pages",
            Self::Swap => "the kernel has no swap space, or does not show it",
            Self::NumaBalancing => "the kernel does not balance memory between nodes",
            Self::TimerMigration => "the kernel does not move timers, or does not show it",
            Self::Watchdogs => "the kernel has no watchdogs",
            Self::Units => "systemd does not run here; look for periodic jobs of other programs",
        }
    }
}
