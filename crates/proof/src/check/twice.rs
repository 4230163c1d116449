//! Checks over two connections: which secrets are new each time, and which are not.

use tlslab_protocol::{Facts, ProtocolVersion, Resumption, Scenario};

use crate::Source;
use crate::check::WrongFact;
use crate::check::checker::Checker;
use crate::transcript::Transcript;

/// Checks two consecutive connections of one scenario, each of which has passed [`check`](super::check). In
/// TLS 1.3:
///
/// * No key share is repeated, on either side: a server with pre-generated shares uses each once.
/// * Each connection resumes a ticket of its own, or all the same one, or uses the external PSK, as the
///   scenario specifies.
///
/// # Errors
/// Fails with every wrong fact, at least one.
pub fn check_two(scenario: &Scenario, first: &Facts, second: &Facts) -> Result<(), Vec<WrongFact>> {
    if scenario.version != ProtocolVersion::TLS13 {
        return Ok(());
    }
    // Each was parsed before, when it was checked alone.
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
