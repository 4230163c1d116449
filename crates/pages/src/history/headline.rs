//! Whether the newest version changed, and which version last did.

use std::collections::BTreeMap;

use tlslab_report::timeline::{Timeline, Timelines};
use tlslab_text::number::{counted, percent};

use super::options::HistoryOptions;
use super::steps::Step;

/// The answer and its evidence.
pub(super) struct Headline {
    pub(super) class: &'static str,
    pub(super) says: String,
    pub(super) evidence: String,
}

pub(super) fn headline(timelines: &Timelines, steps: &[Step], options: &HistoryOptions) -> Headline {
    let newest = newest(timelines);
    let now: Vec<&Step> = steps.iter().filter(|step| step.is_newest && step.counts()).collect();
    let series = series(timelines.timelines.len());
    let who = match &newest.iter().collect::<Vec<_>>()[..] {
        [] => "Nothing was measured".to_owned(),
        [(stack, label)] => format!("{stack} {label}"),
        several => format!("The newest versions of {} stacks", several.len()),
    };
    let (class, says) = match &largest(&now) {
        _ if newest.is_empty() => ("unchanged", who),
        None => match too_few(timelines) {
            TooFew::All(why) => ("inconclusive", format!("{who}: {why}")),
            _ => ("unchanged", format!("{who}: no step in {series}")),
        },
        Some(_) => {
            let kinds = KINDS.map(|(class, noun)| {
                let of: Vec<&Step> = now.iter().copied().filter(|step| step.class == class).collect();
                Some((class, format!("{}, at most {}", counted(of.len(), noun), largest(&of)?.change)))
            });
            let kinds: Vec<(&str, String)> = kinds.into_iter().flatten().collect();
            let class = kinds.first().map_or("unchanged", |(class, _)| *class);
            let kinds: Vec<String> = kinds.into_iter().map(|(_, text)| text).collect();
            (class, format!("{who}: {} (in {series})", kinds.join("; ")))
        }
    };
    Headline { class, says, evidence: evidence(timelines, steps, &now, &newest, options) }
}

/// The classes of steps, the most important first, with their names.
const KINDS: [(&str, &str); 4] =
    [("regression", "regression"), ("improvement", "improvement"), ("rise", "rise"), ("fall", "fall")];

/// How many series have too few points for a step.
enum TooFew {
    None,
    Some(usize),
    /// All of them, and how few.
    All(String),
}

fn too_few(timelines: &Timelines) -> TooFew {
    let all = &timelines.timelines;
    let few: Vec<&Timeline> = all.iter().filter(|timeline| timeline.too_few().is_some()).collect();
    match few.iter().max_by_key(|timeline| timeline.points.len()) {
        None => TooFew::None,
        Some(longest) if few.len() == all.len() => TooFew::All(longest.too_few().unwrap_or_default()),
        Some(_) => TooFew::Some(few.len()),
    }
}

/// Of how many points the series consist that have enough of them.
fn points(timelines: &Timelines) -> String {
    let enough = timelines.timelines.iter().filter(|timeline| timeline.too_few().is_none());
    let lengths: Vec<usize> = enough.map(|timeline| timeline.points.len()).collect();
    match (lengths.iter().min(), lengths.iter().max()) {
        (Some(least), Some(most)) if least != most => format!("{least} to {most} points"),
        (_, Some(most)) => counted(*most, "point"),
        _ => String::new(),
    }
}

/// The newest version of each stack: the last one of its longest series.
fn newest(timelines: &Timelines) -> BTreeMap<&str, &str> {
    let mut newest: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for timeline in &timelines.timelines {
        let Some(last) = timeline.points.last() else { continue };
        let known = newest.entry(&timeline.series.stack).or_insert((0, &last.label));
        if known.0 < timeline.points.len() {
            *known = (timeline.points.len(), &last.label);
        }
    }
    newest.into_iter().map(|(stack, (_, label))| (stack, label)).collect()
}

fn largest<'s>(steps: &[&'s Step]) -> Option<&'s Step> {
    steps.iter().copied().max_by(|one, other| one.size.total_cmp(&other.size))
}

fn evidence(
    timelines: &Timelines,
    steps: &[Step],
    now: &[&Step],
    newest: &BTreeMap<&str, &str>,
    options: &HistoryOptions,
) -> String {
    let mut parts = Vec::new();
    if newest.len() > 1 {
        let names: Vec<String> =
            newest.iter().take(6).map(|(stack, label)| format!("{stack} {label}")).collect();
        parts.push(format!("Newest: {}", names.join(", ")));
    }
    if let Some(most) = largest(now) {
        parts.push(format!("Largest: {} in {}, {}", most.change, most.scenario.text, most.under));
    }
    let before = steps.iter().find(|step| step.counts() && !step.is_newest);
    match before {
        Some(last) => {
            let there: Vec<&Step> = steps
                .iter()
                .filter(|step| {
                    step.counts() && step.stack == last.stack && step.label.text == last.label.text
                })
                .collect();
            let most = largest(&there).unwrap_or(last);
            let word = if now.is_empty() { "The last version that changed" } else { "Before it" };
            parts.push(format!(
                "{word} was {} {}: {} in {}, {}",
                most.stack, most.label.text, most.change, most.scenario.text, most.under
            ));
        }
        None if now.is_empty() && !newest.is_empty() => match too_few(timelines) {
            TooFew::All(_) => parts.push("Every point is in the table of values".to_owned()),
            _ => parts.push(format!("No version has changed since the first one, in {}", points(timelines))),
        },
        None => {}
    }
    if let TooFew::Some(few) = too_few(timelines) {
        let all = counted(timelines.timelines.len(), "series");
        parts.push(format!("{few} of {all} have too few points to judge a step"));
    }
    let tiny = steps.iter().filter(|step| step.class.starts_with("tiny")).count();
    if tiny > 0 {
        parts.push(format!("{} below {}", counted(tiny, "step"), percent(options.negligible)));
    }
    parts.join(". ") + "."
}

fn series(number: usize) -> String {
    if number == 1 { "the only series".to_owned() } else { format!("{number} series") }
}
