//! Distributions of samples, binned so that a plot of any run stays small.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use tlslab_record::RunRecord;
use tlslab_stats::summarise;

use super::cells::is_measured;
use super::estimates::visit_values;
use super::percentiles::Iterations;
use super::slices::{Slices, ns_per_iteration};
use crate::model::{Distribution, Latency, Metric, Spread, VisitValue};

/// The fewest and the most bins; between them as many as the square root of the number of slices.
const BINS: (usize, usize) = (12, 48);
/// How many interquartile ranges beyond the quartiles a slice may lie and still have a bin.
const REACH: f64 = 3.0;

/// One per measured scenario × stack × side.
pub(super) fn distributions(record: &RunRecord, slices: &Slices) -> Vec<Distribution> {
    let mut distributions = Vec::new();
    for (scenario, resolved) in record.plan.scenarios.iter().enumerate() {
        for (stack, taking_part) in record.plan.stacks.iter().enumerate() {
            if !is_measured(record, slices, scenario, stack) {
                continue;
            }
            for &side in resolved.work.sides() {
                let us = |measurement| ns_per_iteration(measurement, side, Metric::Time) / 1000.0;
                let all: Vec<f64> = slices.of_stack(scenario, stack).map(us).collect();
                let iterations = Iterations::of_visits(slices.visits(scenario), stack, side);
                let visits = visit_values(slices.visits(scenario), stack, side, Metric::Time);
                let (Some(slices), Ok(visits)) = (spread(&all), visits) else { continue };
                let visits =
                    visits.into_iter().map(|(round, ns)| VisitValue { round, value: ns / 1000.0 }).collect();
                let iterations = latency(&iterations);
                let (scenario, stack) = (resolved.name.clone(), taking_part.name.clone());
                distributions.push(Distribution { scenario, stack, side, visits, slices, iterations });
            }
        }
    }
    distributions
}

/// Bars of equal width on a logarithmic axis: sixteen to each doubling. A bucket belongs to the bar that its
/// middle is in.
fn latency(iterations: &Iterations) -> Latency {
    const BARS_PER_DOUBLING: f64 = 16.0;
    let mut bars: BTreeMap<i64, u64> = BTreeMap::new();
    for (from, to, count) in iterations.bars() {
        let middle_us = from.midpoint(to).max(1) as f64 / 1000.0;
        *bars.entry((middle_us.log2() * BARS_PER_DOUBLING).floor() as i64).or_default() += count;
    }
    let edge = |bar: i64| (bar as f64 / BARS_PER_DOUBLING).exp2();
    let bars = bars.into_iter().map(|(bar, count)| (edge(bar), edge(bar + 1), count)).collect();
    Latency { n: iterations.total(), bars }
}

fn spread(values: &[f64]) -> Option<Spread> {
    let whole = summarise(values, None).ok()?;
    let reach = REACH * (whole.upper_quartile - whole.lower_quartile);
    let (from, to) = (whole.lower_quartile - reach, whole.upper_quartile + reach);
    let within: Vec<f64> = values.iter().copied().filter(|value| (from..=to).contains(value)).collect();
    let bins = within.len().isqrt().clamp(BINS.0, BINS.1);
    let histogram = summarise(&within, NonZeroUsize::new(bins)).ok()?.histogram?;
    Some(Spread {
        n: values.len(),
        minimum: whole.minimum,
        median: whole.median,
        maximum: whole.maximum,
        below: values.iter().filter(|value| **value < from).count(),
        above: values.iter().filter(|value| **value > to).count(),
        histogram,
    })
}
