//! OpenMetrics text: <https://prometheus.io/docs/specs/om/open_metrics_spec/>.

use std::collections::BTreeMap;
use std::fmt::Write;

use tlslab_estimate::Report;

use super::figure::{Figure, figures, is_bytes};

/// A gauge for each metric, with labels for stack, scenario and side; seconds and bytes are its base units.
pub fn openmetrics(report: &Report) -> String {
    let mut families: BTreeMap<String, (Option<&str>, Vec<String>)> = BTreeMap::new();
    for figure in figures(report) {
        let (unit, scale) = match figure.unit {
            "µs" => (Some("seconds"), 1e-6),
            "MB/s" => (Some("bytes_per_second"), 1e6),
            "handshakes/s" | "operations/s" => (Some("per_second"), 1.0),
            unit if is_bytes(unit) => (Some("bytes"), 1.0),
            _ => (None, 1.0),
        };
        let mut name =
            format!("tlslab_{}", figure.metric.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_"));
        if let Some(unit) = unit {
            name = format!("{name}_{unit}");
        }
        let sample = format!("{name}{} {}", labels(&figure), figure.value * scale);
        families.entry(name).or_insert((unit, Vec::new())).1.push(sample);
    }
    let mut text = String::new();
    for (name, (unit, samples)) in families {
        writeln!(text, "# TYPE {name} gauge").expect("writing to a string cannot fail");
        if let Some(unit) = unit {
            writeln!(text, "# UNIT {name} {unit}").expect("writing to a string cannot fail");
        }
        for sample in samples {
            writeln!(text, "{sample}").expect("writing to a string cannot fail");
        }
    }
    text + "# EOF\n"
}

fn labels(figure: &Figure<'_>) -> String {
    let label = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        format!("{name}=\"{value}\"")
    };
    format!(
        "{{{},{},{}}}",
        label("stack", figure.stack),
        label("scenario", figure.scenario),
        label("side", figure.side)
    )
}
