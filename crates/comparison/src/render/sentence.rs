//! The outcome in one sentence.

use crate::model::{Change, Comparison, Verdict};

use super::words::{cell, change, metric, share};

/// The sentence that every rendering begins with.
pub fn sentence(comparison: &Comparison) -> String {
    sentence_with(comparison, str::to_owned, str::to_owned)
}

/// The same in a markup language: `text` makes text safe, `name` a stack's name.
pub(super) fn sentence_with(
    comparison: &Comparison,
    text: fn(&str) -> String,
    name: fn(&str) -> String,
) -> String {
    let names = match &comparison.pairs[..] {
        [pair] => format!("{} against {}", name(&pair.new), name(&pair.base)),
        pairs => format!("{} pairs", pairs.len()),
    };
    let state = if comparison.complete { "" } else { " (not complete)" };
    format!("{names}{state}: {}.", text(&found(comparison)))
}

/// How many cells have which verdict.
fn found(comparison: &Comparison) -> String {
    let (worse, better) = (comparison.marked(Verdict::Regression), comparison.marked(Verdict::Improvement));
    let compared = comparison.changes.iter().filter(|change| change.effect().is_some()).count();
    let mut parts = Vec::new();
    if let Some(most) = worse.first() {
        parts.push(format!("{}; largest: {}", count(worse.len(), "regression"), describe(comparison, most)));
    }
    if let Some(most) = better.first() {
        parts.push(format!(
            "{}; largest: {}",
            count(better.len(), "improvement"),
            describe(comparison, most)
        ));
    }
    let suspects = comparison.suspects();
    if let Some(most) = suspects.first() {
        let count = count(suspects.len(), "suspected change");
        parts.push(format!("{count}, not confirmed; largest: {}", describe(comparison, most)));
    }
    let acknowledged = comparison.acknowledged().len();
    if acknowledged > 0 {
        parts.push(count(acknowledged, "acknowledged regression"));
    }
    let (below, tiny) = (comparison.below_own_threshold(), comparison.tiny());
    if parts.is_empty() && below + tiny == 0 {
        parts.push(nothing(comparison, compared));
    }
    if tiny > 0 {
        let than = share(comparison.design.negligible_percent / 100.0);
        parts.push(format!("{} below {than}", count(tiny, "tiny change")));
    }
    if below > 0 {
        parts.push(format!("{} below the threshold of the cell's history", count(below, "change")));
    }
    let unsure = comparison.count(Verdict::Inconclusive);
    if unsure > 0 && unsure < compared {
        parts.push(format!("{unsure} inconclusive"));
    }
    let missing = comparison.missing().count();
    if missing > 0 {
        parts.push(format!("{} could not be compared", count(missing, "cell")));
    }
    parts.join("; ")
}

fn nothing(comparison: &Comparison, compared: usize) -> String {
    if compared == 0 {
        return "nothing could be compared".to_owned();
    }
    if comparison.count(Verdict::Identical) == compared {
        return "identical binary, so no change is possible".to_owned();
    }
    if comparison.count(Verdict::Inconclusive) == compared {
        return format!("inconclusive for all {}", count(compared, "cell"));
    }
    let detectable = comparison.changes.iter().filter_map(|change| {
        let effect = change.effect().filter(|effect| effect.verdict == Verdict::NotSignificant)?;
        effect.detectable
    });
    let most = detectable.fold(0.0, f64::max);
    let changed = match comparison.count(Verdict::Changed) {
        0 => String::new(),
        changed => format!(", {} by a negligible amount", count(changed, "cell")),
    };
    format!(
        "no significant change{changed} ({} compared; detectable effect {})",
        count(compared, "cell"),
        share(most)
    )
}

fn describe(comparison: &Comparison, most: &Change) -> String {
    let ratio = most.effect().map_or(1.0, |effect| effect.ratio);
    format!("{} ({}), {}", cell(comparison, most), metric(most.metric), change(ratio))
}

fn count(count: usize, of: &str) -> String {
    if count == 1 { format!("1 {of}") } else { format!("{count} {of}s") }
}
