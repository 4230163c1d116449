//! Figures of cold caches, as text.

use tlslab_estimate::digits::written;
use tlslab_estimate::{Cell, Metric, Outcome, Report, Whose};
use tlslab_text::clean;
use tlslab_text::number::significant;

use super::shares::Row;

/// The heading.
pub const TITLE: &str = "After a context switch";

/// The scenarios with their rows; empty if the run has no such figures.
pub fn lines(report: &Report) -> Vec<(String, Vec<Row>)> {
    let mut lines: Vec<(String, Vec<Row>)> = Vec::new();
    for first in report.cells.iter().filter(|cell| cell.metric == Metric::ColdFirst) {
        let scenario = clean(&first.scenario);
        let at = match lines.iter().position(|(known, _)| *known == scenario) {
            Some(at) => at,
            None => {
                lines.push((scenario, Vec::new()));
                lines.len() - 1
            }
        };
        let stack = clean(&first.stack);
        let rows = &mut lines[at].1;
        let place = match rows.iter().position(|row| row.stack == stack) {
            Some(place) => place,
            None => {
                rows.push(Row { stack, sides: ["–".to_owned(), "–".to_owned()] });
                rows.len() - 1
            }
        };
        let side = if first.side == Whose::Client { 0 } else { 1 };
        rows[place].sides[side] = words(report, first);
    }
    lines
}

/// The note below the figures.
pub fn note(report: &Report) -> String {
    let what = report.run.evicted_by.as_deref().unwrap_or("another program");
    format!(
        "First: one iteration right after {} has used the processor. Per switch: the extra time of the turn over the \
         same number of iterations later in it. No other figure of the report contains them.",
        clean(what)
    )
}

fn words(report: &Report, first: &Cell) -> String {
    let measured = match &first.outcome {
        Outcome::Measured(measured) => measured,
        hole => {
            return hole
                .hole()
                .map_or_else(String::new, |(kind, reason)| format!("{kind}: {}", clean(reason)));
        }
    };
    let of = |metric| {
        let cell = report.cell(&first.scenario, &first.stack, first.side, metric)?;
        cell.outcome.measured().map(|measured| &measured.estimated)
    };
    let mut text = format!("first {} µs", written(&measured.estimated));
    if let Some(steady) = of(Metric::Time).filter(|steady| steady.value > 0.0) {
        text.push_str(&format!(
            " ({} times steady)",
            significant(measured.estimated.value / steady.value, 3)
        ));
    }
    if let Some(switch) = of(Metric::ColdSwitch) {
        text.push_str(&format!(", per switch {} µs", written(switch)));
    }
    text
}
