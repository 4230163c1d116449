//! What only two connections show: which secrets are new each time, and which are not.

use tlslab_protocol::{Facts, ProtocolVersion, Resumption, Scenario};

use crate::Source;
use crate::check::WrongFact;
use crate::check::checker::Checker;
use crate::transcript::Transcript;

/// Checks two connections of one scenario, one after the other, each of which is as it must be. In TLS 1.3:
///
/// * No key share comes twice, from either side: a server whose shares are made beforehand uses each once.
/// * Each connection takes up a ticket of its own, or all the same one, or the external PSK, as the scenario
///   has it.
///
/// # Errors
/// What is wrong, at least one fact.
pub fn check_two(scenario: &Scenario, first: &Facts, second: &Facts) -> Result<(), Vec<WrongFact>> {
    if scenario.version != ProtocolVersion::TLS13 {
        return Ok(());
    }
    // Each was read before, when it was checked by itself.
    let (Ok(first), Ok(second)) = (Transcript::read(&first.flights), Transcript::read(&second.flights))
    else {
        return Ok(());
    };
    let mut checker = Checker::default();
    let shares = |transcript: &Transcript<'_>| transcript.client_hello.shares.clone();
    if shares(&first).iter().any(|share| shares(&second).contains(share)) {
        checker.wrong("client's key share", "a new one in each connection", "the same in two", Source::Wire);
    }
    if first.server_hello.share.is_some() && first.server_hello.share == second.server_hello.share {
        checker.wrong("server's key share", "a new one in each connection", "the same in two", Source::Wire);
    }
    let same = first.client_hello.psk_identities == second.client_hello.psk_identities;
    match scenario.resumption {
        Resumption::Ticket if same => {
            checker.wrong("ticket", "a new one in each connection", "the same in two", Source::Wire);
        }
        Resumption::TicketReused if !same => {
            checker.wrong("ticket", "the same in every connection", "two different ones", Source::Wire);
        }
        _ => {}
    }
    checker.finish(())
}
