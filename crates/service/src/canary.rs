//! Detects changes of a runner: with each job that measures time it times a stack that stays the same, and
//! its times are compared with the runner's earlier ones.
//!
//! A canary has *moved* if its time lies outside the prediction interval from the earlier ones, at 1 in 1,000
//! (Student's t, two-sided, on logarithms), in the median of its cells, and by at least [`LEAST_SHIFT`]. It
//! is *noisy* if the width of its intervals does. Without a change the median of several p-values is below α
//! with a probability of at most 2α (Rüger 1978), so that an unchanged runner is quarantined in at most 4 of
//! 1,000 jobs.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tlslab_lab::RunOutcome;
use tlslab_queue::{Canary, CanaryVerdict, Duty, NewCanary};
use tlslab_stats::{median, student_cdf};

/// So many earlier canaries of a cell are needed.
const FEWEST: usize = 8;
/// The number of trusted ones that are compared.
pub(crate) const MOST: u32 = 60;
/// Of so many good canaries in a row a quarantine ends.
pub(crate) const GOOD_ONES: usize = 3;
/// The level of each decision.
const LEVEL: f64 = 0.001;
/// Smaller shifts do not count, as a logarithm: 2 %.
const LEAST_SHIFT: f64 = 0.02;
/// Narrower intervals are not noisy: half a width of 1 %.
const LEAST_NOISE: f64 = 0.01;
/// Deviations are at least this: values that are equal by chance do not predict the next.
const LEAST_DEVIATION: f64 = 1e-4;

/// A canary's time in one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reading {
    /// The program, the scenario and the side: the key by which readings are comparable.
    pub cell: String,
    /// The time, in the run's unit.
    pub time: f64,
    /// Half the width of its interval over the time.
    pub noise: f64,
}

/// The verdict on a job's canary.
pub(crate) struct Judged {
    /// The canary to store.
    pub canary: NewCanary,
    /// The runner's new duty, if it changes.
    pub duty: Option<(Duty, String)>,
}

/// The readings of the process that timed a canary.
///
/// # Errors
/// Fails if the process failed, or if no cell has an interval.
pub(crate) fn readings(ending: &Value) -> Result<Vec<Reading>, String> {
    if let Some(cause) = ending.pointer("/error/cause").and_then(Value::as_str) {
        return Err(cause.to_owned());
    }
    let outcome = ending.pointer("/outcome/value").cloned().ok_or("its process has no outcome")?;
    let outcome: RunOutcome = serde_json::from_value(outcome).map_err(|cause| cause.to_string())?;
    let report = outcome.report;
    let digest = |stack: &str| {
        let found = report.stacks.iter().find(|known| known.name == stack);
        found.map(|stack| stack.driver_digest.chars().take(12).collect::<String>()).unwrap_or_default()
    };
    let mut readings = Vec::new();
    for cell in report.cells.iter().filter(|cell| cell.metric.name() == "time") {
        let Some(measured) = cell.outcome.measured() else { continue };
        let Some(interval) = measured.estimated.interval else { continue };
        let time = measured.estimated.value;
        let noise = (interval.upper - interval.lower) / (2.0 * time);
        if time.is_finite() && time > 0.0 && noise.is_finite() && noise >= 0.0 {
            let cell = format!("{} | {} | {}", digest(&cell.stack), cell.scenario, cell.side);
            readings.push(Reading { cell, time, noise });
        }
    }
    if readings.is_empty() { Err("none of its cells has an interval".to_owned()) } else { Ok(readings) }
}

/// Verdicts of canaries that serve as reference. One that moved does not, or a drift would be accepted step
/// by step.
pub(crate) const TRUSTED: [CanaryVerdict; 2] = [CanaryVerdict::Good, CanaryVerdict::Unknown];

/// Compares a canary with this runner's earlier ones: the newest trusted ones, and the newest ones, both with
/// the newest first.
pub(crate) fn judge(
    came: Result<Vec<Reading>, String>,
    (trusted, newest): (&[Canary], &[Canary]),
    quarantined_since_unix_ms: Option<u64>,
) -> Judged {
    let kept = |readings: &[Reading], verdict, cause: String| NewCanary {
        readings: serde_json::to_value(readings).unwrap_or_default(),
        verdict,
        cause,
    };
    let readings = match came {
        Ok(readings) => readings,
        Err(cause) => {
            let canary = kept(&[], CanaryVerdict::Missing, format!("its canary was not measured: {cause}"));
            return Judged { canary, duty: None };
        }
    };
    let (verdict, cause) = verdict(&readings, trusted);
    let duty = match (verdict, quarantined_since_unix_ms) {
        (CanaryVerdict::Moved | CanaryVerdict::Noisy, None) => Some((Duty::Quarantined, cause.clone())),
        (CanaryVerdict::Good, Some(since)) => {
            let before = newest.iter().take_while(|canary| canary.at_unix_ms >= since);
            let good = before.take_while(|canary| canary.is.verdict == CanaryVerdict::Good).count() + 1;
            let cause = format!("{good} canaries in a row are as they were before");
            (good >= GOOD_ONES).then_some((Duty::Works, cause))
        }
        _ => None,
    };
    Judged { canary: kept(&readings, verdict, cause), duty }
}

fn verdict(readings: &[Reading], trusted: &[Canary]) -> (CanaryVerdict, String) {
    let before: Vec<Vec<Reading>> =
        trusted.iter().filter_map(|canary| serde_json::from_value(canary.is.readings.clone()).ok()).collect();
    let (mut shifts, mut shift_ps, mut noises, mut noise_ps) = (vec![], vec![], vec![], vec![]);
    for reading in readings {
        let same: Vec<&Reading> = before
            .iter()
            .filter_map(|readings| readings.iter().find(|known| known.cell == reading.cell))
            .collect();
        if same.len() < FEWEST {
            continue;
        }
        let (shift, t) = deviation(reading.time, same.iter().map(|known| known.time));
        shifts.push(shift);
        shift_ps.push(2.0 * (1.0 - student_cdf(t.abs(), same.len() as f64 - 1.0)));
        let floor = |noise: f64| noise.max(LEAST_DEVIATION);
        let (_, t) = deviation(floor(reading.noise), same.iter().map(|known| floor(known.noise)));
        noises.push(reading.noise);
        noise_ps.push(1.0 - student_cdf(t, same.len() as f64 - 1.0));
    }
    let middle = |values: &[f64]| median(values).unwrap_or(f64::NAN);
    if shifts.is_empty() {
        let cause = format!("it is compared from the {}th canary of the same program on", FEWEST + 1);
        return (CanaryVerdict::Unknown, cause);
    }
    let (shift, noise) = (middle(&shifts), middle(&noises));
    let percent = 100.0 * shift.exp_m1();
    if middle(&shift_ps) < LEVEL && shift.abs() >= LEAST_SHIFT {
        let how = if shift > 0.0 { "slower" } else { "faster" };
        return (CanaryVerdict::Moved, format!("its canary is {how} by {:.1} % than before", percent.abs()));
    }
    if middle(&noise_ps) < LEVEL && noise >= LEAST_NOISE {
        return (
            CanaryVerdict::Noisy,
            format!("the times of its canary vary more than before: ±{:.1} %", 100.0 * noise),
        );
    }
    (CanaryVerdict::Good, format!("{percent:+.1} % from before, ±{:.1} %", 100.0 * noise))
}

/// The distance of a value's logarithm from the mean of earlier ones, and that distance over the deviation of
/// the next one.
fn deviation(value: f64, earlier: impl Iterator<Item = f64>) -> (f64, f64) {
    let logs: Vec<f64> = earlier.map(f64::ln).collect();
    let n = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / n;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let away = value.ln() - mean;
    (away, away / (variance.sqrt().max(LEAST_DEVIATION) * (1.0 + 1.0 / n).sqrt()))
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn reading(cell: &str, time: f64, noise: f64) -> Reading {
        Reading { cell: cell.to_owned(), time, noise }
    }

    fn canary(readings: &[Reading], verdict: CanaryVerdict, at_unix_ms: u64) -> Canary {
        let is =
            NewCanary { readings: serde_json::to_value(readings).unwrap(), verdict, cause: String::new() };
        Canary { runner: "r".to_owned(), job: String::new(), at_unix_ms, is }
    }

    /// Canaries whose times vary by half a per cent, equally in all cells.
    fn earlier(count: u64) -> Vec<Canary> {
        let wobble = [0.0, 0.005, -0.005, 0.002, -0.003, 0.004, -0.001];
        let one = |number: u64| {
            let of = 1.0 + wobble[number as usize % wobble.len()];
            let readings = [reading("a", 100.0 * of, 0.004 * of), reading("b", 7.0 * of, 0.005 * of)];
            canary(&readings, CanaryVerdict::Good, 1_000 + number)
        };
        (0..count).rev().map(one).collect()
    }

    fn both(times: f64, noise: f64) -> Result<Vec<Reading>, String> {
        Ok(vec![reading("a", 100.0 * times, noise), reading("b", 7.0 * times, noise)])
    }

    fn verdict_of(came: Result<Vec<Reading>, String>, earlier: &[Canary]) -> (CanaryVerdict, Option<Duty>) {
        let judged = judge(came, (earlier, earlier), None);
        (judged.canary.verdict, judged.duty.map(|(duty, _)| duty))
    }

    #[test]
    fn a_canary_that_moves_or_gets_noisy_sends_its_runner_to_quarantine() {
        use CanaryVerdict::{Good, Missing, Moved, Noisy, Unknown};
        let before = earlier(12);
        assert_eq!(verdict_of(both(1.003, 0.004), &before), (Good, None));
        assert_eq!(verdict_of(both(1.06, 0.004), &before), (Moved, Some(Duty::Quarantined)));
        assert_eq!(verdict_of(both(0.94, 0.004), &before), (Moved, Some(Duty::Quarantined)));
        assert_eq!(verdict_of(both(1.0, 0.03), &before), (Noisy, Some(Duty::Quarantined)));
        // Significant, and too small to matter.
        assert_eq!(verdict_of(both(1.019, 0.004), &before), (Good, None));
        assert_eq!(verdict_of(both(1.0, 0.009), &before), (Good, None));
        assert_eq!(verdict_of(both(1.06, 0.004), &earlier(7)), (Unknown, None));
        assert_eq!(verdict_of(Err("no compiler".to_owned()), &before), (Missing, None));
    }

    #[test]
    fn another_program_is_another_canary() {
        let came = Ok(vec![reading("c", 100.0, 0.004)]);
        assert_eq!(verdict_of(came, &earlier(20)), (CanaryVerdict::Unknown, None));
    }

    #[test]
    fn three_good_ones_in_a_row_end_a_quarantine() {
        let since = 5_000;
        let good = |at| canary(&both(1.0, 0.004).unwrap(), CanaryVerdict::Good, at);
        let moved = |at| canary(&both(1.06, 0.004).unwrap(), CanaryVerdict::Moved, at);
        let duty = |newest: Vec<Canary>| {
            let all: Vec<Canary> = newest.into_iter().chain(earlier(12)).collect();
            judge(both(1.001, 0.004), (&earlier(12), &all), Some(since)).duty.map(|(duty, _)| duty)
        };
        assert_eq!(duty(vec![good(5_001)]), None);
        assert_eq!(duty(vec![good(5_002), good(5_001)]), Some(Duty::Works));
        assert_eq!(duty(vec![good(5_003), moved(5_002), good(5_001)]), None);
        assert_eq!(duty(vec![]), None, "those from before the quarantine do not count");
    }

    /// Of runners that stay the same, at most 4 of 1,000 jobs are flagged; the bound of a binomial with as
    /// many trials is 6 of 1,000.
    #[test]
    fn a_runner_that_stays_the_same_is_rarely_suspected() {
        let mut rng = StdRng::seed_from_u64(7);
        let mut normal = move || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let (mut flagged, trials) = (0, 4_000);
        for _ in 0..trials {
            let mut one = |at: u64| {
                let common = (0.02 * normal()).exp();
                let readings = vec![
                    reading("a", 100.0 * common * (0.005 * normal()).exp(), 0.02 * (0.3 * normal()).exp()),
                    reading("b", 7.0 * common * (0.005 * normal()).exp(), 0.02 * (0.3 * normal()).exp()),
                ];
                canary(&readings, CanaryVerdict::Good, at)
            };
            let before: Vec<Canary> = (0..10).map(&mut one).collect();
            let came = serde_json::from_value(one(11).is.readings).unwrap();
            flagged += usize::from(judge(Ok(came), (&before, &before), None).duty.is_some());
        }
        assert!(flagged * 1_000 <= 6 * trials, "{flagged} of {trials}");
    }
}
