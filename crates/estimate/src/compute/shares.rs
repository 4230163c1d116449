//! The share of a handshake that is cryptography.

use std::collections::HashMap;

use tlslab_protocol::{
    Algorithm, Authentication, Operation, ProtocolVersion, Scenario, Side, Verification, Work,
};
use tlslab_record::{Proof, RunRecord};

use super::cells::proof;
use super::estimates::{estimated, visit_values};
use super::slices::Slices;
use crate::model::{Estimated, Family, Metric, Part, Share};

/// One entry per handshake of TLS 1.3 in which only the server shows a certificate, stack and side. Empty if
/// the run has no primitive.
pub(super) fn shares(record: &RunRecord, slices: &Slices) -> Vec<Share> {
    let scenarios = &record.plan.scenarios;
    if !scenarios.iter().any(|scenario| matches!(scenario.work, Work::Primitive(_))) {
        return Vec::new();
    }
    let mut shares = Vec::new();
    for (handshake, scenario) in scenarios.iter().enumerate().filter(|(_, scenario)| has_share(scenario)) {
        for (stack, taking_part) in record.plan.stacks.iter().enumerate() {
            for side in Side::BOTH {
                let parts = recipe(scenario, side);
                let found = share(record, slices, handshake, stack, side, &parts);
                let part = |&(operation, algorithm, times): &Needed| Part {
                    primitive: format!("{operation}/{algorithm}"),
                    times,
                };
                let (share, no_share) = match found {
                    Ok(share) => (Some(share), None),
                    Err(reason) => (None, Some(reason)),
                };
                shares.push(Share {
                    scenario: scenario.name.clone(),
                    stack: taking_part.name.clone(),
                    side,
                    parts: parts.iter().map(part).collect(),
                    share,
                    no_share,
                });
            }
        }
    }
    shares
}

/// An operation that a side does, with what, and how often.
type Needed = (Operation, Algorithm, u32);

fn has_share(scenario: &Scenario) -> bool {
    Family::of(scenario) == Family::Handshake
        && scenario.version == ProtocolVersion::TLS13
        && scenario.authentication == Authentication::Server
}

/// The number of certificate signatures that a client verifies: all that are sent, without the root's.
fn verified_certificates(scenario: &Scenario) -> u32 {
    match scenario.verification {
        Verification::None => 0,
        Verification::Chain | Verification::ChainAndName => scenario.chain,
    }
}

/// The public-key operations of a side of a handshake.
fn recipe(scenario: &Scenario, side: Side) -> Vec<Needed> {
    let (group, key) = (Algorithm::Group(scenario.group), Algorithm::Signature(scenario.signature));
    let encapsulates = scenario.group.encapsulates();
    let mut needed = match (side, encapsulates) {
        (Side::Server, true) => vec![(Operation::Encapsulate, group, 1)],
        (Side::Client, true) => {
            vec![(Operation::KeyGeneration, group, 1), (Operation::Decapsulate, group, 1)]
        }
        (_, false) => vec![(Operation::KeyGeneration, group, 1), (Operation::KeyAgreement, group, 1)],
    };
    needed.push(match side {
        Side::Client => (Operation::Verify, key, 1 + verified_certificates(scenario)),
        Side::Server => (Operation::Sign, key, 1),
    });
    needed
}

fn share(
    record: &RunRecord,
    slices: &Slices,
    handshake: usize,
    stack: usize,
    side: Side,
    parts: &[Needed],
) -> Result<Estimated, String> {
    let mut sums: HashMap<u32, (usize, f64)> = HashMap::new();
    for &(operation, algorithm, times) in parts {
        let index = record.plan.scenarios.iter().position(|scenario| {
            matches!(scenario.work, Work::Primitive(primitive)
                if primitive.operation == operation && primitive.algorithm == algorithm)
        });
        let index = index.ok_or_else(|| format!("the run has no {operation}/{algorithm}"))?;
        for (round, ns) in rounds(record, slices, index, stack, operation.side())? {
            let sum = sums.entry(round).or_default();
            *sum = (sum.0 + 1, sum.1 + f64::from(times) * ns);
        }
    }
    let whole = rounds(record, slices, handshake, stack, side)?;
    let share = |(round, ns): (u32, f64)| match sums.get(&round) {
        Some((count, sum)) if *count == parts.len() => Some(sum / ns),
        _ => None,
    };
    let shares: Vec<f64> = whole.into_iter().filter_map(share).collect();
    if shares.is_empty() {
        return Err("no round has both the handshake and all its operations".to_owned());
    }
    estimated(&shares, record.plan.policy.confidence)
}

/// A stack's time in a scenario per round, ns, or why it has none.
fn rounds(
    record: &RunRecord,
    slices: &Slices,
    scenario: usize,
    stack: usize,
    side: Side,
) -> Result<Vec<(u32, f64)>, String> {
    let name = &record.plan.scenarios[scenario].name;
    match proof(record, scenario, stack) {
        Some(Proof::Unsupported(reason)) => Err(format!("{name} is unsupported: {reason}")),
        Some(Proof::Failed(reason)) => Err(format!("{name} failed: {reason}")),
        _ => visit_values(slices.visits(scenario), stack, side, Metric::Time)
            .map_err(|refused| refused.to_string()),
    }
}
