//! Bencher Metric Format: <https://bencher.dev/docs/reference/bencher-metric-format/>.

use serde_json::{Map, Value, json};
use tlslab_estimate::Report;

use super::figure::{TIME, figures};

/// The report as JSON: benchmark, measure, value and bounds. Time of a whole iteration is Bencher's own
/// measure `latency`, in nanoseconds; other measures have the lab's names and units.
pub fn bencher(report: &Report) -> String {
    let mut benchmarks: Map<String, Value> = Map::new();
    for figure in figures(report) {
        let (measure, scale) =
            if figure.metric == TIME { ("latency", 1000.0) } else { (&*figure.metric, 1.0) };
        let mut value = json!({ "value": figure.value * scale });
        if let Some((lower, upper)) = figure.bounds {
            value["lower_value"] = json!(lower * scale);
            value["upper_value"] = json!(upper * scale);
        }
        let benchmark = benchmarks.entry(figure.name()).or_insert_with(|| json!({}));
        benchmark[measure] = value;
    }
    serde_json::to_string_pretty(&benchmarks).expect("texts and numbers always serialise") + "\n"
}
