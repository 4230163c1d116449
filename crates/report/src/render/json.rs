//! `results.json`.

use tlslab_estimate::Report;

/// The report as pretty-printed JSON with a final line feed; [`tlslab_estimate::results_schema`] describes
/// it.
pub fn json(report: &Report) -> String {
    // Maps have string keys, and numbers that are not finite become `null`: this cannot fail.
    let mut text = serde_json::to_string_pretty(report).expect("a report serialises");
    text.push('\n');
    text
}
