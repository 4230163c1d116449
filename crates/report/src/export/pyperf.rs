//! pyperf's JSON: <https://pyperf.readthedocs.io/en/latest/api.html>, which `python3 -m pyperf` shows and
//! compares.

use serde_json::{Value, json};
use tlslab_estimate::Report;

use super::figure::{Figure, figures};

/// A benchmark for each value but rates, which are inverse times. Each visit is a run of a separate process
/// with one value; a figure without visits is one run.
pub fn pyperf(report: &Report) -> String {
    let benchmarks: Vec<Value> = figures(report).iter().filter_map(benchmark).collect();
    let suite = json!({ "version": "1.0", "metadata": {}, "benchmarks": benchmarks });
    serde_json::to_string_pretty(&suite).expect("texts and numbers always serialise") + "\n"
}

fn benchmark(figure: &Figure<'_>) -> Option<Value> {
    let (unit, scale) = match figure.unit {
        "µs" => ("second", 1e-6),
        "bytes" => ("byte", 1.0),
        _ if figure.is_rate => return None,
        _ => ("integer", 1.0),
    };
    let own = [figure.value];
    let values = if figure.visits.is_empty() { &own[..] } else { &figure.visits };
    let run = |value: &f64| {
        let scaled = value * scale;
        let value = if unit == "second" { json!(scaled) } else { json!(scaled.round() as i64) };
        json!({ "values": [value] })
    };
    let name = format!("{} {}", figure.name(), figure.metric);
    let runs: Vec<Value> = values.iter().map(run).collect();
    Some(json!({ "metadata": { "name": name, "unit": unit, "loops": 1 }, "runs": runs }))
}
