//! The known units and slices of systemd. A name in a file only selects one of them.

/// A unit that is stopped for measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit(usize);

/// A slice or scope whose processes leave the CPUs for measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slice(usize);

impl Unit {
    /// All units.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..UNITS.len()).map(Self)
    }

    /// The unit of this name.
    pub fn named(name: &str) -> Option<Self> {
        UNITS.iter().position(|unit| *unit == name).map(Self)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        UNITS[self.0]
    }
}

impl Slice {
    /// All slices.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SLICES.len()).map(Self)
    }

    /// The slice of this name.
    pub fn named(name: &str) -> Option<Self> {
        SLICES.iter().position(|slice| *slice == name).map(Self)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        SLICES[self.0]
    }
}

/// Daemons that would change interrupts and clocks come first, then timers. Jobs that a timer has already
/// started are not stopped: they may be in the middle of an upgrade.
const UNITS: [&str; 22] = [
    "irqbalance.service",
    "tuned.service",
    "power-profiles-daemon.service",
    "packagekit.service",
    "apt-daily.timer",
    "apt-daily-upgrade.timer",
    "dnf-automatic.timer",
    "dnf-makecache.timer",
    "dpkg-db-backup.timer",
    "e2scrub_all.timer",
    "fstrim.timer",
    "fwupd-refresh.timer",
    "logrotate.timer",
    "man-db.timer",
    "mdcheck_continue.timer",
    "mdcheck_start.timer",
    "motd-news.timer",
    "plocate-updatedb.timer",
    "snapd.snap-repair.timer",
    "sysstat-collect.timer",
    "systemd-tmpfiles-clean.timer",
    "update-notifier-download.timer",
];

const SLICES: [&str; 4] = ["init.scope", "machine.slice", "system.slice", "user.slice"];
