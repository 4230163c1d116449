//! Steps of all series, newest first.

use tlslab_history::{Cause, Change};
use tlslab_record::Better;
use tlslab_report::timeline::{Explanation, Timeline, Timelines};
use tlslab_text::number::{change, figure, signed};

use super::names::{cell, in_parts};
use super::options::HistoryOptions;
use crate::links::{Link, Links};
use crate::target::Target;

/// A step of a series.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The place of the series.
    pub(super) series: usize,
    /// The version from which on it is so; leads to the run.
    pub(super) label: Link,
    /// The stack without its version.
    pub(super) stack: String,
    /// When the run began, `2026-11-21 14:03`.
    pub(super) when: String,
    pub(super) scenario: Link,
    pub(super) under: String,
    /// The class of sign and colour.
    pub(super) class: &'static str,
    pub(super) change: String,
    /// `from → to unit`.
    pub(super) levels: String,
    /// Cause, notes, and other changes at that point.
    pub(super) notes: Vec<String>,
    /// As |ln ratio|; infinite from 0.
    pub(super) size: f64,
    /// Whether it is of the last point of its series.
    pub(super) is_newest: bool,
    /// Its age: the time of measuring, or how few versions come after it.
    age: Age,
}

/// How old a step is; the newest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Age {
    /// Versions after it.
    Versions(usize),
    /// When it was measured, RFC 3339.
    Measured(std::cmp::Reverse<String>),
}

impl Step {
    /// The change: a signed share, or `rises by 3.00 %` if it is unknown which values are better.
    pub(super) fn words(&self) -> String {
        match self.class {
            "rise" if self.size.is_infinite() => format!("rises {}", self.change),
            "rise" => format!("rises by {}", self.change.trim_start_matches('+')),
            "fall" => format!("falls by {}", self.change.trim_start_matches('−')),
            _ => self.change.clone(),
        }
    }

    /// Whether it is of the program and large enough to mention.
    pub(super) fn counts(&self) -> bool {
        matches!(self.class, "regression" | "improvement" | "rise" | "fall")
    }
}

/// Whether points are in the order in which they were measured; otherwise they are in that of versions.
pub(super) fn is_by_time(timelines: &Timelines) -> bool {
    timelines.timelines.iter().all(|timeline| timeline.points.is_sorted_by_key(|point| &point.started))
}

/// The changes of all series, newest first and of one time the largest first.
pub(super) fn steps(timelines: &Timelines, options: &HistoryOptions, links: &dyn Links) -> Vec<Step> {
    let is_by_time = is_by_time(timelines);
    let mut all: Vec<Step> = timelines
        .timelines
        .iter()
        .enumerate()
        .flat_map(|(series, timeline)| {
            let changes = timeline.history.iter().flat_map(|history| &history.changes);
            let shown =
                changes.filter(|change| change.cause != Cause::Epoch || timeline.is_other_driver(change.at));
            shown.map(move |change| step(series, timeline, change, is_by_time, options, links))
        })
        .collect();
    all.sort_by(|one, other| {
        let newest = one.age.cmp(&other.age);
        newest.then_with(|| other.counts().cmp(&one.counts())).then_with(|| other.size.total_cmp(&one.size))
    });
    all
}

fn step(
    series: usize,
    timeline: &Timeline,
    change_: &Change,
    is_by_time: bool,
    options: &HistoryOptions,
    links: &dyn Links,
) -> Step {
    let of = &timeline.series;
    let point = &timeline.points[change_.at];
    let size = change_.ratio.map_or(f64::INFINITY, |ratio| ratio.ln().abs());
    let unit = if of.unit.is_empty() { String::new() } else { format!(" {}", of.unit) };
    Step {
        series,
        label: Link::new(links, &Target::Run(point.run.clone()), &*change_.label),
        stack: of.stack.clone(),
        when: when(&point.started),
        scenario: Link::new(links, &Target::Scenario(of.scenario.clone()), in_parts(&of.scenario)),
        under: cell(timeline),
        class: class(change_, timeline.better, size, options.negligible),
        change: change_.ratio.map_or_else(|| "from 0".to_owned(), change),
        levels: format!("{} → {}{unit}", figure(change_.before), figure(change_.after)),
        notes: notes(timeline, change_),
        size,
        is_newest: change_.at + 1 == timeline.points.len()
            || timeline.points[change_.at..].iter().all(|later| later.label == change_.label),
        age: match is_by_time {
            true => Age::Measured(std::cmp::Reverse(point.started.clone())),
            false => Age::Versions(later_versions(timeline, change_.at)),
        },
    }
}

/// How many versions come after that of a point.
fn later_versions(timeline: &Timeline, at: usize) -> usize {
    let mut labels: Vec<&str> = timeline.points[at..].iter().map(|point| &*point.label).collect();
    labels.dedup();
    labels.len() - 1
}

/// A step is a regression or an improvement if it is known which values are better; otherwise it rises or
/// falls.
pub(super) fn class(change: &Change, better: Better, size: f64, negligible: f64) -> &'static str {
    let is_up = change.after > change.before;
    match change.cause {
        Cause::Machine => "warning",
        Cause::Epoch => "quiet",
        Cause::Change if size < negligible => {
            if is_up {
                "tiny up"
            } else {
                "tiny down"
            }
        }
        Cause::Change => match (better.is_regression(is_up), is_up) {
            (Some(true), _) => "regression",
            (Some(false), _) => "improvement",
            (None, true) => "rise",
            (None, false) => "fall",
        },
    }
}

/// `2026-11-21 14:03`.
pub(super) fn when(started: &str) -> String {
    started.get(..16).unwrap_or(started).replace('T', " ")
}

fn notes(timeline: &Timeline, change: &Change) -> Vec<String> {
    let mut notes = Vec::new();
    match change.cause {
        Cause::Machine => notes.push("the machine changed: the reference has this step".to_owned()),
        Cause::Epoch => {
            notes.push("another driver begins here: library or driver may have changed".to_owned())
        }
        Cause::Change if timeline.better == Better::Unknown => {
            notes.push("which values are better is unknown".to_owned());
        }
        Cause::Change => {}
    }
    notes.extend(why(timeline, change.at));
    notes.extend(timeline.notes.get(&change.at).map(|note| format!("note: {note}")));
    notes.extend(timeline.explained.get(&change.at).map(|work| format!("other work: {work}")));
    notes
}

/// The functions that made a count change, if they are known.
pub(super) fn why(timeline: &Timeline, at: usize) -> Option<String> {
    let Explanation { functions, between } = timeline.reasons.get(&at)?;
    let function =
        |reason: &tlslab_comparison::Reason| format!("{} {}", reason.function, signed(reason.change.round()));
    let mut parts: Vec<String> = functions.iter().map(function).collect();
    if !between.is_empty() {
        parts.push(format!("not measured between them: {}", between.join(", ")));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
