//! Which release of a stack to skip and which to move to, in one sentence.

use std::collections::BTreeSet;

use tlslab_history::advice::{Advice, Excess, Lasting, MoveTo, ReleaseValue};
use tlslab_protocol::CipherSuite;
use tlslab_record::Series;
use tlslab_text::number::{change, counted, figure, percent};

use super::words::metric_words;

/// How many metrics the sentence names, each by its worst series.
const METRICS: usize = 2;

/// `openssl: skip 3.0.20: …. Move to 4.0.3, the newest: …`, without the full stop at its end.
#[must_use]
pub fn sentence(advice: &Advice) -> String {
    let stack = &advice.stack;
    match &advice.releases[..] {
        [] => return format!("{stack}: no release has a value"),
        [only] => return format!("{stack}: one release has values, {only}; nothing to compare"),
        _ => {}
    }
    let Some(move_to) = &advice.move_to else {
        let releases = counted(advice.releases.len(), "release");
        return format!("{stack}: no two of {releases} can be compared");
    };
    let clauses: Vec<&Excess> = worst_by_metric(advice);
    let first = match clauses.is_empty() {
        true => nothing(advice),
        false => skip(advice, &clauses),
    };
    format!("{stack}: {first}. {}", move_words(advice, move_to, &clauses))
}

/// Of each metric the worst series of any release to skip, the largest excess first.
fn worst_by_metric(advice: &Advice) -> Vec<&Excess> {
    let mut all: Vec<&Excess> = advice.skip.iter().flat_map(|one| &one.because).collect();
    all.sort_by(|one, other| one.order(other));
    let mut seen = BTreeSet::new();
    all.retain(|one| seen.insert(one.series.metric.as_str()));
    all.truncate(METRICS);
    all
}

fn skip(advice: &Advice, clauses: &[&Excess]) -> String {
    let labels: Vec<&str> = advice.skip.iter().map(|one| one.label.as_str()).collect();
    let is_one = labels.len() == 1;
    let clauses: Vec<String> = clauses.iter().map(|one| clause(advice, one, !is_one)).collect();
    format!("skip {}: {}", ranges(&advice.releases, &labels), clauses.join("; "))
}

/// `3.0.8 to 3.3.2 (5 releases)`, several runs of neighbours with commas.
fn ranges(releases: &[String], labels: &[&str]) -> String {
    let places = labels.iter().filter_map(|label| releases.iter().position(|one| one == label));
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for place in places {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == place => *last = place,
            _ => runs.push((place, place)),
        }
    }
    let run = |(first, last): (usize, usize)| match last - first {
        0 => releases[first].clone(),
        1 => format!("{} and {}", releases[first], releases[last]),
        more => {
            format!("{} to {} ({})", releases[first], releases[last], counted(more + 1, "release"))
        }
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(", ")
}

/// `instructions of a client, full handshake (…): +116 % in 3.0.20 (…), back within 5 % by 3.2.1 (…)`.
fn clause(advice: &Advice, excess: &Excess, is_named: bool) -> String {
    let Excess { before, here, .. } = excess;
    let place = if is_named { format!(" in {}", here.label) } else { String::new() };
    format!(
        "{} {}{place} ({} in {} → {}){}, {}",
        series_words(&excess.series),
        ratio(before, here),
        figure(before.value),
        before.label,
        value(here, &excess.series),
        driver(excess),
        back(advice, excess)
    )
}

fn driver(excess: &Excess) -> &'static str {
    if excess.is_other_driver { ", with another driver" } else { "" }
}

fn back(advice: &Advice, excess: &Excess) -> String {
    match (&excess.back, &excess.later) {
        (Some(back), _) => {
            let limit = percent(advice.limits.back);
            format!("back within {limit} by {} ({})", back.label, figure(back.value))
        }
        (None, Some(later)) if excess.is_better(later, &advice.limits) => {
            format!("back only in part by {} ({})", later.label, figure(later.value))
        }
        (None, Some(_)) => "never back".to_owned(),
        (None, None) => "and no later release shows whether that lasts".to_owned(),
    }
}

fn nothing(advice: &Advice) -> String {
    let limit = percent(advice.limits.worse);
    let none = format!("no release to skip: none is {limit} worse than both an earlier and a later one");
    let passed_over = advice.move_to.iter().flat_map(|one| &one.passed_over);
    let is_named = |step: &&Excess| passed_over.clone().any(|newer| newer.here == step.here);
    match &advice.largest_step {
        Some(step) if is_named(&step) => none,
        Some(step) => format!("{none}; largest step: {}", clause(advice, step, true)),
        None => format!("{none}, and no step up is more than negligible"),
    }
}

fn move_words(advice: &Advice, move_to: &MoveTo, named: &[&Excess]) -> String {
    let MoveTo { label, near_best, series, .. } = move_to;
    let newest = if move_to.is_newest { ", the newest" } else { "" };
    let newer = move_to
        .passed_over
        .first()
        .map(|newer| format!("; {} steps up: {}", newer.here.label, clause(advice, newer, false)));
    let newer = newer.unwrap_or_default();
    let best = match &advice.best {
        Some(best) if best.label != *label && best.near_best > *near_best => {
            format!(", {} in {}", best.label, best.near_best)
        }
        _ => String::new(),
    };
    let limit = percent(advice.limits.back);
    let near = format!("within {limit} of the best release in {near_best} of {}", counted(series, "series"));
    let is_new = |one: &&Lasting| named.iter().all(|named| named.series != one.excess.series);
    let still = move_to.still.iter().find(is_new).map(|one| still(one, advice)).unwrap_or_default();
    format!("Move to {label}{newest}: {near}{best}{still}{newer}")
}

/// `; still above 3.1.4: peak heap of a client, …: 139× (120 → 16,689 bytes), by 10 % or more since 3.2.1`.
/// The release named last is the first above the limit; earlier ones may have come near it.
fn still(lasting: &Lasting, advice: &Advice) -> String {
    let Excess { before, here, series, .. } = &lasting.excess;
    format!(
        "; still above {}: {} {} ({} → {}), by {} or more since {}{}",
        before.label,
        series_words(series),
        ratio(before, here),
        figure(before.value),
        value(here, series),
        percent(advice.limits.worse),
        lasting.since,
        driver(&lasting.excess)
    )
}

fn ratio(before: &ReleaseValue, here: &ReleaseValue) -> String {
    match before.value == 0.0 {
        true => "from 0".to_owned(),
        false => change(here.value / before.value),
    }
}

/// The value with its unit, unless the metric has the unit's name.
fn value(value: &ReleaseValue, series: &Series) -> String {
    match &*series.unit {
        "instructions" | "operations" | "" => figure(value.value),
        unit => format!("{} {unit}", figure(value.value)),
    }
}

/// `instructions of a client, full handshake (TLS 1.3, rsa-2048, x25519, no verification)`.
pub(super) fn series_words(series: &Series) -> String {
    let side = match &*series.side {
        "" | "both" => String::new(),
        side => format!(" of a {side}"),
    };
    let mut parts = series.scenario.split('/');
    let family = parts.next().unwrap_or_default();
    let is_handshake = parts.clone().next_back().is_some_and(is_verification);
    let parts: Vec<String> = parts.filter_map(|part| part_words(part, family, is_handshake)).collect();
    let family = if family == "handshake" { "full handshake" } else { family };
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    format!("{}{side}, {family}{parts}:", metric_words(&series.metric))
}

fn is_verification(part: &str) -> bool {
    matches!(part, "none" | "chain" | "chain+name")
}

/// A value of an axis. The cipher suite matters little in a handshake, and a resumption verifies no chain.
fn part_words(part: &str, family: &str, is_handshake: bool) -> Option<String> {
    match part {
        "none" if family == "resumption" => None,
        "none" => Some("no verification".to_owned()),
        "chain" => Some("verified chain".to_owned()),
        "chain+name" => Some("verified chain and name".to_owned()),
        "1.2" | "1.3" => Some(format!("TLS {part}")),
        suite if is_handshake && suite.parse::<CipherSuite>().is_ok() => None,
        other => Some(other.to_owned()),
    }
}
