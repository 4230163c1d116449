//! How stacks changed over their versions.

use tlslab_pages::site::{ChangeLine, TREND};
use tlslab_timeline::Timeline;

/// Changes below this share are negligible: they are shown in grey and counted in no headline.
pub const NEGLIGIBLE: f64 = 0.005;

/// The changes of a stack's series, newest version first, within a version the largest first.
pub fn changes(timelines: &[&Timeline]) -> Vec<ChangeLine> {
    let mut all: Vec<ChangeLine> = timelines.iter().flat_map(|timeline| of_series(timeline)).collect();
    all.sort_by(|one, other| {
        let size = |line: &ChangeLine| line.ratio.ln().abs();
        tlslab_recipe::compare(&other.label, &one.label).then(size(other).total_cmp(&size(one)))
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
            ratio,
            run: point.run.clone(),
            at: point.started.clone(),
            is_negligible: (ratio - 1.0).abs() < NEGLIGIBLE,
            note: timeline.notes.get(&change.at).cloned().unwrap_or_default(),
        })
    };
    timeline.steps().filter_map(line).collect()
}

/// The values of the series that stands for a stack, by version, and what they are; nothing without one.
pub fn trend(timelines: &[&Timeline]) -> (Vec<f64>, String) {
    let stands = |timeline: &&&Timeline| {
        let series = &timeline.series;
        series.metric == "count.instructions"
            && series.side == "client"
            && series.scenario.starts_with("handshake/1.3/")
    };
    // The series with the most versions; of several the first by name.
    let chosen = timelines.iter().filter(stands).rev().max_by_key(|timeline| timeline.releases().len());
    let Some(timeline) = chosen else { return (Vec::new(), String::new()) };
    let values = timeline.releases().iter().map(|release| release.chained).collect();
    (values, format!("{TREND}, {}", timeline.series.scenario))
}
