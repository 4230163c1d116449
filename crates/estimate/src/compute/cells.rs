//! Every cell: scenario × stack × side × metric.

use tlslab_protocol::{Measurement, Side};
use tlslab_record::{Proof, RunRecord, StackState, unverified_time};

use super::cold::cold_value;
use super::estimates::{estimated, log_ratios, values, visit_values};
use super::open_loop::{load, nothing_served, response};
use super::percentiles::{of_side_by_visit, percentile};
use super::slices::{Slices, of_side};
use crate::model::{Cell, Estimated, Family, Measured, Metric, Modes, Outcome, Ratio, Whose};

/// All cells, in the plan's order.
pub(super) fn cells(record: &RunRecord, slices: &Slices) -> Vec<Cell> {
    let mut cells = Vec::new();
    for scenario in record.plan.timed() {
        for stack in (0..record.plan.stacks.len()).filter(|stack| record.plan.asks(scenario, *stack)) {
            let place = Place { record, slices, scenario, stack };
            for &side in record.plan.scenarios[scenario].work.sides() {
                cells.extend(place.cells(side));
            }
            if place.family().is_by_the_wall() {
                cells.extend(place.wall());
            }
            if place.family() == Family::OpenLoop {
                cells.extend(place.arrivals());
            }
        }
    }
    cells
}

/// The reason of each cell of a stack that did not take part: the beginning of the stack's own, which is
/// reported once.
pub(super) fn absent(reason: &str) -> String {
    let beginning = reason.split([':', '\n']).next().unwrap_or_default();
    format!("the stack did not take part: {}", beginning.trim())
}

/// The last proof of a cell; a later one replaces an earlier one.
pub(super) fn proof(record: &RunRecord, scenario: usize, stack: usize) -> Option<&Proof> {
    let decided = record.cells.iter().rev().find(|cell| cell.scenario == scenario && cell.stack == stack);
    decided.map(|cell| &cell.proof)
}

/// Whether a stack measured a scenario.
pub(super) fn is_measured(record: &RunRecord, slices: &Slices, scenario: usize, stack: usize) -> bool {
    Place { record, slices, scenario, stack }.hole().is_none()
}

/// Why a cell has no estimate, if so.
pub(super) fn hole(record: &RunRecord, slices: &Slices, scenario: usize, stack: usize) -> Option<Outcome> {
    Place { record, slices, scenario, stack }.hole()
}

/// The plan's index of the baseline.
pub(super) fn baseline(record: &RunRecord) -> Option<usize> {
    record.plan.stacks.iter().position(|stack| stack.name == record.plan.baseline)
}

/// Groups of processes that are closer to each other than this share are not reported.
const SMALLEST_GAP: f64 = 0.01;

struct Place<'a, 'r> {
    record: &'r RunRecord,
    slices: &'a Slices<'r>,
    scenario: usize,
    stack: usize,
}

impl Place<'_, '_> {
    fn cells(&self, side: Side) -> Vec<Cell> {
        let derived = self.family().speeds(&self.record.plan.scenarios[self.scenario].work);
        if let Some(hole) = self.hole() {
            let metrics = [Metric::Time].into_iter().chain(derived.iter().copied());
            return metrics.map(|metric| self.cell(side, metric, hole.clone())).collect();
        }
        let time = self.time(side, Metric::Time);
        let derived = derived.iter().map(|metric| match &time {
            Outcome::Measured(time) => self.cell(side, *metric, self.derived(side, *metric, time)),
            hole => self.cell(side, *metric, hole.clone()),
        });
        let derived: Vec<Cell> = derived.collect();
        let mut cells = vec![self.cell(side, Metric::Time, time)];
        for phase in Metric::PHASES.into_iter().filter(|phase| self.has_phase(side, *phase)) {
            cells.push(self.cell(side, phase, self.time(side, phase)));
            if phase == Metric::Handshake {
                let made = Metric::CALLS.into_iter().filter(|call| self.has_phase(side, *call));
                cells.extend(made.map(|call| self.cell(side, call, self.time(side, call))));
            }
        }
        cells.extend(derived);
        if self.record.plan.evictor.is_some() {
            for metric in [Metric::ColdFirst, Metric::ColdSwitch] {
                cells.push(self.cell(side, metric, self.cold(side, metric)));
            }
        }
        let percentiles = if self.family() == Family::Primitive { &[][..] } else { &Metric::PERCENTILES[..] };
        for &(metric, share) in percentiles {
            cells.push(self.cell(side, metric, self.percentile(side, share)));
        }
        cells
    }

    /// The wall time of both sides together.
    fn wall(&self) -> [Cell; 2] {
        let metrics = [Metric::Wall, Metric::WallRate];
        if let Some(hole) = self.hole() {
            return metrics.map(|metric| self.cell(Whose::Both, metric, hole.clone()));
        }
        // Either side gives the same: the wall has one clock.
        let wall = self.time(Side::Client, Metric::Wall);
        let rate = match &wall {
            Outcome::Measured(wall) => self.derived(Side::Client, Metric::WallRate, wall),
            hole => hole.clone(),
        };
        [self.cell(Whose::Both, Metric::Wall, wall), self.cell(Whose::Both, Metric::WallRate, rate)]
    }

    /// Load and responses of arrivals.
    fn arrivals(&self) -> Vec<Cell> {
        let metrics = Metric::RESPONSES.into_iter().map(|(metric, share)| (metric, Some(share)));
        let metrics = metrics.chain(Metric::LOADS.map(|metric| (metric, None)));
        let hole = self.not_measured();
        let visits = self.slices.visits(self.scenario);
        let confidence = self.record.plan.policy.confidence;
        let outcome = |metric, share: Option<f64>| match (&hole, share) {
            (Some(hole), _) => hole.clone(),
            (None, Some(share)) => match response(visits, self.stack, share, confidence) {
                Outcome::Measured(found) => {
                    let estimated = self.slices.between().time(found.estimated);
                    Outcome::Measured(Measured { estimated, ..found })
                }
                hole => hole,
            },
            (None, None) => load(visits, self.stack, metric, confidence),
        };
        metrics.map(|(metric, share)| self.cell(Whose::Both, metric, outcome(metric, share))).collect()
    }

    /// A percentile of single iterations in µs. Percentiles have no ratios: times are compared instead.
    fn percentile(&self, side: Side, share: f64) -> Outcome {
        let confidence = self.record.plan.policy.confidence;
        let visits = of_side_by_visit(self.slices.visits(self.scenario), self.stack, side);
        if visits.is_empty() {
            let unsupported = "the clock is read once for several iterations, so single ones have no time";
            return Outcome::Unsupported { unsupported: unsupported.to_owned() };
        }
        match percentile(&visits, share, confidence) {
            Ok(ns) => {
                let estimated = self.slices.between().time(ns).rising(|ns| ns / 1000.0);
                Outcome::Measured(Measured { estimated, ratio: None, no_ratio: None, modes: None })
            }
            Err(unsupported) => Outcome::Unsupported { unsupported },
        }
    }

    fn cell(&self, side: impl Into<Whose>, metric: Metric, outcome: Outcome) -> Cell {
        let side = side.into();
        let plan = &self.record.plan;
        let (scenario, stack) =
            (plan.scenarios[self.scenario].name.clone(), plan.stacks[self.stack].name.clone());
        let unverified = match outcome {
            Outcome::Measured(_) => {
                let able = plan.stacks[self.stack].able();
                unverified_time(&plan.scenarios[self.scenario], &able).map(str::to_owned)
            }
            _ => None,
        };
        let faults = match (&outcome, metric) {
            (Outcome::Measured(_), Metric::Time | Metric::Wall) => self.faults(),
            _ => None,
        };
        Cell { scenario, stack, side, metric, unit: metric.unit(self.family()), outcome, unverified, faults }
    }

    /// The median of page faults per iteration over all slices, unless it is below one.
    fn faults(&self) -> Option<f64> {
        let per_iteration = |slice: &Measurement| slice.faults as f64 / slice.iterations as f64;
        let mut all: Vec<f64> = self.slices.of_stack(self.scenario, self.stack).map(per_iteration).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().filter(|median| *median >= 1.0)
    }

    fn family(&self) -> Family {
        Family::of(&self.record.plan.scenarios[self.scenario])
    }

    /// Why no side's work can be estimated, if so.
    fn hole(&self) -> Option<Outcome> {
        self.not_measured().or_else(|| nothing_served(self.slices.visits(self.scenario), self.stack))
    }

    /// Why there is no estimate at all, if so.
    fn not_measured(&self) -> Option<Outcome> {
        let failed = |failed: String| Some(Outcome::Failed { failed });
        if let StackState::Failed(reason) = &self.record.plan.stacks[self.stack].state {
            return failed(absent(reason));
        }
        match proof(self.record, self.scenario, self.stack) {
            Some(Proof::Unsupported(reason)) => Some(Outcome::Unsupported { unsupported: reason.clone() }),
            Some(Proof::Failed(reason)) => failed(reason.clone()),
            None => failed("not measured: the run ended before the cell was proven; run it again".to_owned()),
            Some(Proof::Proven { .. }) => {
                let mut slices = self.slices.of_stack(self.scenario, self.stack);
                match slices.next() {
                    Some(_) => None,
                    None => failed("not measured: the run ended before a visit was complete".to_owned()),
                }
            }
        }
    }

    fn has_phase(&self, side: Side, phase: Metric) -> bool {
        let mut slices = self.slices.of_stack(self.scenario, self.stack);
        slices.any(|measurement| super::slices::ns_per_iteration(measurement, side, phase) > 0.0)
    }

    /// A time in µs.
    fn time(&self, side: Side, metric: Metric) -> Outcome {
        let confidence = self.record.plan.policy.confidence;
        let visits = self.slices.visits(self.scenario);
        let found = visit_values(visits, self.stack, side, metric)
            .map_err(|refused| refused.to_string())
            .and_then(|observations| estimated(&values(&observations), confidence));
        match found {
            Err(failed) => Outcome::Failed { failed },
            Ok(ns) => {
                let (ratio, no_ratio) = self.ratio(side, metric);
                let modes = self.modes(side, metric);
                let estimated = self.slices.between().time(ns).rising(|ns| ns / 1000.0);
                Outcome::Measured(Measured { estimated, ratio, no_ratio, modes })
            }
        }
    }

    /// A time of a turn's beginning in µs, after another program has used the processor. It has no ratio: it
    /// is of this stack and that program.
    fn cold(&self, side: Side, metric: Metric) -> Outcome {
        let visits = self.slices.visits(self.scenario);
        let values: Vec<f64> =
            visits.iter().filter_map(|visit| cold_value(visit, self.stack, side, metric)).collect();
        if values.is_empty() {
            let unsupported = "its driver reports no warm-up, or the scenario has none".to_owned();
            return Outcome::Unsupported { unsupported };
        }
        match estimated(&values, self.record.plan.policy.confidence) {
            Ok(ns) => {
                let estimated = self.slices.between().time(ns).rising(|ns| ns / 1000.0);
                Outcome::Measured(Measured { estimated, ratio: None, no_ratio: None, modes: None })
            }
            Err(failed) => Outcome::Failed { failed },
        }
    }

    /// Two kinds of processes, if a side's whole time shows them. For stacks other than the baseline, ratios
    /// are examined, as times also follow other work on the host.
    fn modes(&self, side: Side, metric: Metric) -> Option<Modes> {
        if metric != Metric::Time {
            return None;
        }
        let visits = self.slices.visits(self.scenario);
        let is_alone = self.record.plan.stacks.len() == 1;
        let baseline = baseline(self.record)?;
        let (logs, unit) = if is_alone {
            let times = visit_values(visits, self.stack, side, metric).ok()?;
            (values(&times).into_iter().map(f64::ln).collect(), 1000.0)
        } else if baseline == self.stack {
            return None;
        } else {
            (values(&log_ratios(visits, (baseline, self.stack), side, metric).ok()?), 1.0)
        };
        let found = tlslab_stats::modes(&logs).ok()??;
        let (lower, upper) = (found.lower.exp() / unit, found.upper.exp() / unit);
        (upper / lower >= 1.0 + SMALLEST_GAP).then_some(Modes {
            lower,
            upper,
            upper_share: found.upper_share,
        })
    }

    /// Time over the baseline's time, or the reason for its absence; neither for the baseline itself.
    fn ratio(&self, side: Side, metric: Metric) -> (Option<Ratio>, Option<String>) {
        let plan = &self.record.plan;
        let Some(baseline) = baseline(self.record) else {
            return (None, Some(format!("the baseline {} is not in the run", plan.baseline)));
        };
        if baseline == self.stack {
            return (None, None);
        }
        let visits = self.slices.visits(self.scenario);
        let found = log_ratios(visits, (baseline, self.stack), side, metric);
        let found = found.map_err(|refused| refused.to_string()).and_then(|logs| match logs.is_empty() {
            true => Err(format!("the baseline {} was not measured here", plan.baseline)),
            false => estimated(&values(&logs), plan.policy.confidence),
        });
        match found {
            Ok(log) => {
                let estimated = self.slices.between().log_ratio(log).rising(f64::exp);
                (Some(Ratio { baseline: plan.baseline.clone(), estimated }), None)
            }
            Err(reason) => (None, Some(reason)),
        }
    }

    /// A rate or a throughput from the time, with its bounds.
    fn derived(&self, side: Side, metric: Metric, time: &Measured) -> Outcome {
        let per_time = match metric {
            Metric::Throughput => self.bytes_per_iteration(side),
            _ => 1e6,
        };
        let lower = time.estimated.interval.map_or(time.estimated.value, |interval| interval.lower);
        if lower.min(time.estimated.value) <= 0.0 {
            let failed = "the time is below one step of the clock; make the slices longer".to_owned();
            return Outcome::Failed { failed };
        }
        let estimated = time.estimated.falling(|us| per_time / us);
        // Both stacks move the same bytes, so the ratio of speeds is that of the times turned round.
        let ratio = time.ratio.as_ref().map(|ratio| Ratio {
            baseline: ratio.baseline.clone(),
            estimated: ratio.estimated.falling(|ratio| 1.0 / ratio),
        });
        Outcome::Measured(Measured { estimated, ratio, no_ratio: time.no_ratio.clone(), modes: None })
    }

    /// Bytes of plaintext that pass this side per iteration. One byte per µs is one MB/s.
    fn bytes_per_iteration(&self, side: Side) -> f64 {
        let (mut bytes, mut iterations) = (0.0, 0.0);
        for measurement in self.slices.of_stack(self.scenario, self.stack) {
            let side = of_side(measurement, side);
            bytes += side.plaintext_sent as f64 + side.plaintext_received as f64;
            iterations += measurement.iterations as f64;
        }
        bytes / iterations
    }
}

/// The estimate of a stack's time in a scenario, if it has one.
pub(super) fn time<'c>(cells: &'c [Cell], scenario: &str, stack: &str, side: Side) -> Option<&'c Estimated> {
    let wanted = |cell: &&Cell| {
        cell.metric == Metric::Time
            && cell.side == Whose::from(side)
            && cell.scenario == scenario
            && cell.stack == stack
    };
    cells.iter().find(wanted).and_then(|cell| cell.outcome.measured()).map(|measured| &measured.estimated)
}
