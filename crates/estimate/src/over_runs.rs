//! Several runs of the same request: each figure over all of them, and whether the intervals of single runs
//! contain it.

use std::collections::BTreeMap;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_stats::{median, normal_quantile, standard_deviation, student_quantile};

use crate::model::{Estimated, Interval, Metric, Report};
use tlslab_text::number::{counted, measured_percent, significant};

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
    /// The baseline of a ratio; none for a time, µs.
    pub baseline: Option<String>,
    /// In how many runs.
    pub runs: usize,
    /// The geometric mean of the runs' estimates.
    pub value: f64,
    /// Student's interval of their logarithms: it holds whatever differs from run to run.
    pub interval: Interval,
    /// The differences between runs, as the standard deviation of the logarithms.
    pub between: f64,
    /// The differences of runs from the median of those without a load beyond what their own rounds show, as
    /// the variance of logarithms. Below zero if they differ by less.
    pub beyond_own: Option<f64>,
    /// Half the width of a run's own interval, in the middle, as a log ratio.
    pub own_half_width: Option<f64>,
    /// Runs without a load: how many have an interval, and how many of these intervals contain the median of
    /// such runs.
    pub quiet: Covered,
    /// Runs with a loop that kept a processor busy: the same, for the same median.
    pub loaded: Covered,
}

/// How many intervals contain a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Covered {
    /// Those that do.
    pub covered: usize,
    /// All of them.
    pub of: usize,
}

/// A run, and whether a loop kept a processor busy meanwhile.
pub struct OneOf<'r> {
    /// The run.
    pub report: &'r Report,
    /// See above.
    pub is_loaded: bool,
}

impl OverRuns {
    /// The figures over reports of the same request. None with fewer than two.
    pub fn of(reports: &[OneOf<'_>], confidence: f64) -> Option<Self> {
        if reports.len() < 2 {
            return None;
        }
        let mut all: BTreeMap<(usize, bool), (FigureOverRuns, Vec<Own>)> = BTreeMap::new();
        let mut places: BTreeMap<(String, String, String), usize> = BTreeMap::new();
        for OneOf { report, is_loaded } in reports {
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
                    let between = report.run.between_runs;
                    let added = if place.1 { between.ratio } else { between.time };
                    found.1.push(Own { estimated: estimated.clone(), is_loaded: *is_loaded, added });
                }
            }
        }
        let is_whole = |(_, runs): &(FigureOverRuns, Vec<Own>)| runs.len() == reports.len();
        let figures =
            all.into_values().filter(is_whole).filter_map(|(figure, runs)| filled(figure, &runs, confidence));
        Some(Self {
            runs: reports.iter().map(|one| one.report.run.id.clone()).collect(),
            figures: figures.collect(),
        })
    }

    /// Of single runs' intervals those that contain the median of runs without a load; none without
    /// intervals. `is_ratio` and `is_loaded` choose which.
    pub fn coverage(&self, is_ratio: bool, is_loaded: bool) -> Option<Covered> {
        let of_kind = self.figures.iter().filter(|figure| figure.baseline.is_some() == is_ratio);
        let one = |figure: &FigureOverRuns| if is_loaded { figure.loaded } else { figure.quiet };
        let all = of_kind.map(one).fold(Covered::default(), |sum, one| Covered {
            covered: sum.covered + one.covered,
            of: sum.of + one.of,
        });
        (all.of > 0).then_some(all)
    }

    /// The differences between runs beyond what their own rounds show: the standard deviation of logarithms,
    /// over all figures of a kind. None without figures.
    pub fn deviation(&self, is_ratio: bool) -> Option<f64> {
        let of_kind = self.figures.iter().filter(|figure| figure.baseline.is_some() == is_ratio);
        let beyond: Vec<f64> = of_kind.filter_map(|figure| figure.beyond_own).collect();
        (!beyond.is_empty()).then(|| (beyond.iter().sum::<f64>() / beyond.len() as f64).max(0.0).sqrt())
    }

    /// A table for people.
    pub fn text(&self) -> String {
        let mut text = format!(
            "over {} ({}): the interval contains what differs from run to run\n",
            counted(self.runs.len(), "run"),
            self.runs.join(", ")
        );
        for figure in &self.figures {
            let of = match &figure.baseline {
                Some(baseline) => format!("{} / {baseline}", figure.stack),
                None => format!("{}, µs", figure.stack),
            };
            let own = figure.own_half_width.map_or_else(String::new, |half| {
                format!(", a run's own interval is ± {}", measured_percent(half))
            });
            let number = |value: f64| significant(value, 5);
            let _ = writeln!(
                text,
                "  {}, {}  {of}: {} [{}, {}]  runs differ by {}{own}",
                figure.scenario,
                figure.side,
                number(figure.value),
                number(figure.interval.lower),
                number(figure.interval.upper),
                measured_percent(figure.between),
            );
        }
        for (is_ratio, what) in [(false, "times"), (true, "ratios")] {
            for (is_loaded, which) in [(false, "in single runs"), (true, "with a busy loop")] {
                let Some(Covered { covered, of }) = self.coverage(is_ratio, is_loaded) else { continue };
                let share = 100.0 * covered as f64 / of as f64;
                let _ = writeln!(
                    text,
                    "{covered} of {of} intervals of {what} {which} contain the median of the runs without a load ({share:.1} %)"
                );
            }
            if let Some(deviation) = self.deviation(is_ratio) {
                let _ = writeln!(
                    text,
                    "{what} differ between runs by {:.2} % beyond what their own rounds show",
                    100.0 * deviation
                );
            }
        }
        text
    }
}

/// A run's figure.
struct Own {
    estimated: Estimated,
    is_loaded: bool,
    /// The differences between runs that its interval contains already; see [`crate::Between`].
    added: f64,
}

impl Own {
    /// Half the width of its interval, as a log ratio.
    fn half(&self) -> Option<f64> {
        self.estimated.interval.map(|own| (own.upper / own.lower).ln() / 2.0)
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
        beyond_own: None,
        own_half_width: None,
        quiet: Covered::default(),
        loaded: Covered::default(),
    }
}

/// None if fewer than two runs have it, or if it has no logarithm.
fn filled(figure: FigureOverRuns, runs: &[Own], confidence: f64) -> Option<FigureOverRuns> {
    let logarithms: Vec<f64> = runs.iter().map(|run| run.estimated.value.ln()).collect();
    let between = standard_deviation(&logarithms).ok().filter(|deviation| deviation.is_finite())?;
    let n = runs.len() as f64;
    let mean = logarithms.iter().sum::<f64>() / n;
    let half = student_quantile(f64::midpoint(1.0, confidence), n - 1.0) * between / n.sqrt();
    let of_quiet: Vec<f64> =
        runs.iter().filter(|run| !run.is_loaded).map(|run| run.estimated.value.ln()).collect();
    let middle = median(if of_quiet.is_empty() { &logarithms } else { &of_quiet }).ok()?;
    let covered = |is_loaded: bool| {
        let own = runs.iter().filter(|run| run.is_loaded == is_loaded);
        let intervals: Vec<Interval> = own.filter_map(|run| run.estimated.interval).collect();
        let holds = |own: &&Interval| own.lower <= middle.exp() && middle.exp() <= own.upper;
        Covered { covered: intervals.iter().filter(holds).count(), of: intervals.len() }
    };
    let widths: Vec<f64> = runs.iter().filter_map(Own::half).collect();
    // A normal interval of that width.
    let quantile = normal_quantile(f64::midpoint(1.0, confidence));
    let beyond = |run: &Own| {
        let within = (run.half()?.powi(2) - run.added.powi(2)).max(0.0) / quantile.powi(2);
        Some((run.estimated.value.ln() - middle).powi(2) - within)
    };
    let beyond: Vec<f64> = runs.iter().filter_map(beyond).collect();
    Some(FigureOverRuns {
        runs: runs.len(),
        value: mean.exp(),
        interval: Interval { lower: (mean - half).exp(), upper: (mean + half).exp(), confidence },
        between,
        beyond_own: (!beyond.is_empty()).then(|| beyond.iter().sum::<f64>() / beyond.len() as f64),
        own_half_width: median(&widths).ok(),
        quiet: covered(false),
        loaded: covered(true),
        ..figure
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(value: f64, half: f64) -> Own {
        let interval = Interval { lower: value * (-half).exp(), upper: value * half.exp(), confidence: 0.95 };
        let estimated = Estimated { n: 16, value, interval: Some(interval), no_interval: None };
        Own { estimated, is_loaded: false, added: 0.0 }
    }

    #[test]
    fn worked_by_hand() {
        let key = ("s".to_owned(), "a".to_owned(), "client".to_owned());
        // Logarithms −0.1, 0, 0.1: deviation 0.1; t(0.975, 2) = 4.3027, so ± 4.3027·0.1/√3 = 0.2484.
        let runs = [run((-0.1_f64).exp(), 0.05), run(1.0, 0.05), run(0.1_f64.exp(), 0.15)];
        let found = filled(empty(&key, None), &runs, 0.95).unwrap();
        assert!((found.value - 1.0).abs() < 1e-12 && (found.between - 0.1).abs() < 1e-12);
        assert!((found.interval.upper.ln() - 0.2484).abs() < 1e-4, "{found:?}");
        // The first run's interval ends below 1, the last one's begins below it.
        assert_eq!((found.runs, found.quiet), (3, Covered { covered: 2, of: 3 }));
        // 0.02 over three runs, less the part of intervals of ± 0.05, 0.05 and 0.15: 0.0275 / 1.96² over
        // three.
        assert!((found.beyond_own.unwrap() - (0.02 - 0.0275 / 3.8415) / 3.0).abs() < 1e-6, "{found:?}");
        assert_eq!(filled(empty(&key, None), &runs[..1], 0.95), None);
    }

    #[test]
    fn runs_beside_a_load_are_held_against_those_without() {
        let key = ("s".to_owned(), "a".to_owned(), "client".to_owned());
        let loaded = |value: f64, half: f64| Own { is_loaded: true, ..run(value, half) };
        let runs = [run(1.0, 0.05), loaded(1.2, 0.05), run(1.01, 0.05), loaded(1.2, 0.3), run(0.99, 0.05)];
        let found = filled(empty(&key, None), &runs, 0.95).unwrap();
        assert_eq!(found.quiet, Covered { covered: 3, of: 3 });
        assert_eq!(found.loaded, Covered { covered: 1, of: 2 });
        // The part that an interval contains already is not noise of its rounds.
        let wide = |value: f64| Own { added: 0.3, ..run(value, 0.3) };
        let found = filled(empty(&key, None), &[wide(1.0), wide(1.1), wide(0.9)], 0.95).unwrap();
        let differ = (1.1_f64.ln().powi(2) + 0.9_f64.ln().powi(2)) / 3.0;
        assert!((found.beyond_own.unwrap() - differ).abs() < 1e-12, "{found:?}");
    }
}
