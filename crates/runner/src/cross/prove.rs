//! Before a pair is measured: is its work what the scenario asks for?

use serde_json::Value;
use tlslab_protocol::{Capabilities, ContextUse, Resumption, Scenario, Side, Start, Transport, Work};
use tlslab_record::PairProof;

use super::relay::{Line, Stop};

/// Connections that are made to see how long one takes; before them, as many to pay one-off costs.
const TRIAL: u32 = 4;

/// Why two stacks cannot be put together in a scenario, where that is plain beforehand.
pub(crate) fn hole(scenario: &Scenario, client: &Capabilities, server: &Capabilities) -> Option<PairProof> {
    for (side, able) in [(Side::Client, client), (Side::Server, server)] {
        if let Some(reason) = tlslab_scenario::hole(scenario, able) {
            return Some(PairProof::Unsupported { side, reason });
        }
    }
    let of_its_own = [
        (scenario.work != Work::Handshake, "application data"),
        (scenario.resumption != Resumption::None, "resumed handshakes"),
        (scenario.context != ContextUse::Reused, "fresh contexts"),
        (scenario.start != Start::Warm, "cold starts"),
        (scenario.transport != Transport::Memory, "sockets"),
        (scenario.concurrent || scenario.threads > 1, "several threads"),
    ];
    let (_, what) = of_its_own.into_iter().find(|(asked, _)| *asked)?;
    let reason = format!("between two processes the lab makes full handshakes over memory, without {what}");
    Some(PairProof::Unsupported { side: Side::Client, reason })
}

/// One connection with all that was seen of it, then a few to see how long they take.
pub(crate) fn prove(
    line: &mut Line<'_>,
    scenario: &Scenario,
    client: &Capabilities,
    server: &Capabilities,
) -> Result<PairProof, Stop> {
    let made = line.connections(1, true)?;
    let Some(facts) = made.facts else {
        return Ok(PairProof::Failed("nothing was seen of its connection".to_owned()));
    };
    // What was said beforehand, by that side which it is about.
    let able = Capabilities {
        offers_more: client.offers_more.clone(),
        renews_no_tickets: server.renews_no_tickets,
        ..Capabilities::default()
    };
    let facts = match tlslab_proof::check_declared(scenario, &facts, &able) {
        Ok(facts) => facts,
        Err(wrong) => {
            let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
            let what = format!("the work is not what was asked for: {}", wrong.join("; "));
            return Ok(PairProof::Failed(what));
        }
    };
    line.connections(TRIAL, false)?;
    let trial = line.connections(TRIAL, false)?;
    let ns: u64 = trial.sides.iter().map(|side| side.phases.total_ns()).sum();
    // Facts are plain data, which always serialises.
    let facts = serde_json::to_value(&facts).expect("facts serialise");
    Ok(PairProof::Proven { facts, iteration_ns: (ns as f64 / f64::from(TRIAL)).max(1.0) })
}

/// What the server sent in the connection that was proven, bytes.
pub(crate) fn server_flight(facts: &Value) -> u64 {
    facts["sizes"]["server_flight_bytes"].as_u64().unwrap_or_default()
}
