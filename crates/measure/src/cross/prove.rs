//! Proves a pair before it is measured: its work must be what the scenario specifies.

use tlslab_pki::Pki;
use tlslab_protocol::{
    Capabilities, ContextUse, Resumption, Scenario, ServerKeyShare, Side, Start, Transport, Work,
};
use tlslab_record::PairProof;

use super::relay::{Line, Stop};
use crate::requests::{chains, credentials};

/// Connections that are made to measure the time of one; before them, as many to pay one-off costs.
const TRIAL: u32 = 4;

/// Why two stacks cannot be paired in a scenario, if that is known beforehand.
pub(crate) fn hole(scenario: &Scenario, client: &Capabilities, server: &Capabilities) -> Option<PairProof> {
    for (side, able) in [(Side::Client, client), (Side::Server, server)] {
        if let Some(reason) = tlslab_scenario::hole(scenario, able) {
            return Some(PairProof::Unsupported { side, reason });
        }
    }
    let of_its_own = [
        (scenario.defaults, "the defaults of each library"),
        (matches!(scenario.work, Work::Idle { .. }), "connections that are held"),
        (scenario.work.closes(), "requests and closing alerts"),
        (scenario.work != Work::Handshake, "application data"),
        (scenario.resumption != Resumption::None, "sessions and pre-shared keys"),
        (scenario.server_key_share != ServerKeyShare::Fresh, "key shares made beforehand"),
        (scenario.context != ContextUse::Reused, "fresh contexts"),
        (scenario.start != Start::Warm, "cold starts"),
        (scenario.transport != Transport::Memory, "sockets"),
        (scenario.rate > 0, "arrivals at a rate"),
        (scenario.concurrent || scenario.threads > 1, "several threads"),
    ];
    let (_, what) = of_its_own.into_iter().find(|(asked, _)| *asked)?;
    let reason = format!("between two processes the lab makes full handshakes over memory, without {what}");
    Some(PairProof::Unsupported { side: Side::Client, reason })
}

/// Why two different stacks cannot interoperate, if one of them has no cryptography.
pub(crate) fn understands_itself_alone(client: &Capabilities, server: &Capabilities) -> Option<PairProof> {
    let (side, _) = [(Side::Client, client), (Side::Server, server)]
        .into_iter()
        .find(|(_, able)| able.protects_nothing)?;
    let reason = "it has no cryptography and interoperates only with itself".to_owned();
    Some(PairProof::Unsupported { side, reason })
}

/// One connection with all its observations, then a few to measure their time.
pub(crate) fn prove(
    line: &mut Line<'_>,
    scenario: &Scenario,
    pki: &Pki,
    client: &Capabilities,
    server: &Capabilities,
) -> Result<PairProof, Stop> {
    let made = line.connections(1, true)?;
    let Some(facts) = made.facts else {
        return Ok(PairProof::Failed("no bytes of its connection were observed".to_owned()));
    };
    // The proof known beforehand, by the side that it belongs to.
    let able = Capabilities {
        offers_more: client.offers_more.clone(),
        renews_no_tickets: server.renews_no_tickets,
        records: server.records,
        sends_leaf_alone: server.sends_leaf_alone,
        ..Capabilities::default()
    };
    let given = chains(&credentials(pki, scenario));
    let facts = match tlslab_proof::check_declared(scenario, &facts, &able, &given) {
        Ok(facts) => facts,
        Err(wrong) => {
            let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
            let what = format!("the work differs from the request: {}", wrong.join("; "));
            return Ok(PairProof::Failed(what));
        }
    };
    line.connections(TRIAL, false)?;
    let trial = line.connections(TRIAL, false)?;
    let ns: u64 = trial.sides.iter().map(|side| side.phases.total_ns()).sum();
    Ok(PairProof::Proven { facts: facts.into(), iteration_ns: (ns as f64 / f64::from(TRIAL)).max(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requests::able_to;

    fn able() -> Capabilities {
        able_to(&Scenario::plain(Work::Handshake))
    }

    #[test]
    fn the_side_that_cannot_is_named() {
        let scenario = Scenario::plain(Work::Handshake);
        assert_eq!(hole(&scenario, &able(), &able()), None);
        let without = Capabilities { groups: vec![], ..able() };
        let side = |hole| match hole {
            Some(PairProof::Unsupported { side, .. }) => side,
            other => panic!("{other:?}"),
        };
        assert_eq!(side(hole(&scenario, &without, &able())), Side::Client);
        assert_eq!(side(hole(&scenario, &able(), &without)), Side::Server);
        let bare = Capabilities { protects_nothing: true, ..able() };
        assert_eq!(understands_itself_alone(&able(), &able()), None);
        assert_eq!(side(understands_itself_alone(&able(), &bare)), Side::Server);
    }

    #[test]
    fn what_two_processes_cannot_share_is_said() {
        let resumed = Scenario { resumption: Resumption::Ticket, ..Scenario::plain(Work::Handshake) };
        let tickets = tlslab_protocol::ResumptionKind::Ticket13;
        let able = Capabilities { resumption: vec![tickets], max_tickets: 2, ..able() };
        let Some(PairProof::Unsupported { reason, .. }) = hole(&resumed, &able, &able) else { panic!() };
        assert_eq!(
            reason,
            "between two processes the lab makes full handshakes over memory, without sessions and pre-shared keys"
        );
    }
}
