//! Scenarios that were measured in one visit, as text: how much more or less time one takes than another.

use tlslab_estimate::{Report, ScenarioRatio};
use tlslab_text::number::significant;
use tlslab_text::{clean, csv_field};

use super::words::Relative;

/// The heading.
pub const TITLE: &str = "Scenarios measured together";

/// What stands below the figures.
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
    /// Whose time: `client`, `server`, or `both` by the wall.
    pub side: &'static str,
    /// The ratio with its interval in words, or why there is none.
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
        let reason = one.no_ratio.as_deref().unwrap_or("it is not known why");
        return format!("no ratio: {}", clean(reason));
    };
    let relative = Relative::of(ratio);
    match relative.range_with_unit() {
        range if range.is_empty() => format!("{} time", relative.amount),
        range => format!("{} time, {range}", relative.amount),
    }
}

/// What one ratio says: which scenario is faster, or that no difference was seen and which one would have
/// been.
pub fn verdict(one: &ScenarioRatio) -> String {
    let (scenario, over) = (clean(&one.scenario), clean(&one.over));
    let Some(ratio) = &one.ratio else { return words(one) };
    let Some(interval) = ratio.interval else {
        let why = ratio.no_interval.as_deref().map(clean).unwrap_or_default();
        return format!("{scenario} {}; no interval: {why}", Relative::of(ratio).sentence(&over));
    };
    if interval.lower <= 1.0 && interval.upper >= 1.0 {
        let seen = (interval.upper / interval.lower).sqrt() - 1.0;
        let seen = significant(100.0 * seen, 2);
        return format!("no difference seen; one of more than {seen} % would have been");
    }
    let relative = Relative::of(ratio);
    let faster = if ratio.value < 1.0 { "faster" } else { "slower" };
    let range = relative.range_with_unit();
    let confidence = significant(100.0 * interval.confidence, 3);
    format!("{scenario} is {faster}: it {}, {range} ({confidence} % interval)", relative.sentence(&over))
}

const HEADER: [&str; 10] =
    ["stack", "scenario", "over", "side", "metric", "n", "ratio", "lower", "upper", "confidence"];

/// One row per ratio, as RFC 4180 has it, with the reason where there is none; `None` where nothing was
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

#[cfg(test)]
mod tests {
    use tlslab_estimate::{Estimated, Interval, Metric, Whose};

    use super::*;

    fn ratio(value: f64, interval: Option<(f64, f64)>) -> ScenarioRatio {
        let interval = interval.map(|(lower, upper)| Interval { lower, upper, confidence: 0.99 });
        ScenarioRatio {
            stack: "s".to_owned(),
            scenario: "new".to_owned(),
            over: "old".to_owned(),
            side: Whose::Client,
            metric: Metric::Time,
            ratio: Some(Estimated { n: 9, value, interval, no_interval: None }),
            no_ratio: None,
        }
    }

    #[test]
    fn a_ratio_is_said_as_faster_slower_or_not_seen_to_differ() {
        let faster = verdict(&ratio(0.9, Some((0.89, 0.91))));
        assert_eq!(faster, "new is faster: it takes 10.0 % less time than old, ± 1.0 % (99.0 % interval)");
        let slower = verdict(&ratio(1.1, Some((1.09, 1.11))));
        assert_eq!(slower, "new is slower: it takes 10.0 % more time than old, ± 1.0 % (99.0 % interval)");
        let unseen = verdict(&ratio(1.0, Some((0.998, 1.002))));
        assert_eq!(unseen, "no difference seen; one of more than 0.20 % would have been");
        assert!(verdict(&ratio(1.1, None)).contains("no interval"));
        let none = ScenarioRatio { ratio: None, no_ratio: Some("b failed".to_owned()), ..ratio(1.0, None) };
        assert_eq!(verdict(&none), "no ratio: b failed");
    }
}
