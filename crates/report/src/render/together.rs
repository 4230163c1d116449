//! Scenarios that were measured in one visit, as text: how much more or less time one takes than another.

use tlslab_estimate::{Report, ScenarioRatio};
use tlslab_text::{clean, csv_field};

use super::words::Relative;

/// The heading.
pub const TITLE: &str = "Scenarios measured together";

/// The note below the figures.
pub const NOTE: &str = "A stack's time in one scenario divided by its time in the other, measured in turns by the same processes. \
     Relinking the library can change either time.";

/// One scenario over another one.
pub struct Lines {
    /// The scenario.
    pub scenario: String,
    /// The one that it is taken over.
    pub over: String,
    /// Each stack's sides.
    pub rows: Vec<Row>,
}

/// A side of a stack.
pub struct Row {
    /// The stack's name.
    pub stack: String,
    /// The side: `client`, `server`, or `both` for wall time.
    pub side: &'static str,
    /// The ratio with its interval in words, or the reason for its absence.
    pub words: String,
}

/// Every group's scenarios over its first, with the stacks that took part.
pub fn lines(report: &Report) -> Vec<Lines> {
    let mut lines: Vec<Lines> = Vec::new();
    let shown = report.together.iter().flat_map(|group| group.over_first());
    for one in shown.filter(|one| report.took_part(&one.stack)) {
        let (scenario, over) = (clean(&one.scenario), clean(&one.over));
        let row = Row { stack: clean(&one.stack), side: one.side.name(), words: words(one) };
        match lines.last_mut().filter(|last| last.scenario == scenario && last.over == over) {
            Some(last) => last.rows.push(row),
            None => lines.push(Lines { scenario, over, rows: vec![row] }),
        }
    }
    lines
}

/// A ratio in words, such as `1.2 % more time, ± 0.1 %`.
fn words(one: &ScenarioRatio) -> String {
    let Some(ratio) = &one.ratio else {
        let reason = one.no_ratio.as_deref().unwrap_or("the reason is unknown");
        return format!("no ratio: {}", clean(reason));
    };
    let relative = Relative::of(ratio);
    match relative.range_with_unit() {
        range if range.is_empty() => relative.of_noun("time"),
        range => format!("{}, {range}", relative.of_noun("time")),
    }
}

const HEADER: [&str; 10] =
    ["stack", "scenario", "over", "side", "metric", "n", "ratio", "lower", "upper", "confidence"];

/// One row per ratio in the form of RFC 4180, with the reason for a missing one; `None` if nothing was
/// measured together.
pub fn together_csv(report: &Report) -> Option<String> {
    if report.together.is_empty() {
        return None;
    }
    let mut text = format!("{},no_interval,no_ratio\r\n", HEADER.join(","));
    for one in report.together.iter().flat_map(|group| &group.ratios) {
        let ratio = one.ratio.as_ref();
        let bound = |of: fn(&tlslab_estimate::Interval) -> f64| {
            let interval = ratio.and_then(|ratio| ratio.interval.as_ref());
            interval.map(|interval| of(interval).to_string()).unwrap_or_default()
        };
        let fields = [
            one.stack.clone(),
            one.scenario.clone(),
            one.over.clone(),
            one.side.to_string(),
            one.metric.to_string(),
            ratio.map(|ratio| ratio.n.to_string()).unwrap_or_default(),
            ratio.map(|ratio| ratio.value.to_string()).unwrap_or_default(),
            bound(|interval| interval.lower),
            bound(|interval| interval.upper),
            bound(|interval| interval.confidence),
            ratio.and_then(|ratio| ratio.no_interval.clone()).unwrap_or_default(),
            one.no_ratio.clone().unwrap_or_default(),
        ];
        text.push_str(&fields.map(|field| csv_field(&field)).join(","));
        text.push_str("\r\n");
    }
    Some(text)
}
