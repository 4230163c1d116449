//! Figures and names as readers see them.

use tlslab_text::number::{self, change, counted, measured_percent, rough_percent};
use tlslab_text::short_stack;

use crate::compared::Compared;
use crate::model::{Change, Comparison, Effect, RoundGroups, Tracked};
use crate::significance::Rule;
use crate::verdict::Verdict;

/// Whether exactly one of the figures is zero.
pub fn has_no_ratio(effect: &Effect) -> bool {
    (effect.baseline == 0.0) != (effect.candidate == 0.0)
}

/// The change; from or to zero there is no ratio.
pub fn change_of(effect: &Effect) -> String {
    match (effect.baseline == 0.0, effect.candidate == 0.0) {
        (true, false) => "from zero".to_owned(),
        (false, true) => "to zero".to_owned(),
        _ => change(effect.ratio),
    }
}

/// The ratio with its interval.
pub(super) fn with_interval(effect: &Effect) -> String {
    match effect.interval {
        Some(interval) if !effect.exact && !has_no_ratio(effect) => {
            let [lower, at, upper] = [interval.lower, effect.ratio, interval.upper].map(change);
            // An interval narrower than the digits of its bounds is not shown.
            if lower == upper { at } else { format!("{at} [{lower}, {upper}]") }
        }
        _ if effect.exact => format!("{}, exact", change_of(effect)),
        _ => change_of(effect),
    }
}

/// A figure in a unit that fits it.
pub fn figure(value: f64, metric: Compared) -> String {
    match metric {
        Compared::Time => format!("{} µs", number::figure(value / 1000.0)),
        metric => format!("{} {}", number::figure(value), metric.unit()),
    }
}

/// Baseline and candidate in the unit that fits the baseline, written once.
pub fn figures(effect: &Effect, metric: Compared, arrow: &str) -> String {
    let (unit, scale) = match metric {
        Compared::Time => ("µs", 1e3),
        metric => (metric.unit(), 1.0),
    };
    let [baseline, candidate] =
        [effect.baseline, effect.candidate].map(|value| number::figure(value / scale));
    format!("{baseline} {arrow} {candidate} {unit}")
}

/// The cell's name, with its pair if there are several.
pub(super) fn cell(comparison: &Comparison, change: &Change) -> String {
    cell_with(comparison, change, str::to_owned, str::to_owned)
}

/// The same in a markup language: `text` escapes text, `name` a stack's name.
pub(super) fn cell_with(
    comparison: &Comparison,
    change: &Change,
    text: fn(&str) -> String,
    name: fn(&str) -> String,
) -> String {
    format!("{}{}", pair_of(comparison, change, name), text(&change.place()))
}

/// The pair of a cell, if there are several.
pub(super) fn pair_of(comparison: &Comparison, change: &Change, name: fn(&str) -> String) -> String {
    match comparison.pairs.len() > 1 {
        true => format!("{}: ", name(&short_stack(&comparison.pairs[change.pair].candidate))),
        false => String::new(),
    }
}

/// The functions that caused a change, in a few words; empty if they are unknown.
pub fn reasons(effect: &Effect, most: usize) -> String {
    let each = effect.reasons.iter().take(most);
    let words: Vec<String> =
        each.map(|reason| format!("{} {}", reason.function, number::signed(reason.change.round()))).collect();
    words.join(", ")
}

/// The verdict with its evidence and the threshold that decided whether it is significant.
pub fn verdict(comparison: &Comparison, change: &Change) -> String {
    let Some(effect) = change.effect() else { return String::new() };
    let groups = groups(effect).map(|groups| format!("; {groups}")).unwrap_or_default();
    let of_itself = without_threshold(effect) + &groups;
    if !effect.verdict.is_flagged() {
        return of_itself;
    }
    if change.metric.has_no_floor() {
        return format!("{of_itself}, as any difference is a change{}", acknowledged(effect));
    }
    let tiny = if effect.tiny { ", tiny" } else { "" };
    let side = if effect.is_significant() { "above" } else { "below" };
    let rule = match comparison.rule(change) {
        Rule::Own(Tracked { threshold, points }) => {
            format!(
                "its own threshold of {} from {}",
                measured_percent(threshold.exp_m1()),
                counted(points, "point")
            )
        }
        Rule::Floor(floor) => format!("the policy's floor of {}", measured_percent(floor)),
    };
    format!("{of_itself}{tiny}, {side} {rule}{}", acknowledged(effect))
}

/// The groups into which an effect's rounds fall, if they do.
pub fn groups(effect: &Effect) -> Option<String> {
    let RoundGroups { lower, upper, upper_share } = effect.groups?;
    Some(format!(
        "rounds fall into two groups: {} at {}, {} at {}",
        rough_percent(1.0 - upper_share),
        change(lower),
        rough_percent(upper_share),
        change(upper)
    ))
}

/// What a maintainer has acknowledged; may be empty.
fn acknowledged(effect: &Effect) -> String {
    match &effect.acknowledged {
        None => String::new(),
        Some(known) if effect.is_acknowledged() => format!("; acknowledged: {}", known.text),
        Some(known) => format!("; only {} is acknowledged: {}", change(known.up_to), known.text),
    }
}

fn without_threshold(effect: &Effect) -> String {
    let words = effect.verdict.words();
    match (&effect.note, effect.verdict) {
        (Some(note), _) => format!("{words}: {note}"),
        (None, Verdict::NotSignificant | Verdict::Inconclusive) => match effect.detectable {
            Some(detectable) => format!("{words} (detectable effect {})", measured_percent(detectable)),
            None => words.to_owned(),
        },
        (None, _) => match &effect.confirmation {
            Some(confirmation) if confirmation.agrees && has_no_ratio(effect) => {
                format!("{words}, confirmed")
            }
            Some(confirmation) if confirmation.agrees => {
                format!("{words}, confirmed (second measurement: {})", change(confirmation.ratio))
            }
            _ => words.to_owned(),
        },
    }
}
