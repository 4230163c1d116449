//! The scatter of a cell's runs without a change, and the significance threshold for a new run.

use schemars::JsonSchema;
use serde::Deserialize;
use tlslab_estimate::Report;
use tlslab_history::{Point, segments};
use tlslab_record::HistoryPolicy;
use tlslab_report::timeline::options;

use crate::figure::Wanted;
use crate::model::{Column, Entry, Figure, Here, Row, Table};

/// A table of thresholds, from a measurement that is made several times.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThresholdsOf {
    pub title: String,
    /// The run, which has `times`.
    pub measurement: String,
    /// Limits of the figures.
    #[serde(default)]
    pub note: Option<String>,
}

/// Metrics with a threshold: time, and instructions.
const METRICS: [(&str, &str); 2] = [("count.instructions", "instructions"), ("time", "time")];

impl ThresholdsOf {
    /// A row for every scenario and side.
    pub(crate) fn table(&self, reports: &[Report], basis: String) -> Table {
        let policy = reports.last().map(|report| report.run.policy.history.clone()).unwrap_or_default();
        let policy = &policy;
        let mut places: Vec<(String, String, String)> = Vec::new();
        for report in reports {
            let timed = report.cells.iter().map(|cell| (&cell.stack, &cell.scenario, cell.side.name()));
            let exact = report.exact.iter().map(|cell| (&cell.stack, &cell.scenario, cell.side.name()));
            for (stack, scenario, side) in timed.chain(exact) {
                let place = (stack.clone(), scenario.clone(), side.to_owned());
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        let rows = places.into_iter().map(|(stack, scenario, side)| {
            let entry = |(metric, _): (&str, &str)| {
                let wanted = Wanted::plain(&stack, &scenario, &side, metric);
                let values = reports.iter().filter_map(|report| match wanted.here(report, None) {
                    Here::Figure(figure) => Some((figure.value, report.run.id.clone())),
                    Here::Hole { .. } => None,
                });
                Entry::new(None, threshold(values, policy))
            };
            Row { entries: METRICS.map(entry).to_vec(), labels: vec![stack, scenario, side], words: vec![] }
        });
        let title = |(_, words): (&str, &str)| Column { title: words.to_owned(), unit: "%".to_owned() };
        Table {
            title: self.title.clone(),
            basis,
            labels: ["stack", "scenario", "side"].map(str::to_owned).to_vec(),
            columns: METRICS.map(title).to_vec(),
            words: vec![],
            rows: rows.collect(),
            note: self.note.clone(),
            ..Table::default()
        }
    }
}

/// How far a new run may lie from the others, %, if the runs determine it.
fn threshold(values: impl Iterator<Item = (f64, String)>, policy: &HistoryPolicy) -> Here {
    // One machine in one sitting is one environment.
    let point = |(value, label)| {
        let (epoch, definition) = (String::new(), String::new());
        Point { value, seen: None, reference: None, epoch, definition, label }
    };
    let points: Vec<Point> = values.map(point).collect();
    let hole = |hole: String| Here::Hole { hole: format!("failed: {hole}") };
    match segments(&points, &options(policy)) {
        Err(refused) => hole(refused.to_string()),
        Ok(history) => match history.threshold {
            Some(far) => Here::Figure(Figure::plain(100.0 * far.exp_m1())),
            None => hole(format!("{} runs do not show how far they scatter", points.len())),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_runs_have_no_threshold_above_nothing_and_one_run_has_none_at_all() {
        let runs = |values: &[f64]| {
            let values = values.iter().map(|value| (*value, String::new()));
            threshold(values.collect::<Vec<_>>().into_iter(), &HistoryPolicy::default())
        };
        assert_eq!(runs(&[5.0; 8]), Here::Figure(Figure::plain(0.0)));
        assert!(matches!(runs(&[5.0]), Here::Hole { hole } if hole.starts_with("failed: ")));
        let Here::Figure(figure) = runs(&[100.0, 101.0, 99.0, 100.5, 99.5, 100.2, 99.8, 100.1]) else {
            panic!("it has none")
        };
        // Runs within 1 % of each other: a new one is out of the ordinary some percent away.
        assert!((1.0..6.0).contains(&figure.value), "{figure:?}");
    }
}
