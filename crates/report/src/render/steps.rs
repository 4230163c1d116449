//! The steps of short connections, as text.

use tlslab_estimate::digits::written;
use tlslab_estimate::{Metric, Outcome, Report};
use tlslab_protocol::Side;
use tlslab_text::clean;
use tlslab_text::number::figure;

use super::exact_figure::cell;
use super::shares::Row;

/// The heading.
pub(crate) const TITLE: &str = "Steps of a short connection";

/// The note below the figures.
pub(crate) const NOTE: &str = "Times are in µs per connection, counts are instructions per connection. The steps \
     of a side add up to its whole connection; each time is an estimate of its own.";

/// The steps whose instructions are counted, in the order of a connection.
const COUNTED: [&str; 7] = ["create", "handshake", "post_handshake", "send", "receive", "close", "free"];

/// The scenarios that are short connections, with their rows: a row of times, a row of instructions, or both.
pub(crate) fn lines(report: &Report) -> Vec<(String, Vec<Row>)> {
    let short = report.scenarios.iter().filter(|scenario| scenario.resolved.work.closes());
    let of = |scenario: &str| {
        let row = |stack: &str, words: &dyn Fn(Side) -> Option<String>| {
            let sides = Side::BOTH.map(words);
            let is_known = sides.iter().any(Option::is_some);
            let sides = sides.map(|side| side.unwrap_or_else(|| "–".to_owned()));
            is_known.then(|| Row { stack: clean(stack), sides })
        };
        let both = report.participants().flat_map(|stack| {
            let name = stack.name.as_str();
            let times = row(name, &|side| times(report, scenario, name, side));
            [times, row(name, &|side| counts(report, scenario, name, side))]
        });
        both.flatten().collect::<Vec<_>>()
    };
    let lines = short.map(|scenario| (clean(scenario.name()), of(scenario.name())));
    lines.filter(|(_, rows)| !rows.is_empty()).collect()
}

fn times(report: &Report, scenario: &str, stack: &str, side: Side) -> Option<String> {
    let step = |metric: Metric| {
        let Outcome::Measured(measured) = &report.cell(scenario, stack, side, metric)?.outcome else {
            return None;
        };
        Some(format!("{} {}", said(metric.name(), "time."), written(&measured.estimated)))
    };
    joined(Metric::PHASES.into_iter().filter_map(step))
}

fn counts(report: &Report, scenario: &str, stack: &str, side: Side) -> Option<String> {
    let step = |step: &str| {
        let metric = format!("count.instructions.{step}");
        let value = cell(report, scenario, stack, side, &metric)?.outcome.value()?;
        Some(format!("{} {}", said(step, ""), figure(value)))
    };
    joined(COUNTED.into_iter().filter_map(step)).map(|steps| format!("instructions: {steps}"))
}

fn said(metric: &str, prefix: &str) -> String {
    metric.trim_start_matches(prefix).replace('_', "-")
}

fn joined(steps: impl Iterator<Item = String>) -> Option<String> {
    let steps: Vec<String> = steps.collect();
    (!steps.is_empty()).then(|| steps.join(", "))
}
