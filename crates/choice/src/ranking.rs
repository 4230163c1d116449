//! Stacks in the order of what a mix costs them.

use serde::Serialize;
use tlslab_estimate::Quantity;
use tlslab_text::{ListFormat, Listing};

use crate::candidate::{Candidate, Total};
use crate::mix::Mix;
use crate::work::Work;

/// Stacks in order, the one that takes least first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// What was asked for.
    pub mix: Mix,
    /// Those with all costs of it.
    pub ranked: Vec<Ranked>,
    /// Those without a place.
    pub missing: Vec<Missing>,
}

/// A stack with a place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// The stack with its version.
    pub stack: String,
    /// What a connection takes.
    pub total: Quantity,
    /// Whether its bounds are beyond those of the first.
    pub is_behind: bool,
    /// Connections per second of one core that does nothing else.
    pub connections_per_s: Option<Quantity>,
    /// Bytes that such a core carries in that time, MB/s.
    pub mb_per_s: Option<Quantity>,
    /// What a full handshake takes: how long its side keeps the other waiting.
    pub handshake: Option<Quantity>,
    /// Heap of an idle connection.
    pub memory: Option<Quantity>,
    /// Why that is not known.
    pub no_memory: String,
}

/// A stack without a place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Missing {
    /// The stack with its version.
    pub stack: String,
    /// The first thing that is missing, and why.
    pub why: String,
}

impl Ranking {
    /// Of these stacks.
    #[must_use]
    pub fn of(mix: &Mix, candidates: &[Candidate]) -> Self {
        let (mut ranked, mut missing) = (Vec::new(), Vec::new());
        for candidate in candidates {
            match candidate.total(mix) {
                Total::Known(total) => ranked.push(place(candidate, mix, total)),
                Total::Missing(why) => missing.push(Missing { stack: candidate.name(), why }),
            }
        }
        ranked.sort_by(|one, other| one.total.value.total_cmp(&other.total.value));
        if let Some(end) = ranked.first().map(|first| first.total.upper.unwrap_or(first.total.value)) {
            for one in &mut ranked {
                one.is_behind = one.total.lower.unwrap_or(one.total.value) > end;
            }
        }
        Self { mix: mix.clone(), ranked, missing }
    }

    /// The answer in a sentence.
    #[must_use]
    pub fn answer(&self) -> String {
        match &self.ranked[..] {
            [] => "No stack has all the costs of this mix".to_owned(),
            [one] => format!("{} alone has all costs: {} per connection", one.stack, one.total.text()),
            [first, second, ..] if second.is_behind => format!(
                "{} takes least, {} per connection: {:.1} % less than {}",
                first.stack,
                first.total.text(),
                100.0 * (1.0 - first.total.value / second.total.value),
                second.stack
            ),
            [first, second, ..] => {
                format!("{} and {} are level: their bounds overlap", first.stack, second.stack)
            }
        }
    }

    /// As a table of text, Markdown or JSON.
    #[must_use]
    pub fn text(&self, format: ListFormat) -> String {
        let is_time = self.mix.metric == "time";
        let mut columns = vec!["stack", "per connection", "bounds"];
        if is_time {
            columns.extend(["connections/s and core", "MB/s and core"]);
        }
        columns.extend(["full handshake", "heap of an idle connection"]);
        let mut listing = Listing::new(columns);
        for one in &self.ranked {
            let mut row = vec![one.stack.clone(), one.total.text(), one.total.range()];
            if is_time {
                let rate = |rate: &Option<Quantity>| {
                    rate.as_ref()
                        .map(|rate| format!("{} {}", rate.number(), rate.range()))
                        .unwrap_or_default()
                };
                row.extend([rate(&one.connections_per_s), rate(&one.mb_per_s)]);
            }
            row.push(one.handshake.as_ref().map(Quantity::text).unwrap_or_default());
            row.push(one.memory.as_ref().map_or_else(|| one.no_memory.clone(), Quantity::text));
            listing.add(row);
        }
        listing.text(format)
    }
}

fn place(candidate: &Candidate, mix: &Mix, total: Quantity) -> Ranked {
    // A mix in which all connections resume may not have any.
    let handshake = candidate.cost(&Work::Full(mix.key.clone()), mix.side, &mix.metric).ok().cloned();
    let second = if total.unit == "µs" { 1e6 } else { 1e9 };
    let per_second = (mix.metric == "time").then(|| rate(&total, second, ""));
    let memory = candidate.idle(mix.side);
    Ranked {
        stack: candidate.name(),
        is_behind: false,
        mb_per_s: per_second
            .as_ref()
            .filter(|_| mix.bytes > 0.0)
            .map(|_| rate(&total, second * mix.bytes / 1e6, "MB/s")),
        connections_per_s: per_second,
        handshake,
        no_memory: memory.as_ref().err().cloned().unwrap_or_default(),
        memory: memory.ok().cloned(),
        total,
    }
}

/// How much of something fits into a time: its bounds change places.
fn rate(time: &Quantity, of: f64, unit: &str) -> Quantity {
    let inverse = |bound: f64| of / bound;
    Quantity {
        value: inverse(time.value),
        lower: time.upper.map(inverse),
        upper: time.lower.map(inverse),
        unit: unit.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::Side;

    use super::*;
    use crate::candidate::Cost;
    use crate::mix::profiles;

    fn candidate(stack: &str, full: f64, memory: Option<f64>) -> Candidate {
        let cost = |work: &str, metric: &str, value: f64, unit: &str| Cost {
            work: work.to_owned(),
            side: Side::Server,
            metric: metric.to_owned(),
            figure: Some(Quantity {
                value,
                lower: Some(value * 0.99),
                upper: Some(value * 1.01),
                unit: unit.to_owned(),
            }),
            hole: String::new(),
        };
        let mut costs = vec![
            cost("ecdsa-p256 x25519", "time", full, "ns"),
            cost("resumed", "time", full / 2.0, "ns"),
            cost("send", "time", 4_000.0, "ns"),
        ];
        costs.extend(memory.map(|memory| cost("idle", "idle.heap", memory, "bytes")));
        Candidate { stack: stack.to_owned(), label: "1.2".to_owned(), costs }
    }

    #[test]
    fn the_first_is_named_only_if_its_bounds_are_clear() {
        let mix = &profiles()[0];
        let [a, b] = [candidate("a", 100_000.0, Some(20_480.0)), candidate("b", 300_000.0, None)];
        let ranking = Ranking::of(mix, &[b.clone(), a.clone()]);
        assert_eq!(ranking.answer(), "a 1.2 takes least, 100.0 µs per connection: 60.0 % less than b 1.2");
        insta::assert_snapshot!(ranking.text(ListFormat::Table));
        let level = Ranking::of(mix, &[candidate("c", 100_500.0, None), a.clone()]);
        assert_eq!(level.answer(), "a 1.2 and c 1.2 are level: their bounds overlap");
        assert_eq!(Ranking::of(mix, &[]).answer(), "No stack has all the costs of this mix");
        let none = Candidate { costs: Vec::new(), ..b };
        let alone = Ranking::of(mix, &[none, a]);
        assert_eq!(alone.answer(), "a 1.2 alone has all costs: 100.0 µs per connection");
        assert_eq!(alone.missing[0].why, "ecdsa-p256 x25519: not measured");
    }

    #[test]
    fn rates_are_the_inverse_and_their_bounds_change_places() {
        let ranked = Ranking::of(&profiles()[0], &[candidate("a", 100_000.0, None)]).ranked.remove(0);
        let rate = ranked.connections_per_s.unwrap();
        // 0.5 · 100 µs + 0.5 · 50 µs + 6.25 · 4 µs
        assert!((rate.value - 10_000.0).abs() < 1e-6);
        assert!(rate.lower.unwrap() < rate.value && rate.value < rate.upper.unwrap());
        assert!((ranked.mb_per_s.unwrap().value - 1024.0).abs() < 1e-6);
    }
}
