//! An exact cell of a report, and its value as text.

use tlslab_estimate::{ExactCell, ExactUnit, ExactValue, Report};
use tlslab_protocol::Side;
use tlslab_text::number::{rounded, significant, whole};

use super::words::Relative;

/// Stands at a figure that may not be of the code that runs.
pub(crate) const MARK: &str = "†";

/// A cell's value, with its range or ratio.
pub(crate) fn figure(cell: &ExactCell) -> Option<String> {
    let tlslab_estimate::ExactOutcome::Measured(value) = &cell.outcome else { return None };
    let ExactValue { value, minimum, maximum, .. } = *value;
    let written = |value: f64| match cell.unit {
        ExactUnit::Percent => format!("{} %", significant(value, 4)),
        // A mean over iterations.
        ExactUnit::Instructions | ExactUnit::Accesses | ExactUnit::Operations | ExactUnit::Misses
            if value.fract() != 0.0 =>
        {
            rounded(value, 2)
        }
        _ => whole(value.round()),
    };
    let (value, smallest, largest) = (written(value), written(minimum), written(maximum));
    let mut text = if smallest == largest { value } else { format!("{value} ({smallest} to {largest})") };
    if let Some(ratio) = &cell.ratio {
        let is_same = (ratio.value - 1.0).abs() < f64::EPSILON;
        let words = if is_same { "the same".to_owned() } else { Relative::exact(ratio.value).bare() };
        text.push_str(&format!(", {words}"));
    }
    if cell.fidelity.is_some() {
        text.push_str(MARK);
    }
    Some(text)
}

/// The cell of a metric of one side, if the report has it.
pub(crate) fn cell<'r>(
    report: &'r Report,
    scenario: &str,
    stack: &str,
    side: Side,
    metric: &str,
) -> Option<&'r ExactCell> {
    report.exact.iter().find(|cell| {
        cell.scenario == scenario && cell.stack == stack && cell.side == side && cell.metric == metric
    })
}
