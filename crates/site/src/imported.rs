//! Results of other programs: names with only imported series, and imported runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tlslab_lab::LabelOrder;
use tlslab_pages::site::{ChangeLine, ImportedLine, ImportedRunLine, metric_words};
use tlslab_record::Better;
use tlslab_report::timeline::Timeline;
use tlslab_store::RunSummary;
use tlslab_text::number::counted;

use crate::catalogue::time;
use crate::trends::changes;

/// A name with imported series alone.
pub(crate) struct Imported {
    /// Its line in a list.
    pub line: ImportedLine,
    /// Its changes, newest version first.
    pub changes: Vec<ChangeLine>,
}

/// The names that no run of the lab has, by name.
pub(crate) fn imported(
    by_stack: &BTreeMap<String, Vec<&Timeline>>,
    is_measured: &dyn Fn(&str) -> bool,
    runs: &[RunSummary],
    labels: &LabelOrder,
) -> BTreeMap<String, Imported> {
    let formats: HashMap<&str, &str> = runs.iter().map(|run| (&*run.id, &*run.suite)).collect();
    let names = by_stack.iter().filter(|(name, _)| !is_measured(name));
    names.map(|(name, timelines)| (name.clone(), of_name(name, timelines, &formats, labels))).collect()
}

fn of_name(
    name: &str,
    timelines: &[&Timeline],
    formats: &HashMap<&str, &str>,
    labels: &LabelOrder,
) -> Imported {
    let changes = changes(timelines, labels);
    let points = || timelines.iter().flat_map(|timeline| &timeline.points);
    let runs: BTreeSet<&str> = points().map(|point| &*point.run).collect();
    let label = points().map(|point| &*point.label).max_by(|one, other| labels.compare(name, one, other));
    let label = label.unwrap_or_default().to_owned();
    let measured =
        points().filter(|point| point.label == label).map(|point| &*point.started).max().unwrap_or_default();
    let of_newest = changes.iter().filter(|change| change.label == label && !change.is_negligible);
    let of_newest: Vec<ChangeLine> = of_newest.cloned().collect();
    let (state, mark, why) = state(&of_newest, timelines);
    let line = ImportedLine {
        name: name.to_owned(),
        formats: runs
            .iter()
            .filter_map(|run| formats.get(run).map(|format| (*format).to_owned()))
            .collect::<BTreeSet<String>>()
            .into_iter()
            .collect(),
        label,
        measured: measured.to_owned(),
        runs: runs.len(),
        series: timelines.len(),
        state: state.to_owned(),
        mark: mark.to_owned(),
        why,
        changes: of_newest,
    };
    Imported { line, changes }
}

/// A word for the changes of the newest version, its mark, and the reason.
fn state(newest: &[ChangeLine], timelines: &[&Timeline]) -> (&'static str, &'static str, String) {
    let of_class = |class: &str| newest.iter().filter(|change| change.class() == class).collect::<Vec<_>>();
    let in_metric = |change: &ChangeLine| format!("{} in {}", change.text(), metric_words(&change.metric));
    let regressions = of_class("regression");
    if let Some(largest) = regressions.first() {
        let why = match regressions.len() {
            1 => in_metric(largest),
            many => format!("{}, the largest {}", counted(many, "regression"), in_metric(largest)),
        };
        return ("regression", "regression", why);
    }
    let unjudged: Vec<&ChangeLine> = newest.iter().filter(|change| change.is_without_verdict()).collect();
    if let Some(largest) = unjudged.first() {
        let many =
            if unjudged.len() == 1 { String::new() } else { format!("; {} such changes", unjudged.len()) };
        let why = format!("{}{many}; which values are better is unknown", in_metric(largest));
        return ("changed", "quiet", why);
    }
    let all = timelines.len();
    let unknown = timelines.iter().filter(|timeline| timeline.better == Better::Unknown).count();
    let few = timelines.iter().filter(|timeline| timeline.too_few().is_some()).count();
    let longest = timelines.iter().max_by_key(|timeline| timeline.points.len());
    if let Some(why) = longest.and_then(|timeline| timeline.too_few()).filter(|_| few == all) {
        return ("too few points", "quiet", why);
    }
    if unknown == all {
        return ("no verdict", "quiet", "which values are better is unknown".to_owned());
    }
    let mut but = Vec::new();
    if unknown > 0 {
        but.push(format!("of {unknown} of {} it is unknown which values are better", counted(all, "series")));
    }
    if few > 0 {
        but.push(format!("{few} of {} have too few points to judge a step", counted(all, "series")));
    }
    ("clear", "good", but.join("; "))
}

/// The imported runs, newest first, with their entries in the series.
pub(crate) fn runs(summaries: &[RunSummary], timelines: &[Timeline]) -> Vec<ImportedRunLine> {
    let mut seen: HashMap<&str, (BTreeSet<&str>, &str, usize)> = HashMap::new();
    for timeline in timelines {
        for point in &timeline.points {
            let entry = seen.entry(&point.run).or_insert_with(|| (BTreeSet::new(), &point.label, 0));
            entry.0.insert(&timeline.series.stack);
            entry.2 += 1;
        }
    }
    let line = |run: &RunSummary| {
        let (stacks, label, values) = seen.get(&*run.id).cloned().unwrap_or_default();
        ImportedRunLine {
            id: run.id.clone(),
            started: time(run.started_unix_ms),
            format: run.suite.clone(),
            stacks: stacks.into_iter().map(str::to_owned).collect(),
            label: label.to_owned(),
            values,
        }
    };
    summaries.iter().map(line).collect()
}
