//! Shares, changes and names as readers like them.

use tlslab_text::number::{measured_percent, signed, signed_percent};

use crate::sheet::Row;

/// A share of a whole.
pub(super) fn share(part: f64, whole: f64) -> String {
    measured_percent(if whole == 0.0 { 0.0 } else { part / whole })
}

/// The increase of the cost; `new` if it was zero.
pub(super) fn change(before: f64, after: f64) -> String {
    if before == 0.0 { "new".to_owned() } else { signed_percent((after - before) / before) }
}

/// The change of a function.
pub(super) fn row_change(row: &Row) -> String {
    match (row.before, row.after) {
        (None, _) => "new".to_owned(),
        (_, None) => "gone".to_owned(),
        (Some(before), Some(after)) => change(before, after),
    }
}

/// A function with its source, if known.
pub(super) fn place(row: &Row) -> String {
    let name = short(&row.function);
    if row.source.is_empty() { name } else { format!("{name} ({})", row.source) }
}

/// The part of a change that is in callees, if any.
pub(super) fn called(row: &Row) -> String {
    row.called.map(|called| format!(", {} in callees", signed(called))).unwrap_or_default()
}

/// A name that fits on a line; those of generic functions can have thousands of letters.
pub(super) fn short(name: &str) -> String {
    tlslab_text::shortened(name, 120)
}
