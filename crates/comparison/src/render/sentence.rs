//! What changed, in one sentence.

use crate::model::{Change, Comparison, Verdict};

use super::words::{cell, change, metric, share};

/// The sentence that every rendering begins with.
pub fn sentence(comparison: &Comparison) -> String {
    let flagged = comparison.flagged();
    let of = |verdict| -> Vec<&&Change> {
        flagged.iter().filter(|change| change.verdict() == Some(verdict)).collect()
    };
    let (worse, better) = (of(Verdict::Regression), of(Verdict::Improvement));
    let compared = comparison.changes.iter().filter(|change| change.effect().is_some()).count();
    let names = match &comparison.pairs[..] {
        [pair] => format!("{} against {}", pair.new, pair.base),
        pairs => format!("{} pairs", pairs.len()),
    };
    let mut parts = Vec::new();
    if let Some(most) = worse.first() {
        parts.push(format!("{} got worse, most of all {}", cells(worse.len()), describe(comparison, most)));
    }
    if let Some(most) = better.first() {
        parts.push(format!("{} got better, most of all {}", cells(better.len()), describe(comparison, most)));
    }
    if parts.is_empty() {
        parts.push(nothing(comparison, compared));
    }
    let unsure = comparison.count(Verdict::CannotTell);
    if unsure > 0 && unsure < compared {
        parts.push(format!("of {} it cannot tell", cells(unsure)));
    }
    let missing = comparison.missing().count();
    if missing > 0 {
        parts.push(format!("{} could not be compared", cells(missing)));
    }
    let state = if comparison.complete { "" } else { " (not complete)" };
    format!("{names}{state}: {}.", parts.join("; "))
}

fn nothing(comparison: &Comparison, compared: usize) -> String {
    if compared == 0 {
        return "nothing could be compared".to_owned();
    }
    if comparison.count(Verdict::Identical) == compared {
        return "the same code, nothing can have changed".to_owned();
    }
    if comparison.count(Verdict::CannotTell) == compared {
        return format!("of none of {} it can tell whether it changed", cells(compared));
    }
    let detectable = comparison.changes.iter().filter_map(|change| {
        let effect = change.effect().filter(|effect| effect.verdict == Verdict::NoChange)?;
        effect.detectable
    });
    let most = detectable.fold(0.0, f64::max);
    let changed = match comparison.count(Verdict::Changed) {
        0 => String::new(),
        count => format!(", {} by a negligible amount", cells(count)),
    };
    format!(
        "nothing changed{changed} ({} compared, changes above {} would have been seen)",
        cells(compared),
        share(most)
    )
}

fn describe(comparison: &Comparison, most: &Change) -> String {
    let ratio = most.effect().map_or(1.0, |effect| effect.ratio);
    format!("{} ({}) by {}", cell(comparison, most), metric(most.metric), change(ratio))
}

fn cells(count: usize) -> String {
    if count == 1 { "1 cell".to_owned() } else { format!("{count} cells") }
}
