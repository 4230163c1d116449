//! Whether other work on the host disturbs timing.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::bail;
use tlslab_host::{Cause, Disturbance, Fingerprint, Readings, Warning, check};
use tlslab_lab::{ErrorKind, Problem, Reporter};

/// How long the host is observed before timing.
const LOOK: Duration = Duration::from_secs(2);
/// How long a timed part waits for other work to end.
const LONGEST_WAIT: Duration = Duration::from_secs(30 * 60);
/// The interval at which a waiting part reports that it waits.
const REPORT_EVERY: Duration = Duration::from_secs(30);

/// Waits until no other process disturbs the host.
///
/// # Errors
/// Fails if the host is still busy after half an hour.
pub(crate) fn wait(reporter: &Reporter<'_>) -> anyhow::Result<()> {
    let start = Instant::now();
    let mut reported: Option<Instant> = None;
    loop {
        let busy = look(reporter)?;
        let Some(first) = busy.first() else { return Ok(()) };
        if start.elapsed() >= LONGEST_WAIT {
            let minutes = LONGEST_WAIT.as_secs() / 60;
            bail!(Problem::new(
                ErrorKind::Unavailable,
                "this host",
                format!("it was busy for {minutes} minutes: {}", first.measured),
                format!("{}; or `tlslab reproduce --all --busy-host` measures anyway", first.advice),
            ));
        }
        if reported.is_none_or(|last| last.elapsed() >= REPORT_EVERY) {
            let left = (LONGEST_WAIT.saturating_sub(start.elapsed())).as_secs().div_ceil(60);
            reporter.note(format!("waiting up to {left} min for a quiet host: {}", first.measured));
            reported = Some(Instant::now());
        }
    }
}

/// The load of other work while the lab is idle.
fn look(reporter: &Reporter<'_>) -> anyhow::Result<Vec<Warning>> {
    let (before, start) = (readings(), Instant::now());
    while start.elapsed() < LOOK {
        reporter.check()?;
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(of_others(&before, &readings(), &Fingerprint::read(Path::new("/"))))
}

fn readings() -> Readings {
    Readings::take(Path::new("/"))
}

/// The warnings about other work. The load average is read only if the host does not show which processes are
/// busy: it contains the lab's own work of the last minutes.
fn of_others(before: &Readings, after: &Readings, fingerprint: &Fingerprint) -> Vec<Warning> {
    let knows_others = Disturbance::between(before, after).others_busy_cpus.is_some();
    let is_of_others = |warning: &Warning| match warning.what {
        Cause::BusyProcess | Cause::Steal => true,
        Cause::Load => !knows_others,
        _ => false,
    };
    check(before, after, fingerprint).into_iter().filter(is_of_others).collect()
}

/// Observes the host during timing.
pub(crate) struct Watch {
    before: Readings,
}

/// The observations.
pub(crate) struct Seen {
    /// The amount of other work.
    pub disturbance: Disturbance,
    /// The load of the last minute at the beginning.
    pub load_at_start: Option<f64>,
    /// Its disturbance, if it exceeds that of a quiet host.
    pub warning: Option<String>,
}

impl Watch {
    /// Observes from now on.
    pub(crate) fn start() -> Self {
        Self { before: readings() }
    }

    /// The observations since then.
    pub(crate) fn end(self) -> Seen {
        let (after, fingerprint) = (readings(), Fingerprint::read(Path::new("/")));
        // An average over the last minute is less precise than readings at both ends of the timing.
        let busy = of_others(&self.before, &after, &fingerprint);
        let warning = busy.into_iter().find(|warning| warning.what != Cause::Load);
        Seen {
            disturbance: Disturbance::between(&self.before, &after),
            load_at_start: self.before.load.map(|load| load.one),
            warning: warning.map(|warning| warning.measured),
        }
    }
}

/// How much of a CPU others used, to decide which of two measurements was disturbed less.
pub(crate) fn taken(others_busy_cpus: Option<f64>, steal_percent: Option<f64>) -> f64 {
    others_busy_cpus.unwrap_or(0.0) + steal_percent.unwrap_or(0.0) / 100.0
}

#[cfg(test)]
mod tests {
    use tlslab_host::{CpuTimes, LoadAverages};

    use super::*;

    fn readings(idle: u64, steal: u64, load: f64) -> Readings {
        let times = CpuTimes { user: 0, system: 0, idle, steal };
        let mut readings = Readings::default();
        readings.cpus = [(0, times)].into();
        readings.load = Some(LoadAverages { one: load, five: 0.0, fifteen: 0.0 });
        readings
    }

    #[test]
    fn stolen_time_and_a_load_of_unknown_processes_are_other_work() {
        let mut fingerprint = Fingerprint::default();
        fingerprint.topology.cores = Some(1);
        let causes = |load, steal| {
            let busy = of_others(&readings(0, 0, load), &readings(100, steal, load), &fingerprint);
            busy.iter().map(|warning| warning.what).collect::<Vec<_>>()
        };
        assert_eq!(causes(0.1, 0), []);
        assert_eq!(causes(2.0, 0), [Cause::Load]);
        assert_eq!(causes(0.1, 10), [Cause::Steal]);
    }

    /// Pages name what exceeds the limits at which a part is measured again.
    #[test]
    fn pages_have_the_limits_of_a_quiet_host() {
        let is_busy = |steal: u64| {
            let after = readings(100_000 - steal, steal, 0.0);
            !of_others(&readings(0, 0, 0.0), &after, &Fingerprint::default()).is_empty()
        };
        let at_limit = (tlslab_reproduction::MOST_STEAL_PERCENT * 1000.0) as u64;
        assert!(!is_busy(at_limit - 1) && is_busy(at_limit + 1));
    }

    #[test]
    fn busy_processes_and_stolen_time_are_added() {
        assert_eq!(taken(Some(0.5), Some(10.0)), 0.6);
        assert_eq!(taken(None, None), 0.0);
    }
}
