//! Tables of cells.

use askama::Template;
use tlslab_comparison::{Change, Comparison, Effect, Outcome, Rule, change_of, has_no_ratio};
use tlslab_text::number::{change, counted, measured_percent, signed};
use tlslab_text::short_stack;

use super::axis::Axis;
use super::kind::{Group, Words};
use crate::change_text::{figure, interval};
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::target::Target;

/// How many functions a row names.
const FUNCTIONS: usize = 5;

/// A group of rows with one axis.
pub(crate) struct Section {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) is_folded: bool,
    pub(crate) count: String,
    pub(crate) remark: &'static str,
    pub(crate) table: Html,
}

#[derive(Template)]
#[template(path = "comparison_cells.html")]
struct Table<'c> {
    title: &'static str,
    labels: Option<[String; 3]>,
    rows: Vec<Row<'c>>,
}

struct Row<'c> {
    id: String,
    scenario: Link,
    under: String,
    values: Values<'c>,
}

enum Values<'c> {
    Compared(Box<Compared>),
    Missing { class: &'static str, baseline: &'c str, candidate: &'c str },
}

struct Compared {
    change: String,
    interval: String,
    class: String,
    verdict: String,
    note: String,
    mark: Html,
    baseline: String,
    candidate: String,
    unit: &'static str,
    functions: Vec<Function>,
    profile: Option<Link>,
}

struct Function {
    name: String,
    change: String,
}

impl Section {
    pub(crate) fn of(
        comparison: &Comparison,
        (group, cells): &(Group, Vec<&Change>),
        words: Words,
        links: &dyn Links,
    ) -> Option<Self> {
        if cells.is_empty() {
            return None;
        }
        let effects: Vec<&Effect> = cells.iter().filter_map(|cell| cell.effect()).collect();
        let axis = Axis::of(&effects);
        let rows = cells.iter().map(|cell| row(comparison, cell, *group, words, &axis, links));
        let title = group.title(words);
        let labels = (!effects.is_empty()).then(|| axis.labels());
        let table = Table { title, labels, rows: rows.collect() };
        Some(Self {
            id: group.id(),
            title,
            is_folded: group.is_folded(),
            count: counted(cells.len(), "cell"),
            remark: remark(*group),
            table: Html::of(&table),
        })
    }
}

fn remark(group: Group) -> &'static str {
    match group {
        Group::Suspect => "runs measured separately differ; the code or the machine has changed",
        Group::Inconclusive => "a change above the negligible size is possible; more rounds could show it",
        Group::Tiny => "real, but below the policy's floor or the threshold of the cell's own history",
        Group::Acknowledged => "a maintainer has accepted this size; it fails nothing",
        Group::Missing => "one side or both do not support it",
        _ => "",
    }
}

fn row<'c>(
    comparison: &Comparison,
    cell: &'c Change,
    group: Group,
    words: Words,
    axis: &Axis,
    links: &dyn Links,
) -> Row<'c> {
    let pair = &comparison.pairs[cell.pair];
    let of = if comparison.pairs.len() > 1 {
        format!("{}, ", short_stack(&pair.candidate))
    } else {
        String::new()
    };
    let values = match &cell.outcome {
        Outcome::Compared(effect) => {
            Values::Compared(Box::new(compared(comparison, cell, effect, group, words, axis, links)))
        }
        Outcome::Missing { baseline_missing, candidate_missing } => {
            let first = |reason: &'c Option<String>| {
                reason.as_deref().map_or("measured", |text| text.lines().next().unwrap_or_default())
            };
            Values::Missing {
                class: group.class(words),
                baseline: first(baseline_missing),
                candidate: first(candidate_missing),
            }
        }
    };
    Row {
        id: format!("{}/{}/{}/{}", pair.candidate, cell.scenario, cell.side_name(), cell.metric.name()),
        scenario: Link::new(links, &Target::Scenario(cell.scenario.clone()), &*cell.scenario),
        under: match cell.side {
            Some(side) => format!("{of}{side}, {}", cell.metric.words()),
            None => format!("{of}{}", cell.metric.words()),
        },
        values,
    }
}

fn compared(
    comparison: &Comparison,
    cell: &Change,
    effect: &Effect,
    group: Group,
    words: Words,
    axis: &Axis,
    links: &dyn Links,
) -> Compared {
    let class = match group {
        Group::Tiny if effect.ratio > 1.0 => "tiny up".to_owned(),
        Group::Tiny => "tiny down".to_owned(),
        group => group.class(words).to_owned(),
    };
    let function = |reason: &tlslab_comparison::Reason| Function {
        name: reason.function.clone(),
        change: signed(reason.change.round()),
    };
    let profile = profile_of(comparison, cell);
    Compared {
        change: change_of(effect),
        interval: interval(effect),
        verdict: verdict(effect, group, words).to_owned(),
        note: note(comparison, cell, effect),
        mark: axis.mark(effect, &class, !group.is_folded()),
        class,
        baseline: figure(effect.baseline, cell.metric),
        candidate: figure(effect.candidate, cell.metric),
        unit: cell.metric.unit(),
        functions: effect.reasons.iter().take(FUNCTIONS).map(function).collect(),
        profile: links.to(&profile).map(|href| Link { text: "all functions".to_owned(), href: Some(href) }),
    }
}

/// The page of the functions of the candidate in a cell.
fn profile_of(comparison: &Comparison, cell: &Change) -> Target {
    let run = comparison.runs.last().map_or("", String::as_str);
    let stack = &comparison.pairs[cell.pair].candidate;
    Target::Profile(format!("{run}/{stack}/{}/{}", cell.scenario, cell.side_name()))
}

fn verdict(effect: &Effect, group: Group, words: Words) -> &'static str {
    match (group, words) {
        (Group::Tiny, _) => "negligible",
        (Group::Unchanged, Words::Versions) => {
            if effect.verdict == tlslab_comparison::Verdict::Identical {
                "same program"
            } else {
                "unchanged"
            }
        }
        (group, words) => group.word(words, 1),
    }
}

/// The evidence of a verdict.
fn note(comparison: &Comparison, cell: &Change, effect: &Effect) -> String {
    let mut notes: Vec<String> = effect.note.iter().cloned().collect();
    match &effect.confirmation {
        Some(confirmation) if confirmation.agrees && has_no_ratio(effect) => {
            notes.push("confirmed".to_owned())
        }
        Some(confirmation) if confirmation.agrees => {
            notes.push(format!("confirmed (second measurement: {})", change(confirmation.ratio)));
        }
        Some(confirmation) => {
            notes.push(format!("not confirmed (second measurement: {})", change(confirmation.ratio)));
        }
        None => {}
    }
    match effect.detectable {
        _ if effect.verdict.is_flagged() => notes.push(rule(comparison, cell, effect)),
        Some(detectable) if notes.is_empty() => {
            notes.push(format!("detectable effect {}", measured_percent(detectable)));
        }
        _ => {}
    }
    notes.extend(tlslab_comparison::groups(effect));
    match &effect.acknowledged {
        Some(known) if effect.is_acknowledged() => notes.push(format!("acknowledged: {}", known.text)),
        Some(known) => notes.push(format!("only {} is acknowledged: {}", change(known.up_to), known.text)),
        None => {}
    }
    notes.join("; ")
}

/// The threshold that decided whether it is significant.
fn rule(comparison: &Comparison, cell: &Change, effect: &Effect) -> String {
    let side = if effect.is_significant() { "above" } else { "below" };
    match comparison.rule(cell) {
        Rule::Own(tracked) => {
            let threshold = measured_percent(tracked.threshold.exp_m1());
            format!("{side} its own threshold of {threshold} from {}", counted(tracked.points, "point"))
        }
        Rule::Floor(floor) => format!("{side} the policy's floor of {}", measured_percent(floor)),
    }
}
