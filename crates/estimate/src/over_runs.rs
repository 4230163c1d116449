//! Several runs of the same request: what each figure is over all of them, and whether the intervals of single runs hold it.

use std::collections::BTreeMap;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_stats::{median, standard_deviation, student_quantile};

use crate::digits::significant;
use crate::model::{Estimated, Interval, Metric, Report};

/// Figures over several runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OverRuns {
    /// The runs.
    pub runs: Vec<String>,
    /// Every time that all of them have, and its ratio to the baseline.
    pub figures: Vec<FigureOverRuns>,
}

/// A figure over several runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureOverRuns {
    /// The scenario.
    pub scenario: String,
    /// The stack.
    pub stack: String,
    /// The side.
    pub side: String,
    /// The baseline, where it is a ratio; else it is a time, µs.
    pub baseline: Option<String>,
    /// In how many runs.
    pub runs: usize,
    /// The geometric mean of the runs' estimates.
    pub value: f64,
    /// Student's interval of their logarithms: it holds whatever differs from run to run.
    pub interval: Interval,
    /// How far runs differ, the standard deviation of the logarithms.
    pub between: f64,
    /// How many of the runs have an interval of their own.
    pub own_intervals: usize,
    /// Half the width of such an interval, in the middle, as a log ratio.
    pub own_half_width: Option<f64>,
    /// How many of the runs' own intervals contain the median of all runs.
    pub own_cover: usize,
}

impl OverRuns {
    /// Of reports of the same request. None of fewer than two.
    pub fn of(reports: &[&Report], confidence: f64) -> Option<Self> {
        if reports.len() < 2 {
            return None;
        }
        let mut all: BTreeMap<(usize, bool), (FigureOverRuns, Vec<Estimated>)> = BTreeMap::new();
        let mut places: BTreeMap<(String, String, String), usize> = BTreeMap::new();
        for report in reports {
            for cell in report.cells.iter().filter(|cell| cell.metric == Metric::Time) {
                let Some(measured) = cell.outcome.measured() else { continue };
                let key = (cell.scenario.clone(), cell.stack.clone(), cell.side.to_string());
                let next = places.len();
                let at = *places.entry(key.clone()).or_insert(next);
                let time = (None, &measured.estimated);
                let ratio =
                    measured.ratio.as_ref().map(|ratio| (Some(ratio.baseline.clone()), &ratio.estimated));
                for (baseline, estimated) in std::iter::once(time).chain(ratio) {
                    let place = (at, baseline.is_some());
                    let found = all.entry(place).or_insert_with(|| (empty(&key, baseline), Vec::new()));
                    found.1.push(estimated.clone());
                }
            }
        }
        let is_whole = |(_, runs): &(FigureOverRuns, Vec<Estimated>)| runs.len() == reports.len();
        let figures =
            all.into_values().filter(is_whole).filter_map(|(figure, runs)| filled(figure, &runs, confidence));
        Some(Self {
            runs: reports.iter().map(|report| report.run.id.clone()).collect(),
            figures: figures.collect(),
        })
    }

    /// The share of single runs' intervals that contain the median of all runs; none without intervals. `is_ratio` chooses which.
    pub fn coverage(&self, is_ratio: bool) -> Option<(usize, usize)> {
        let of_kind = self.figures.iter().filter(|figure| figure.baseline.is_some() == is_ratio);
        let (covered, of) =
            of_kind.fold((0, 0), |sum, figure| (sum.0 + figure.own_cover, sum.1 + figure.own_intervals));
        (of > 0).then_some((covered, of))
    }

    /// A table for people.
    pub fn text(&self) -> String {
        let mut text = format!(
            "over {} runs ({}): the interval contains what differs from run to run\n",
            self.runs.len(),
            self.runs.join(", ")
        );
        for figure in &self.figures {
            let of = match &figure.baseline {
                Some(baseline) => format!("{} / {baseline}", figure.stack),
                None => format!("{}, µs", figure.stack),
            };
            let own = figure.own_half_width.map_or_else(String::new, |half| {
                format!(", a run's own interval is ± {:.2} %", 100.0 * half)
            });
            let number = |value: f64| significant(value, 5);
            let _ = writeln!(
                text,
                "  {}, {}  {of}: {} [{}, {}]  runs differ by {:.2} %{own}",
                figure.scenario,
                figure.side,
                number(figure.value),
                number(figure.interval.lower),
                number(figure.interval.upper),
                100.0 * figure.between,
            );
        }
        for (is_ratio, what) in [(false, "times"), (true, "ratios")] {
            if let Some((covered, of)) = self.coverage(is_ratio) {
                let share = 100.0 * covered as f64 / of as f64;
                let _ = writeln!(
                    text,
                    "{covered} of {of} intervals of {what} in single runs contain the median of all runs ({share:.1} %)"
                );
            }
        }
        text
    }
}

fn empty((scenario, stack, side): &(String, String, String), baseline: Option<String>) -> FigureOverRuns {
    FigureOverRuns {
        scenario: scenario.clone(),
        stack: stack.clone(),
        side: side.clone(),
        baseline,
        runs: 0,
        value: 0.0,
        interval: Interval { lower: 0.0, upper: 0.0, confidence: 0.0 },
        between: 0.0,
        own_intervals: 0,
        own_half_width: None,
        own_cover: 0,
    }
}

/// None with fewer than two runs that have it, and where it has no logarithm.
fn filled(figure: FigureOverRuns, runs: &[Estimated], confidence: f64) -> Option<FigureOverRuns> {
    let logarithms: Vec<f64> = runs.iter().map(|run| run.value.ln()).collect();
    let between = standard_deviation(&logarithms).ok().filter(|deviation| deviation.is_finite())?;
    let n = runs.len() as f64;
    let mean = logarithms.iter().sum::<f64>() / n;
    let half = student_quantile(f64::midpoint(1.0, confidence), n - 1.0) * between / n.sqrt();
    let middle = median(&logarithms).ok()?.exp();
    let own: Vec<Interval> = runs.iter().filter_map(|run| run.interval).collect();
    let widths: Vec<f64> = own.iter().map(|own| (own.upper / own.lower).ln() / 2.0).collect();
    Some(FigureOverRuns {
        runs: runs.len(),
        value: mean.exp(),
        interval: Interval { lower: (mean - half).exp(), upper: (mean + half).exp(), confidence },
        between,
        own_intervals: own.len(),
        own_half_width: median(&widths).ok(),
        own_cover: own.iter().filter(|own| own.lower <= middle && middle <= own.upper).count(),
        ..figure
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(value: f64, half: f64) -> Estimated {
        let interval =
            Interval { lower: value * (1.0 - half), upper: value * (1.0 + half), confidence: 0.99 };
        Estimated { n: 16, value, interval: Some(interval), no_interval: None }
    }

    #[test]
    fn worked_by_hand() {
        let key = ("s".to_owned(), "a".to_owned(), "client".to_owned());
        // Logarithms −0.1, 0, 0.1: deviation 0.1; t(0.975, 2) = 4.3027, so ± 4.3027·0.1/√3 = 0.2484.
        let runs = [run((-0.1_f64).exp(), 0.05), run(1.0, 0.05), run(0.1_f64.exp(), 0.15)];
        let found = filled(empty(&key, None), &runs, 0.95).unwrap();
        assert!((found.value - 1.0).abs() < 1e-12 && (found.between - 0.1).abs() < 1e-12);
        assert!((found.interval.upper.ln() - 0.2484).abs() < 1e-4, "{found:?}");
        // The first run's interval ends below 1, the last one's begins at 0.94.
        assert_eq!((found.runs, found.own_cover), (3, 2));
        assert_eq!(filled(empty(&key, None), &runs[..1], 0.95), None);
    }
}
