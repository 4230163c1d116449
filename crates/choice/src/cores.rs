//! Throughput on many processors: that of one times their number, up to the limit of contention.

use serde::Serialize;
use tlslab_contention::{Ceilings, Limit};
use tlslab_text::number::figure;

/// Processors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cores {
    /// How many.
    pub number: u32,
    /// The time of a write that moves a cache line between two of them, ns.
    pub move_ns: f64,
}

/// A stack's throughput on them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OnCores {
    /// Connections per second.
    pub connections_per_s: Option<f64>,
    /// Their limit; none if throughput scales with the processors.
    pub limit: Option<Limit>,
    /// Why that is not known.
    pub unknown: Option<String>,
}

impl OnCores {
    /// The throughput of a stack whose processors each make so many connections.
    pub(crate) fn of(ceilings: Result<Ceilings, String>, each_per_s: f64, number: u32) -> Self {
        match ceilings {
            Err(why) => Self { connections_per_s: None, limit: None, unknown: Some(why) },
            Ok(ceilings) => {
                let (rate, limit) = ceilings.rate(each_per_s, number);
                Self { connections_per_s: Some(rate), limit, unknown: None }
            }
        }
    }

    /// The rate and its limit, as cells of a table.
    pub(crate) fn cells(&self) -> [String; 2] {
        match (self.connections_per_s, self.limit) {
            (Some(rate), Some(limit)) => [figure(rate), limit.words().to_owned()],
            (Some(rate), None) => [figure(rate), "cores alone".to_owned()],
            (None, _) => ["unknown".to_owned(), self.unknown.clone().unwrap_or_default()],
        }
    }
}

/// The stack with the most connections, and the limits of all.
pub(crate) fn answer<'s>(ranked: impl Iterator<Item = (&'s str, &'s OnCores)>, cores: Cores) -> String {
    let known: Vec<(&str, f64, Option<Limit>)> =
        ranked.filter_map(|(stack, on)| Some((stack, on.connections_per_s?, on.limit))).collect();
    let Some((first, rate, limit)) = known.first() else {
        return format!("It is unknown what limits these stacks on {} cores", cores.number);
    };
    let by = |limit: &Option<Limit>| match limit {
        Some(limit) => format!("its {} limits it", limit.words()),
        None => "no counted resource limits it".to_owned(),
    };
    let limited: Vec<&str> =
        known[1..].iter().filter(|(_, _, limit)| limit.is_some()).map(|(stack, ..)| *stack).collect();
    let others = match &limited[..] {
        [] => String::new(),
        names => format!("; {} cannot use all cores", names.join(", ")),
    };
    format!(
        "On {} cores {first} makes the most connections, up to {} per second: {}{others}",
        cores.number,
        figure(*rate),
        by(limit)
    )
}

#[cfg(test)]
mod tests {
    use tlslab_estimate::Quantity;
    use tlslab_protocol::Side;
    use tlslab_text::ListFormat;

    use super::*;
    use crate::{Candidate, Cost, Mix, Ranking, profiles};

    /// A stack with this handshake time, this number of writes to its hottest line and this serial work.
    fn candidate(stack: &str, full_ns: f64, contended: Option<[f64; 2]>) -> Candidate {
        let cost = |metric: &str, value: f64| Cost {
            work: "ecdsa-p256 x25519".to_owned(),
            side: Side::Server,
            metric: metric.to_owned(),
            figure: Some(Quantity { value, lower: Some(value), upper: Some(value), unit: String::new() }),
            hole: String::new(),
            source: None,
        };
        let mut costs = vec![cost("time", full_ns)];
        costs.extend(contended.into_iter().flat_map(|[hottest, serial]| {
            [
                cost("contention.hottest", hottest),
                cost("contention.serial", serial),
                cost("contention.instructions", 1_000_000.0),
            ]
        }));
        Candidate { stack: stack.to_owned(), label: "1".to_owned(), costs }
    }

    #[test]
    fn the_fastest_of_one_core_need_not_be_that_of_many() {
        let mix = Mix { resumed: 0.0, bytes: 0.0, ..profiles().remove(0) };
        let all = [
            candidate("quick", 100_000.0, Some([500.0, 0.0])),
            candidate("serial", 150_000.0, Some([1.0, 100_000.0])),
            candidate("free", 200_000.0, Some([4.0, 0.0])),
            candidate("unknown", 90_000.0, None),
        ];
        let on = |number: u32| {
            let cores = Cores { number, move_ns: 50.0 };
            Ranking::of(&mix, &all, &[]).unwrap().on_cores(&all, cores)
        };
        let names = |ranking: &Ranking| -> Vec<String> {
            ranking.ranked.iter().map(|one| one.stack.clone()).collect()
        };
        // 4 × 10,000 and 40,000, which 500 × 50 ns allow.
        assert_eq!(names(&on(4)), ["quick 1", "serial 1", "free 1", "unknown 1"]);
        assert!(on(4).ranked.iter().all(|one| one.on_cores.as_ref().unwrap().limit.is_none()));
        let many = on(64);
        assert_eq!(names(&many), ["free 1", "serial 1", "quick 1", "unknown 1"]);
        insta::assert_snapshot!(format!("{}\n\n{}", many.answer(), many.text(ListFormat::Table)));
        let none = Ranking::of(&mix, &all[3..], &[]).unwrap();
        let none = none.on_cores(&all, Cores { number: 8, move_ns: 50.0 });
        assert_eq!(none.answer(), "It is unknown what limits these stacks on 8 cores");
    }
}
