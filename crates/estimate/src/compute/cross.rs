//! From the samples of pairs to the table of clients by servers.

use std::collections::{BTreeMap, HashMap, HashSet};

use tlslab_protocol::{Pairing, Side};
use tlslab_record::{PairProof, PairSample, RunRecord, VisitEstimator};
use tlslab_stats::median;

use super::estimates::estimated;
use super::slices::{Slices, visit_log_ratio, visit_value};
use crate::model::{
    Between, CrossCheck, CrossOutcome, CrossPair, CrossRefusal, CrossTable, CrossTimes, Estimated, Metric,
};
use tlslab_text::number::{counted, percent, significant, whole};

/// One table per scenario; none without cross pairing.
pub(super) fn tables(record: &RunRecord, slices: &Slices) -> Vec<CrossTable> {
    if record.plan.pairing != Pairing::Cross {
        return Vec::new();
    }
    let samples = PairSlices::of(record);
    (0..record.plan.scenarios.len()).map(|scenario| table(record, slices, &samples, scenario)).collect()
}

/// A pair's slices by round, then by block.
type Rounds<'r> = BTreeMap<u32, BTreeMap<u32, &'r PairSample>>;

/// The slices of complete visits per scenario, client and server.
struct PairSlices<'r> {
    of_pairs: HashMap<(usize, usize, usize), Rounds<'r>>,
    estimator: VisitEstimator,
}

impl<'r> PairSlices<'r> {
    fn of(record: &'r RunRecord) -> Self {
        let complete: HashSet<(u32, usize, u32)> = record
            .visits
            .iter()
            .filter(|visit| visit.complete)
            .map(|visit| (visit.round, visit.scenario, visit.attempt))
            .collect();
        let mut of_pairs: HashMap<_, Rounds> = HashMap::new();
        let counts = |sample: &&PairSample| {
            sample.iterations > 0 && complete.contains(&(sample.round, sample.scenario, sample.attempt))
        };
        for sample in record.pair_samples.iter().filter(counts) {
            let key = (sample.scenario, sample.client, sample.server);
            of_pairs.entry(key).or_default().entry(sample.round).or_default().insert(sample.block, sample);
        }
        Self { of_pairs, estimator: record.plan.estimator }
    }

    /// One value per visit, µs: of the sides that are named, per connection.
    fn visit_values(&self, key: (usize, usize, usize), sides: &[Side]) -> Vec<f64> {
        let visits = self.of_pairs.get(&key).into_iter().flat_map(BTreeMap::values);
        let values = visits.map(|slices| {
            let ns: Vec<f64> = slices.values().map(|sample| ns(sample, sides)).collect();
            visit_value(&ns, self.estimator)
        });
        values.filter_map(Result::ok).map(|ns| ns / 1000.0).collect()
    }

    fn connections(&self, key: (usize, usize, usize)) -> u64 {
        let visits = self.of_pairs.get(&key).into_iter().flat_map(BTreeMap::values);
        visits.flat_map(BTreeMap::values).fold(0, |sum, sample| sum.saturating_add(sample.iterations))
    }
}

fn ns(sample: &PairSample, sides: &[Side]) -> f64 {
    let total: f64 = sides.iter().map(|side| sample.sides[*side as usize].phases.total_ns() as f64).sum();
    total / sample.iterations as f64
}

fn table(record: &RunRecord, slices: &Slices, samples: &PairSlices, scenario: usize) -> CrossTable {
    let stacks = &record.plan.stacks;
    let proofs: HashMap<(usize, usize), &PairProof> = record
        .pairs
        .iter()
        .filter(|pair| pair.scenario == scenario)
        .map(|pair| ((pair.client, pair.server), &pair.proof))
        .collect();
    let mut pairs = Vec::new();
    for (client, of_client) in stacks.iter().enumerate() {
        for (server, of_server) in stacks.iter().enumerate() {
            let key = (scenario, client, server);
            let before: u64 = record
                .pair_samples
                .iter()
                .filter(|_| matches!(proofs.get(&(client, server)), Some(PairProof::Refused(_))))
                .filter(|sample| (sample.scenario, sample.client, sample.server) == key)
                .fold(0, |sum, sample| sum.saturating_add(sample.iterations));
            pairs.push(CrossPair {
                client: of_client.name.clone(),
                server: of_server.name.clone(),
                connections: samples.connections(key),
                outcome: outcome(record, samples, key, proofs.get(&(client, server)).copied(), before),
            });
        }
    }
    let checks = checks(record, slices, samples, scenario);
    let summary = summary(record, &pairs, &checks);
    CrossTable { scenario: record.plan.scenarios[scenario].name.clone(), pairs, checks, summary }
}

fn outcome(
    record: &RunRecord,
    samples: &PairSlices,
    key: (usize, usize, usize),
    proof: Option<&PairProof>,
    before: u64,
) -> CrossOutcome {
    match proof {
        None => CrossOutcome::Failed { failed: "the run ended before it was tried".to_owned() },
        Some(PairProof::Unsupported { side, reason }) => {
            CrossOutcome::Unsupported { side: *side, unsupported: reason.clone() }
        }
        Some(PairProof::Refused(refusal)) => CrossOutcome::Refused(CrossRefusal {
            refused_by: refusal.side,
            after: before,
            error: refusal.error.clone(),
            alert: refusal.alert.clone(),
            peer: refusal.peer.clone(),
        }),
        Some(PairProof::Failed(reason)) => CrossOutcome::Failed { failed: reason.clone() },
        Some(PairProof::Proven { .. }) => {
            let of = |sides: &[Side]| {
                let found = estimated(&samples.visit_values(key, sides), record.plan.policy.confidence);
                found.map(|us| Between::of(record).time(us))
            };
            match (of(&[Side::Client]), of(&[Side::Server]), of(&Side::BOTH)) {
                (Ok(client_us), Ok(server_us), Ok(sum_us)) => {
                    CrossOutcome::Measured(Box::new(CrossTimes { client_us, server_us, sum_us }))
                }
                _ => CrossOutcome::Failed { failed: "no visit with it was completed".to_owned() },
            }
        }
    }
}

/// Each stack against itself over the lab, over its own cell in the same blocks of the same visits.
fn checks(record: &RunRecord, slices: &Slices, samples: &PairSlices, scenario: usize) -> Vec<CrossCheck> {
    let ratio = |stack: usize, side: Side| -> Option<Estimated> {
        let of_pair = samples.of_pairs.get(&(scenario, stack, stack))?;
        let mut logs = Vec::new();
        for visit in slices.visits(scenario) {
            let Some(pair) = of_pair.get(&visit.round) else { continue };
            let own = visit.ns_by_block(stack, side, Metric::Time);
            let both = pair
                .iter()
                .filter_map(|(block, sample)| own.get(block).map(|own| (*own, ns(sample, &[side]))));
            let (own, cross): (Vec<f64>, Vec<f64>) = both.unzip();
            logs.extend(visit_log_ratio(&own, &cross, samples.estimator).ok());
        }
        let log = estimated(&logs, record.plan.policy.confidence).ok()?;
        Some(slices.between().log_ratio(log).rising(f64::exp))
    };
    let check = |(stack, taking_part): (usize, &tlslab_record::StackRecord)| {
        let (client, server) = (ratio(stack, Side::Client)?, ratio(stack, Side::Server)?);
        Some(CrossCheck { stack: taking_part.name.clone(), client, server })
    };
    record.plan.stacks.iter().enumerate().filter_map(check).collect()
}

fn summary(record: &RunRecord, pairs: &[CrossPair], checks: &[CrossCheck]) -> Vec<String> {
    let kind = |wanted: &str| {
        pairs.iter().filter(|pair| pair.outcome.hole().is_some_and(|(kind, _)| kind == wanted)).count()
    };
    let measured: Vec<&CrossPair> = pairs.iter().filter(|pair| pair.outcome.measured().is_some()).collect();
    let mut sentences = vec![format!(
        "{} of client and server: {} measured, {} unsupported, {} failed.",
        counted(pairs.len(), "pair"),
        whole(measured.len()),
        whole(kind("unsupported")),
        whole(kind("failed"))
    )];
    let middle = |values: Vec<f64>| median(&values).ok();
    let connections = middle(measured.iter().map(|pair| pair.connections as f64).collect());
    let widths = measured.iter().filter_map(|pair| {
        let sum = &pair.outcome.measured()?.sum_us;
        let interval = sum.interval?;
        Some(100.0 * (interval.upper - sum.value).max(sum.value - interval.lower) / sum.value)
    });
    if let Some(connections) = connections {
        let confidence = percent(record.plan.policy.confidence);
        sentences.push(match middle(widths.collect()) {
            Some(width) => format!(
                "A pair has {} in the median, and a {confidence} interval of ± {} % of both sides' time.",
                counted(connections as usize, "connection"),
                significant(width, 2)
            ),
            None => format!(
                "A pair has {} in the median; there are too few visits for intervals.",
                counted(connections as usize, "connection")
            ),
        });
    }
    let of = |side: fn(&CrossCheck) -> f64| -> Option<(f64, f64, f64)> {
        let mut ratios: Vec<f64> = checks.iter().map(side).collect();
        ratios.sort_by(f64::total_cmp);
        Some((*ratios.first()?, median(&ratios).ok()?, *ratios.last()?))
    };
    if let (Some(client), Some(server)) = (of(|check| check.client.value), of(|check| check.server.value)) {
        let words = |(least, middle, most): (f64, f64, f64)| format!("{middle:.3} ({least:.3} to {most:.3})");
        sentences.push(format!(
            "Harness check: a stack against itself through the lab takes {} of its own cell's time as client and {} as \
             server (median and range over {}).",
            words(client),
            words(server),
            counted(checks.len(), "stack")
        ));
    }
    sentences
}
