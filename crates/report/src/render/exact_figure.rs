//! An exact value as text.

use tlslab_estimate::{ExactCell, ExactUnit, ExactValue};
use tlslab_text::number::{rounded, significant, whole};

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
        text.push_str(&format!(" = {} × baseline", significant(ratio.value, 3)));
    }
    if cell.fidelity.is_some() {
        text.push_str(MARK);
    }
    Some(text)
}
