//! Series with their points, from a database.

use anyhow::{Context, bail, ensure};
use globset::{Glob, GlobMatcher};
use tlslab_history::figures::work_differences;
use tlslab_history::{Linked, Reference, linked};
use tlslab_protocol::Scenario;
use tlslab_record::{Annotation, FigureOutcome, HistoryPolicy, Point, Series};
use tlslab_report::timeline::{Timeline, by_version, control};
use tlslab_store::{SeriesSummary, Store};

use super::LabelOrder;
use super::defaults::SeenDefaults;
use crate::canary::is_canary_name;
use crate::history::better::noted_better;

/// The order of the points of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order<'o> {
    /// By their runs; within a run, in the order of its stacks.
    Time,
    /// By their labels.
    Label(&'o LabelOrder),
}

/// An annotation with its pattern of scenarios.
struct Note(Annotation, Option<GlobMatcher>);

impl Note {
    fn of(annotation: Annotation) -> Self {
        // A pattern that cannot be read, which `annotate` rejects, matches no scenario.
        let pattern = Glob::new(&annotation.scenario).ok().map(|glob| glob.compile_matcher());
        Self(annotation, pattern)
    }

    fn is_of(&self, series: &Series) -> bool {
        let is_for = |pattern: &GlobMatcher| pattern.is_match(&series.scenario);
        self.0.stack == series.stack && (self.0.scenario.is_empty() || self.1.as_ref().is_some_and(is_for))
    }
}

/// Stores a note for a version of a stack; an empty text removes the note.
///
/// # Errors
/// Fails if the history does not have the version, the pattern cannot be read, or the database cannot be
/// written.
pub fn annotate(store: &mut dyn Store, annotation: &Annotation) -> anyhow::Result<()> {
    Glob::new(&annotation.scenario).with_context(|| {
        format!("the pattern {:?} cannot be read; write letters, * and **", annotation.scenario)
    })?;
    let of_stack: Vec<SeriesSummary> =
        store.series()?.into_iter().filter(|one| one.series.stack == annotation.stack).collect();
    let has = |one: &SeriesSummary| -> anyhow::Result<bool> {
        Ok(store.points(&one.series)?.iter().any(|point| point.label == annotation.label))
    };
    let mut found = false;
    for one in &of_stack {
        found = found || has(one)?;
    }
    ensure!(
        found,
        "the history in {} has no {} in version {}; `tlslab history --stack {}` shows its versions",
        store.place(),
        annotation.stack,
        annotation.label,
        tlslab_artifact::quoted(&annotation.stack)
    );
    Ok(store.annotate(annotation)?)
}

/// The canary's times in the same scenarios: successive canaries count as one if a run has both.
fn canary_points(store: &dyn Store, all: &[SeriesSummary], of: &Series) -> anyhow::Result<Vec<Point>> {
    let is_it = |one: &&SeriesSummary| {
        is_canary_name(&one.series.stack) && Series { stack: of.stack.clone(), ..one.series.clone() } == *of
    };
    let mut points: Vec<(String, Point)> = Vec::new();
    for canary in all.iter().filter(is_it) {
        let named = |point: Point| (format!("{}, {}", canary.series.stack, point.label), point);
        points.extend(store.points(&canary.series)?.into_iter().map(named));
    }
    points.sort_by(|(_, a), (_, b)| (a.started_unix_ms, &a.run).cmp(&(b.started_unix_ms, &b.run)));
    let reference = |(identity, point): &(String, Point)| {
        let value = point.outcome.value()?.value;
        Some(Reference { run: point.run.clone(), identity: identity.clone(), value })
    };
    let linked = linked(&points.iter().filter_map(reference).collect::<Vec<_>>());
    let as_linked = |(_, mut point): (String, Point)| {
        let Linked { unit, value } = linked.get(&point.run)?.clone();
        if let FigureOutcome::Value(figure) = &mut point.outcome {
            figure.value = value;
        }
        Some(Point { label: unit, ..point })
    };
    Ok(points.into_iter().filter_map(as_linked).collect())
}

/// Whether a metric covers a whole iteration.
pub fn is_whole(metric: &str) -> bool {
    const WHOLE: [&str; 16] = [
        "time",
        "throughput",
        "wall",
        "count.instructions",
        "heap.peak",
        "idle.heap",
        "contention.atomics",
        "contention.serial",
        "wire.flight.1",
        "wire.handshake",
        "wire.data",
        "kernel.calls",
        "kernel.faults",
        "size.text",
        "size.data",
        "size.shared",
    ];
    WHOLE.contains(&metric)
}

/// Every wanted series, with its points and the reference's in the same runs; for times with the canary's, if
/// no reference is named.
///
/// # Errors
/// Fails if the database cannot be read, or if the reference was not measured in the same scenarios.
pub fn timelines(
    store: &dyn Store,
    reference: Option<&str>,
    order: Order<'_>,
    policy: &HistoryPolicy,
    wanted: &dyn Fn(&SeriesSummary) -> bool,
) -> anyhow::Result<Vec<Timeline>> {
    let mut timelines = Vec::new();
    let mut has_reference = reference.is_none();
    let all = store.series()?;
    let better = noted_better(store)?;
    let mut seen_defaults = SeenDefaults::default();
    let notes: Vec<Note> = store.annotations()?.into_iter().map(Note::of).collect();
    for series in all.iter().filter(|one| wanted(one)).map(|one| one.series.clone()) {
        let beside = match reference {
            Some(reference) if series.stack != reference => {
                store.points(&Series { stack: reference.to_owned(), ..series.clone() })?
            }
            None if !series.is_counted() && !is_canary_name(&series.stack) => {
                canary_points(store, &all, &series)?
            }
            _ => Vec::new(),
        };
        has_reference |= !beside.is_empty();
        let mut points = store.points(&series)?;
        if let Order::Label(labels) = order {
            let compare = |one: &str, other: &str| labels.compare(&series.stack, one, other);
            points = by_version(points, series.is_counted(), compare);
        }
        let mut timeline = Timeline::of(series, &points, &beside, policy);
        if let Some(better) = better.get(&timeline.series) {
            timeline.better = *better;
        }
        for (at, before, after) in timeline.other_work() {
            let differences = differences(store, &timeline.series.scenario, &before, &after);
            timeline.explained.extend((!differences.is_empty()).then_some((at, differences)));
        }
        let is_of_it = |note: &&Note| note.is_of(&timeline.series);
        let of_it: Vec<&Note> = notes.iter().filter(is_of_it).collect();
        for note in of_it {
            timeline.annotate(&note.0.label, &note.0.text);
        }
        seen_defaults.annotate(store, &mut timeline);
        timelines.push(timeline);
    }
    control(&mut timelines, policy);
    if !has_reference && !timelines.is_empty() {
        let reference = reference.unwrap_or_default();
        bail!(
            "{reference} was not measured in the same scenarios; name a stack that was measured in them, without its version"
        );
    }
    Ok(timelines)
}

/// The differences of a scenario between two runs; empty if either run is another program's.
fn differences(store: &dyn Store, scenario: &str, before: &str, after: &str) -> String {
    let resolved = |run: &str| -> Option<Scenario> {
        store.plan(run).ok()?.scenarios.into_iter().find(|known| known.name == scenario)
    };
    match (resolved(before), resolved(after)) {
        (Some(before), Some(after)) => work_differences(&before, &after),
        _ => String::new(),
    }
}
