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
                reports.iter().any(|report| is_timed(report) && report.run.placement.is_fixed())
                    || comparisons.iter().any(|of| compares_times(of) && of.design.placement.is_fixed())
            }
            Lack::BetweenRuns => {
                reports.iter().any(|report| is_timed(report) && report.run.between_runs == Between::default())
            }
            Lack::TodaysRule => {
                let is_estimated = reports.iter().any(|report| is_timed(report)) || !comparisons.is_empty();
                is_estimated && measured.rule != Some(RULE_VERSION)
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
