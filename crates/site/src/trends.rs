//! How stacks changed over their versions.

use tlslab_lab::LabelOrder;
use tlslab_pages::site::{ChangeLine, TREND, metric_words};
use tlslab_record::Series;
use tlslab_report::timeline::Timeline;

/// Changes below this share are negligible: they are shown in grey and counted in no headline.
pub(crate) const NEGLIGIBLE: f64 = 0.005;

/// The changes of a stack's series, newest version first, within a version the largest first.
pub(crate) fn changes(timelines: &[&Timeline], labels: &LabelOrder) -> Vec<ChangeLine> {
    let mut all: Vec<ChangeLine> = timelines.iter().flat_map(|timeline| of_series(timeline)).collect();
    all.sort_by(|one, other| {
        let size = |line: &ChangeLine| line.ratio.ln().abs();
        labels.compare(&one.stack, &other.label, &one.label).then(size(other).total_cmp(&size(one)))
    });
    all
}

fn of_series(timeline: &Timeline) -> Vec<ChangeLine> {
    let line = |change: &tlslab_history::Change| {
        let (ratio, point) = (change.ratio?, timeline.points.get(change.at)?);
        Some(ChangeLine {
            stack: timeline.series.stack.clone(),
            label: change.label.clone(),
            scenario: timeline.series.scenario.clone(),
            side: timeline.series.side.clone(),
            metric: timeline.series.metric.clone(),
            better: timeline.better,
            ratio,
            run: point.run.clone(),
            at: point.started.clone(),
            is_negligible: (ratio - 1.0).abs() < NEGLIGIBLE,
            note: timeline.notes.get(&change.at).cloned().unwrap_or_default(),
        })
    };
    timeline.steps().filter_map(line).collect()
}

/// Whether a series is of a full handshake in TLS 1.3, which represents a stack in lists.
pub(crate) fn is_full_handshake(series: &Series) -> bool {
    series.scenario.starts_with("handshake/1.3/")
}

/// The values of the series that represents a stack, by version, and their name; empty without one. It is the
/// client's instructions in a full handshake; if these were not counted, another count.
pub(crate) fn trend(timelines: &[&Timeline]) -> (Vec<f64>, String) {
    let is_main = |timeline: &&&Timeline| {
        let series = &timeline.series;
        series.metric == "count.instructions" && series.side == "client" && is_full_handshake(series)
    };
    // The series with the most versions; of several the first by name.
    let longest = |is_wanted: &dyn Fn(&&&Timeline) -> bool| -> Option<&Timeline> {
        let wanted = timelines.iter().filter(is_wanted).rev();
        wanted.max_by_key(|timeline| timeline.releases().len()).copied()
    };
    let is_counted = |timeline: &&&Timeline| timeline.series.is_counted();
    let is_of_instructions =
        |timeline: &&&Timeline| is_counted(timeline) && timeline.series.metric == "count.instructions";
    let main = longest(&is_main);
    let chosen = main.or_else(|| longest(&is_of_instructions)).or_else(|| longest(&is_counted));
    let Some(timeline) = chosen else { return (Vec::new(), String::new()) };
    let values = timeline.releases().iter().map(|release| release.chained).collect();
    let Series { scenario, side, metric, .. } = &timeline.series;
    let words = match main {
        Some(_) => format!("{TREND}, {scenario}"),
        None if side.is_empty() => format!("{}, {scenario}", metric_words(metric)),
        None => format!("{} of the {side}, {scenario}", metric_words(metric)),
    };
    (values, words)
}
