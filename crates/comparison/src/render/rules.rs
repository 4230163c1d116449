//! Sentences on the rule that decides which changes are significant.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_text::number::{counted, measured_percent};

use crate::compared::Compared;
use crate::model::{Comparison, Effect, Tracked};
use crate::verdict::Verdict;

/// Runner classes that a line names.
const MOST_CLASSES: usize = 8;

/// Which cells have their own threshold, and the points of their histories by runner class; empty if no cell
/// has a history.
pub(super) fn thresholds(comparison: &Comparison) -> Vec<String> {
    let effects: Vec<(Compared, &Effect)> =
        comparison.changes.iter().filter_map(|change| Some((change.metric, change.effect()?))).collect();
    let mut lines: Vec<String> = own(&effects).into_iter().collect();
    let metrics: BTreeSet<Compared> = effects.iter().map(|(metric, _)| *metric).collect();
    lines.extend(metrics.into_iter().filter_map(|metric| points(metric, &effects)));
    lines
}

fn own(effects: &[(Compared, &Effect)]) -> Option<String> {
    if effects.iter().all(|(_, effect)| effect.points.is_empty() && effect.tracked.is_none()) {
        return None;
    }
    let own: Vec<Tracked> = effects.iter().filter_map(|(_, effect)| effect.tracked).collect();
    let rule = "A change is significant if it exceeds the cell's own threshold and the policy's floor";
    let thresholds = || own.iter().map(|tracked| tracked.threshold);
    let (Some(smallest), Some(largest)) = (thresholds().reduce(f64::min), thresholds().reduce(f64::max))
    else {
        return Some(format!(
            "{rule}. No cell has its own threshold: that takes 10 comparable points of history."
        ));
    };
    let others = match effects.len() - own.len() {
        0 => String::new(),
        others => format!(
            " The floor alone decides for the other {others}, which have fewer than 10 comparable points."
        ),
    };
    let fewest = own.iter().map(|tracked| tracked.points).min().unwrap_or_default();
    Some(format!(
        "{rule}. {} of {} have their own threshold, {} to {}, from at least {fewest} points of history.{others}",
        own.len(),
        counted(effects.len(), "cell"),
        measured_percent(smallest.exp_m1()),
        measured_percent(largest.exp_m1()),
    ))
}

/// The points of a metric's histories, by runner class.
fn points(of: Compared, effects: &[(Compared, &Effect)]) -> Option<String> {
    let mut classes: BTreeMap<(bool, &str), (usize, usize)> = BTreeMap::new();
    let of_metric = effects.iter().filter(|(metric, _)| *metric == of);
    for known in of_metric.flat_map(|(_, effect)| &effect.points) {
        let entry = classes.entry((!known.comparable, &known.class)).or_insert((known.points, known.points));
        *entry = (entry.0.min(known.points), entry.1.max(known.points));
    }
    if classes.is_empty() {
        return None;
    }
    let shown = classes.iter().take(MOST_CLASSES).map(|((is_unused, class), (fewest, most))| {
        let points = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
        let why = match (is_unused, of) {
            (false, _) => "",
            (true, Compared::Instructions) => " (not used: counted on another processor)",
            (true, _) => " (not used: another runner class)",
        };
        format!("{points} of {class}{why}")
    });
    let shown: Vec<String> = shown.collect();
    let more = match classes.len().saturating_sub(MOST_CLASSES) {
        0 => String::new(),
        more => format!("; and {}", counted(more, "further runner class")),
    };
    Some(format!("Points of history per cell, {}: {}{more}.", of.words(), shown.join("; ")))
}

/// Where the profiles of changed counts are, if there are any. `of` says where their folder is.
pub(super) fn profiles(comparison: &Comparison, of: &str) -> Option<String> {
    let first = comparison.profiles.first()?;
    let mut scenarios: Vec<(usize, &str)> =
        comparison.profiles.iter().map(|profile| (profile.pair, profile.scenario.as_str())).collect();
    scenarios.dedup();
    let count = counted(scenarios.len(), "scenario");
    Some(format!(
        "Instructions of each function before and after, for {count} with a changed count: {of}, in the folder profiles, such as {}. \
         Unpack a pair with gunzip for callgrind_annotate or KCachegrind; comparison.html shows differences as flame graphs.",
        first.candidate
    ))
}

/// The size up to which every marked regression is accepted, percent, rounded up; none if none is marked.
pub fn acceptable_percent(comparison: &Comparison) -> Option<f64> {
    let ratio = comparison.marked(Verdict::Regression).first()?.effect()?.ratio;
    Some((1e4 * (ratio - 1.0)).ceil() / 1e2)
}

/// The command by which a maintainer acknowledges every marked regression. None if no regression is marked,
/// or if the candidates are several versions.
pub(super) fn acknowledging(comparison: &Comparison) -> Option<String> {
    let worse = comparison.marked(Verdict::Regression);
    let percent = acceptable_percent(comparison)?;
    let versions: Vec<_> = worse.iter().map(|change| &comparison.pairs[change.pair].version).collect();
    let version = versions.first().and_then(|version| version.as_ref())?;
    if versions.iter().any(|other| other.as_ref() != Some(version)) {
        return None;
    }
    let word = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    Some(format!(
        "tlslab acknowledge {} {} 'why it is accepted' --up-to {percent:.2}",
        word(&version.stack),
        word(&version.label)
    ))
}
