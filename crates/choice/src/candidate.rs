//! Stacks with the costs of their work.

use serde::{Deserialize, Serialize};
use tlslab_contention::{Ceilings, Limits};
use tlslab_estimate::Quantity;
use tlslab_protocol::{Scenario, Side, Work as Done};
use tlslab_record::Figure;

use crate::mix::Mix;
use crate::work::Work;

/// The metrics that costs are of.
const METRICS: [&str; 12] = [
    "time",
    "count.instructions",
    IDLE,
    "idle.resident",
    "heap.peak",
    "heap.held",
    "heap.context",
    HOTTEST,
    SERIAL,
    CONTENTION,
    "wire.handshake",
    "wire.data",
];
/// Writes to the hottest line.
const HOTTEST: &str = "contention.hottest";
/// Instructions while a lock is held alone.
const SERIAL: &str = "contention.serial";
/// All serial instructions, if they were counted.
const CONTENTION: &str = "contention.instructions";
/// The memory of an idle connection.
const IDLE: &str = "idle.heap";

/// A stack with its costs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The stack without its version.
    pub stack: String,
    /// Its version.
    pub label: String,
    /// Its costs.
    pub costs: Vec<Cost>,
}

/// The cost of a piece of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// `resumed`, `send`, `receive`, `idle`, or a full handshake by its key and group.
    pub work: String,
    /// The side.
    pub side: Side,
    /// The metric.
    pub metric: String,
    /// The cost.
    pub figure: Option<Quantity>,
    /// The reason for its absence.
    pub hole: String,
    /// Where it was measured.
    #[serde(skip)]
    pub source: Option<Source>,
}

/// Where a cost was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The run.
    pub run: String,
    /// The scenario.
    pub scenario: String,
    /// The side there.
    pub side: Side,
    /// The stack as the run names it.
    pub stack: String,
}

/// The cost of a mix for a candidate.
#[derive(Clone, Debug, PartialEq)]
pub enum Total {
    /// It is known.
    Known(Quantity),
    /// The work without a cost, and why.
    Missing(String),
}

impl Cost {
    /// The costs that a figure of a run gives, if a mix can use them: several if the side does not matter.
    #[must_use]
    pub fn of(scenario: &Scenario, figure: &Figure, run: &str) -> Vec<Self> {
        let series = &figure.series;
        let side = Side::BOTH.into_iter().find(|side| side.name() == series.side);
        let Some(side) = side.filter(|_| METRICS.contains(&series.metric.as_str())) else {
            return Vec::new();
        };
        let is_size = series.metric.starts_with("wire.");
        // What a client verifies changes nothing that is sent.
        let of_side = if is_size && scenario.work == Done::Handshake { Side::Server } else { side };
        let Some(work) = Work::of(scenario, of_side) else { return Vec::new() };
        if is_size && work == Work::Receive {
            return Vec::new();
        }
        if (work == Work::Idle) != series.metric.starts_with("idle.") {
            return Vec::new();
        }
        let source = Source {
            run: run.to_owned(),
            scenario: series.scenario.clone(),
            side,
            stack: figure.stack.clone(),
        };
        let cost = |side: Side| Self {
            source: Some(source.clone()),
            work: work.name().to_owned(),
            side,
            metric: series.metric.clone(),
            figure: figure.outcome.value().map(|value| Quantity {
                value: value.value,
                lower: value.lower,
                upper: value.upper,
                unit: series.unit.clone(),
            }),
            hole: figure.outcome.hole().map(|(kind, why)| format!("{kind}: {why}")).unwrap_or_default(),
        };
        match work {
            // Protecting a record costs the same on either side.
            Work::Send | Work::Receive => Side::BOTH.map(cost).into(),
            _ => vec![cost(side)],
        }
    }
}

/// Why a stack whose cryptography does nothing has no rank.
pub const PROTECTS_NOTHING: &str = "its cryptography does nothing";

impl Cost {
    /// The same without its figure, as that of a stack that no library could lose to.
    #[must_use]
    pub fn unranked(self) -> Self {
        Self { figure: None, hole: PROTECTS_NOTHING.to_owned(), ..self }
    }
}

impl Candidate {
    /// The stack with its version.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.stack, self.label).trim_end().to_owned()
    }

    /// Adds costs; returns whether any was new. If several scenarios are of the same kind, the first counts.
    pub fn add(&mut self, costs: Vec<Cost>) -> bool {
        let before = self.costs.len();
        for cost in costs {
            let is_it = |known: &Cost| {
                known.work == cost.work && known.side == cost.side && known.metric == cost.metric
            };
            if !self.costs.iter().any(is_it) {
                self.costs.push(cost);
            }
        }
        self.costs.len() > before
    }

    /// The cost of a piece of work.
    ///
    /// # Errors
    /// Fails if the cost is unknown, with the reason.
    pub fn cost(&self, work: &Work, side: Side, metric: &str) -> Result<&Quantity, String> {
        let work = work.name();
        let is_it = |cost: &&Cost| cost.work == work && cost.side == side && cost.metric == metric;
        match self.costs.iter().find(is_it) {
            Some(Cost { figure: Some(figure), .. }) => Ok(figure),
            Some(cost) => Err(format!("{work}: {}", cost.hole)),
            None => Err(format!("{work}: not measured")),
        }
    }

    /// Whether the cost of a piece of work is known, or known to be missing.
    #[must_use]
    pub fn knows(&self, work: &Work, side: Side, metric: &str) -> bool {
        let is_it = |cost: &Cost| cost.work == work.name() && cost.side == side && cost.metric == metric;
        self.costs.iter().any(is_it)
    }

    /// Whether everything of a mix is known, or known to be missing.
    #[must_use]
    pub fn is_measured(&self, mix: &Mix) -> bool {
        mix.parts().iter().all(|(work, _)| self.knows(work, mix.side, &mix.metric))
            && self.knows(&Work::Idle, mix.side, IDLE)
    }

    /// Whether the memory of an idle connection and of a handshake is known on a side, or known to be
    /// missing.
    #[must_use]
    pub fn is_weighed(&self, mix: &Mix) -> bool {
        self.knows(&Work::Idle, mix.side, "idle.resident")
            && self.knows(&Work::Full(mix.key.clone()), mix.side, "heap.peak")
    }

    /// The cost of a connection of the mix.
    #[must_use]
    pub fn total(&self, mix: &Mix) -> Total {
        let mut sum = Quantity { value: 0.0, lower: Some(0.0), upper: Some(0.0), unit: String::new() };
        for (work, times) in mix.parts() {
            match self.cost(&work, mix.side, &mix.metric) {
                Ok(figure) => {
                    sum.value += times * figure.value;
                    sum.lower = sum.lower.zip(figure.lower).map(|(sum, lower)| sum + times * lower);
                    sum.upper = sum.upper.zip(figure.upper).map(|(sum, upper)| sum + times * upper);
                    sum.unit.clone_from(&figure.unit);
                }
                Err(missing) => return Total::Missing(missing),
            }
        }
        Total::Known(sum)
    }

    /// The limits of a connection of a mix of times, whatever the number of processors: both bounds, for a
    /// write that takes `move_ns` to move a line. The hottest line is assumed to be the same in all work of
    /// the mix. The share of contended accesses is not requested, and 0.
    ///
    /// # Errors
    /// Fails if the cost of some work is unknown, with the work and the reason.
    pub fn ceilings(&self, mix: &Mix, move_ns: f64) -> Result<Ceilings, String> {
        let (mut hottest, mut serial_ns, mut side_ns) = (0.0, 0.0, 0.0);
        for (work, times) in mix.parts() {
            let cost = |metric: &str| self.cost(&work, mix.side, metric).map(|figure| figure.value);
            let in_ns = if self.cost(&work, mix.side, "time")?.unit == "µs" { 1e3 } else { 1.0 };
            let ns = times * cost("time")? * in_ns;
            side_ns += ns;
            // A cell without contention has its reason with these metrics.
            serial_ns += ns * cost(SERIAL)? / cost(CONTENTION)?.max(1.0);
            hottest += times * cost(HOTTEST)?;
        }
        let serial_share = if side_ns > 0.0 { serial_ns / side_ns } else { 0.0 };
        let limits = Limits { hottest_writes: hottest, serial_share, ..Limits::default() };
        Ok(Ceilings::of(limits, side_ns, move_ns))
    }

    /// Whether its limit on many processors is known, or known to be missing.
    #[must_use]
    pub fn has_limits(&self, mix: &Mix) -> bool {
        let has = |work: &Work| {
            self.costs.iter().any(|cost| {
                let is_of_work = cost.work == work.name() && cost.side == mix.side;
                is_of_work && (cost.metric == CONTENTION || cost.metric == SERIAL && cost.figure.is_none())
            })
        };
        mix.parts().iter().all(|(work, _)| has(work))
    }

    /// The memory of an idle connection.
    ///
    /// # Errors
    /// Fails if the cost is unknown, with the reason.
    pub fn idle(&self, side: Side) -> Result<&Quantity, String> {
        self.cost(&Work::Idle, side, IDLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mix::profiles;

    fn candidate(stack: &str, full: f64, resumed: Option<f64>) -> Candidate {
        let cost = |work: &str, value: Option<f64>| Cost {
            work: work.to_owned(),
            side: Side::Server,
            metric: "time".to_owned(),
            figure: value.map(|value| Quantity {
                value,
                lower: Some(value * 0.9),
                upper: Some(value * 1.1),
                unit: "ns".to_owned(),
            }),
            hole: if value.is_none() { "unsupported: no tickets".to_owned() } else { String::new() },
            source: None,
        };
        let costs = vec![
            cost("ecdsa-p256 x25519", Some(full)),
            cost("resumed", resumed),
            cost("send", Some(4_000.0)),
        ];
        Candidate { stack: stack.to_owned(), label: String::new(), costs }
    }

    #[test]
    fn a_connection_costs_its_parts_and_their_bounds() {
        let mix = Mix { resumed: 0.25, bytes: 32_768.0, ..profiles().remove(0) };
        // 0.75 · 100,000 + 0.25 · 40,000 + 2 · 4,000
        let Total::Known(total) = candidate("a", 100_000.0, Some(40_000.0)).total(&mix) else { panic!() };
        assert!((total.value - 93_000.0).abs() < 1e-6);
        assert!((total.lower.unwrap() - 83_700.0).abs() < 1e-6);
        assert!((total.upper.unwrap() - 102_300.0).abs() < 1e-6);
        assert_eq!(
            candidate("b", 1.0, None).total(&mix),
            Total::Missing("resumed: unsupported: no tickets".to_owned())
        );
        // A mix without resumption needs no cost of it.
        let full = Mix { resumed: 0.0, ..mix };
        assert!(matches!(candidate("b", 1.0, None).total(&full), Total::Known(_)));
        assert!(!candidate("b", 1.0, None).is_measured(&full), "the memory is not known");
        let other = Mix { side: Side::Client, ..full };
        assert_eq!(
            candidate("b", 1.0, None).total(&other),
            Total::Missing("ecdsa-p256 x25519: not measured".to_owned())
        );
    }
}
