//! The formats of github-action-benchmark: `customSmallerIsBetter` and `customBiggerIsBetter`.

use serde_json::{Value, json};
use tlslab_estimate::Report;

use super::figure::{Figure, figures};

/// Figures that are better when smaller: times, counts, memory.
pub fn github_action_smaller(report: &Report) -> String {
    listed(report, |figure| !figure.is_rate)
}

/// Figures that are better when larger: rates.
pub fn github_action_bigger(report: &Report) -> String {
    listed(report, |figure| figure.is_rate)
}

fn listed(report: &Report, is_asked: impl Fn(&Figure<'_>) -> bool) -> String {
    let entry = |figure: Figure<'_>| {
        let mut entry = json!({
            "name": format!("{} {}", figure.name(), figure.metric),
            "unit": figure.unit,
            "value": figure.value,
        });
        if let Some((lower, upper)) = figure.bounds {
            entry["range"] = json!(format!("{lower} to {upper}"));
        }
        entry
    };
    let entries: Vec<Value> = figures(report).into_iter().filter(is_asked).map(entry).collect();
    serde_json::to_string_pretty(&entries).expect("texts and numbers always serialise") + "\n"
}
