//! What a reader must know of the rule that decides which changes are significant.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_text::number::{counted, measured_percent};

use crate::compared::Compared;
use crate::model::{Comparison, Effect, Tracked};
use crate::verdict::Verdict;

/// Kinds of machines that a line names.
const MOST_CLASSES: usize = 8;

/// Which cells have thresholds of their own, and from how many points of which kinds of machines; nothing
/// where no cell has a history.
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
    let rule = "a change is significant above its cell's own threshold, and above the policy's floor";
    let thresholds = || own.iter().map(|tracked| tracked.threshold);
    let (Some(smallest), Some(largest)) = (thresholds().reduce(f64::min), thresholds().reduce(f64::max))
    else {
        return Some(format!("{rule}: no cell has one, as that takes 10 comparable points of its history"));
    };
    let others = match effects.len() - own.len() {
        0 => String::new(),
        others => format!(
            "; the other {others} have fewer than 10 comparable points, so that the floor decides alone"
        ),
    };
    let fewest = own.iter().map(|tracked| tracked.points).min().unwrap_or_default();
    Some(format!(
        "{rule}: {} of {} have one from at least {fewest} points of their history ({} to {}){others}",
        own.len(),
        counted(effects.len(), "cell"),
        measured_percent(smallest.exp_m1()),
        measured_percent(largest.exp_m1()),
    ))
}

/// From how many points of which kinds of machines the histories of a metric are.
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
            (true, Compared::Instructions) => " (not used: the counted code did not see the same processor)",
            (true, _) => " (not used: another kind of machine)",
        };
        format!("{points} of {class}{why}")
    });
    let shown: Vec<String> = shown.collect();
    let more = match classes.len().saturating_sub(MOST_CLASSES) {
        0 => String::new(),
        more => format!("; and {} of machines", counted(more, "further kind")),
    };
    Some(format!("points in the history of each cell, {}: {}{more}", of.words(), shown.join("; ")))
}

/// Where the profiles of changed counts are; none where there are none. `of` is what the folder is part of.
pub(super) fn profiles(comparison: &Comparison, of: &str) -> Option<String> {
    let first = comparison.profiles.first()?;
    let mut scenarios: Vec<(usize, &str)> =
        comparison.profiles.iter().map(|profile| (profile.pair, profile.scenario.as_str())).collect();
    scenarios.dedup();
    let count = counted(scenarios.len(), "scenario");
    Some(format!(
        "what every function took before and after, of {count} whose count changed: {of}, in the folder profiles, such as {}; \
         gunzip a pair for callgrind_annotate or KCachegrind, and comparison.html shows their differences as flame graphs",
        first.candidate
    ))
}

/// The command by which a maintainer acknowledges every marked regression; none where nothing is marked, or
/// where the candidates are not one version.
pub(super) fn acknowledging(comparison: &Comparison) -> Option<String> {
    let worse = comparison.marked(Verdict::Regression);
    let most = worse.first()?.effect()?.ratio;
    let versions: Vec<_> = worse.iter().map(|change| &comparison.pairs[change.pair].version).collect();
    let version = versions.first().and_then(|version| version.as_ref())?;
    if versions.iter().any(|other| other.as_ref() != Some(version)) {
        return None;
    }
    // Rounded up, so that it covers what it was made of.
    let percent = (1e4 * (most - 1.0)).ceil() / 1e2;
    let word = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    Some(format!(
        "tlslab acknowledge {} {} 'why it is accepted' --up-to {percent:.2}",
        word(&version.stack),
        word(&version.label)
    ))
}
