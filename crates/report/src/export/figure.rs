//! One value of a report, of any metric.

use tlslab_estimate::{ExactOutcome, ExactUnit, Report, Unit};

/// A value with all that other programs can take of it.
pub(super) struct Figure<'r> {
    pub stack: &'r str,
    pub scenario: &'r str,
    pub side: &'static str,
    pub metric: String,
    pub unit: &'static str,
    pub value: f64,
    /// The interval of an estimate, or the smallest and the largest of several counts.
    pub bounds: Option<(f64, f64)>,
    pub is_rate: bool,
    /// Each visit's value, if the report has them, in the same unit.
    pub visits: Vec<f64>,
}

impl Figure<'_> {
    /// Its name as a single string.
    pub(super) fn name(&self) -> String {
        format!("{} {} {}", self.stack, self.scenario, self.side)
    }
}

/// Every value, in the report's order.
pub(super) fn figures(report: &Report) -> Vec<Figure<'_>> {
    let visits = |stack: &str, scenario: &str, side: &str| {
        let is_it = |one: &&tlslab_estimate::Distribution| {
            one.stack == stack && one.scenario == scenario && one.side.to_string() == side
        };
        let found = report.distributions.iter().find(is_it);
        found.map(|one| one.visits.iter().map(|visit| visit.value).collect()).unwrap_or_default()
    };
    let timed = report.cells.iter().filter_map(|cell| {
        let estimated = &cell.outcome.measured()?.estimated;
        let metric = cell.metric.to_string();
        let is_whole = metric == TIME && cell.unit == Unit::Microseconds;
        Some(Figure {
            stack: &cell.stack,
            scenario: &cell.scenario,
            side: cell.side.name(),
            unit: cell.unit.symbol(),
            value: estimated.value,
            bounds: estimated.interval.as_ref().map(|interval| (interval.lower, interval.upper)),
            is_rate: !matches!(cell.unit, Unit::Microseconds | Unit::Percent),
            visits: if is_whole { visits(&cell.stack, &cell.scenario, cell.side.name()) } else { vec![] },
            metric,
        })
    });
    let exact = report.exact.iter().filter_map(|cell| {
        let ExactOutcome::Measured(value) = &cell.outcome else { return None };
        Some(Figure {
            stack: &cell.stack,
            scenario: &cell.scenario,
            side: tlslab_estimate::Whose::from(cell.side).name(),
            metric: cell.metric.clone(),
            unit: cell.unit.symbol(),
            value: value.value,
            bounds: (value.n > 1).then_some((value.minimum, value.maximum)),
            is_rate: false,
            visits: vec![],
        })
    });
    timed.chain(exact).collect()
}

/// How many cells have no value, and so are in no other program's format.
pub fn holes(report: &Report) -> usize {
    let timed = report.cells.iter().filter(|cell| cell.outcome.hole().is_some()).count();
    let is_hole = |outcome: &ExactOutcome| !matches!(outcome, ExactOutcome::Measured(_));
    timed + report.exact.iter().filter(|cell| is_hole(&cell.outcome)).count()
}

/// The metric of a whole iteration's time.
pub(super) const TIME: &str = "time";

/// Whether a unit is bytes.
pub(super) fn is_bytes(unit: &str) -> bool {
    unit == ExactUnit::Bytes.symbol()
}
