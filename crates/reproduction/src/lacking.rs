//! Properties that the measurements of a document lack, compared with today's program.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tlslab_comparison::{Compared, Comparison};
use tlslab_estimate::{Between, Report};
use tlslab_protocol::Measure;
use tlslab_record::RULE_VERSION;

use crate::here::Here;
use crate::measured::Measured;
use crate::model::{Claim, Table, Trial};
use crate::standing::{Lack, Standing};

impl Standing {
    /// The properties that these measurements, tables and claims lack.
    pub(crate) fn of(measured: &Measured, tables: &[Table], claims: &[Claim], trials: &[Trial]) -> Self {
        let reports: Vec<&Report> = measured.reports.values().flatten().collect();
        let comparisons: Vec<&Comparison> = measured.comparisons.values().collect();
        let lacks = Lack::ALL.into_iter().filter(|lack| match lack {
            Lack::RandomPlacement => {
                reports.iter().any(|report| is_timed(report) && !report.run.placement.is_of_everything())
                    || comparisons
                        .iter()
                        .any(|of| compares_times(of) && !of.design.placement.is_of_everything())
            }
            Lack::BetweenRuns => {
                reports.iter().any(|report| is_timed(report) && report.run.between_runs == Between::default())
            }
            Lack::TodaysRule => {
                let is_estimated = reports.iter().any(|report| is_timed(report)) || !comparisons.is_empty();
                is_estimated && measured.rule != Some(RULE_VERSION)
            }
            Lack::QuietHost => was_busy(measured),
            Lack::CommittedLab => {
                measured.provenance.iter().flat_map(|of| &of.commits).any(|commit| commit.dirty)
            }
        });
        let figures = tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.entries);
        let figures = figures.map(|entry| &entry.here);
        let cases = claims.iter().flat_map(|claim| claim.here.iter().chain(&claim.rows));
        let cases = cases.map(|case| &case.found);
        let trials = trials.iter().flat_map(|trial| &trial.stacks).filter(|of| of.hole.is_some());
        Self {
            days: days(&reports, &comparisons),
            lacks: lacks.collect(),
            failed: figures.chain(cases).filter(|here| has_failed(here)).count() + trials.count(),
        }
    }
}

/// More CPUs than this that others keep busy disturb times.
pub const MOST_OTHERS_BUSY_CPUS: f64 = 0.1;
/// More time than this that the hypervisor takes from a CPU disturbs times, %.
pub const MOST_STEAL_PERCENT: f64 = 0.5;

/// Whether other work disturbed a part whose times were measured.
fn was_busy(measured: &Measured) -> bool {
    let is_of_times = |part: &str| {
        measured.reports.get(part).is_some_and(|runs| runs.iter().any(is_timed))
            || measured.comparisons.get(part).is_some_and(compares_times)
    };
    let exceeds = |seen: Option<f64>, most: f64| seen.is_some_and(|seen| seen > most);
    let parts = measured.provenance.iter().flat_map(|of| &of.parts);
    let mut busy = parts.filter(|part| {
        exceeds(part.others_busy_cpus, MOST_OTHERS_BUSY_CPUS)
            || exceeds(part.steal_percent, MOST_STEAL_PERCENT)
    });
    // `DOCUMENT/MEASUREMENT`, and `DOCUMENT/MEASUREMENT/2` of one that is made several times.
    busy.any(|part| {
        part.part.split_once('/').is_some_and(|(_, name)| {
            is_of_times(name) || name.rsplit_once('/').is_some_and(|(name, _)| is_of_times(name))
        })
    })
}

fn is_timed(report: &Report) -> bool {
    report.run.metrics.contains(&Measure::Time)
}

fn compares_times(comparison: &Comparison) -> bool {
    comparison.changes.iter().any(|change| change.metric == Compared::Time)
}

fn has_failed(here: &Here) -> bool {
    matches!(here, Here::Hole { hole } if hole.starts_with("failed:"))
}

/// The first and the last day.
fn days(reports: &[&Report], comparisons: &[&Comparison]) -> Option<[String; 2]> {
    let of_reports = reports.iter().filter_map(|report| report.run.started.parse::<Timestamp>().ok());
    let of_comparisons = comparisons.iter().filter_map(|comparison| {
        Timestamp::from_millisecond(i64::try_from(comparison.started_unix_ms).ok()?).ok()
    });
    let all = || of_reports.clone().chain(of_comparisons.clone());
    let day = |time: Timestamp| time.to_zoned(TimeZone::UTC).date().to_string();
    Some([day(all().min()?), day(all().max()?)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::{Commit, PartProvenance, Provenance};

    /// A comparison of times, measured with so much other work.
    fn measured(part: &str, others_busy_cpus: f64, steal_percent: f64, dirty: bool) -> Measured {
        // A comparison of counts, read as one of times.
        let text = include_str!("../../../docs/recorded/comparison.json");
        let comparison = serde_json::from_str(&text.replace("\"count.instructions\"", "\"time\"")).unwrap();
        let part = PartProvenance {
            part: part.to_owned(),
            others_busy_cpus: Some(others_busy_cpus),
            steal_percent: Some(steal_percent),
            ..PartProvenance::default()
        };
        let commits = vec![Commit { id: "a".to_owned(), dirty }];
        let provenance = Provenance { parts: vec![part], commits, share: 1.0, ..Provenance::default() };
        Measured {
            comparisons: [("change".to_owned(), comparison)].into(),
            provenance: Some(provenance),
            ..Measured::default()
        }
    }

    #[test]
    fn a_busy_host_and_a_changed_lab_are_named() {
        let lacks = |measured: &Measured, lack| Standing::of(measured, &[], &[], &[]).lacks.contains(&lack);
        let is_busy = |part, cpus, steal| lacks(&measured(part, cpus, steal, false), Lack::QuietHost);
        assert!(is_busy("it/change", 1.65, 0.0) && is_busy("it/change", 0.0, 0.6));
        assert!(!is_busy("it/change", 0.1, 0.5));
        // Counts of another part are the same on a busy host.
        assert!(!is_busy("it/counts", 1.65, 0.0));
        assert!(lacks(&measured("it/change", 0.0, 0.0, true), Lack::CommittedLab));
        assert!(!lacks(&measured("it/change", 0.0, 0.0, false), Lack::CommittedLab));
    }
}
