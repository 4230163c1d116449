//! What the lab's own peer finds, with drivers that are the peer itself and err.

use std::sync::atomic::{AtomicU32, Ordering};

use tlslab_protocol::{KeyType, Relayed, Verification};

use super::*;
use crate::requests::able_to;

/// A driver whose sides are both the lab's peer.
struct Careless<'a> {
    scenario: &'a Scenario,
    credentials: &'a Credentials,
    sides: [Option<Peer>; 2],
    /// The change of a result before it is sent.
    changes: fn(Side, &mut RelayResult),
}

impl Talk for Careless<'_> {
    fn ask(&mut self, request: &Request, _: Duration) -> Result<Reply, DriverFailure> {
        let Request::Relay { side, steps, .. } = request else { return Ok(Reply::Prepared {}) };
        let slot = &mut self.sides[*side as usize];
        let mut results = Vec::new();
        for step in steps {
            let mut result = RelayResult::default();
            match step.call {
                RelayCall::Create => {
                    *slot = Peer::new(*side, self.scenario, self.credentials, None).ok();
                }
                RelayCall::Handshake => {
                    let own = slot.as_mut().unwrap().step(&step.input);
                    result = RelayResult { output: own.output, done: own.is_done, ..result };
                    result.refused = own.refused;
                    (self.changes)(*side, &mut result);
                }
                RelayCall::Close => {
                    let own = slot.as_mut().unwrap();
                    // The first call closes, the second has the peer's alert.
                    result.done = own.step(&step.input).is_closed;
                    result.output = own.close();
                    (self.changes)(*side, &mut result);
                }
                _ => *slot = None,
            }
            results.push(result);
        }
        Ok(Reply::Relayed(Relayed { results, ..Relayed::default() }))
    }

    fn resident_bytes(&mut self) -> Result<u64, DriverFailure> {
        unreachable!("nothing is weighed")
    }

    fn end(self: Box<Self>) -> Result<(), DriverFailure> {
        Ok(())
    }
}

fn proven(changes: fn(Side, &mut RelayResult)) -> Result<Vec<ProvenFault>, String> {
    proven_at(Verification::ChainAndName, changes)
}

fn proven_at(
    verification: Verification,
    changes: fn(Side, &mut RelayResult),
) -> Result<Vec<ProvenFault>, String> {
    proven_of(Scenario { verification, ..Scenario::plain(Work::Handshake) }, changes)
}

fn proven_of(scenario: Scenario, changes: fn(Side, &mut RelayResult)) -> Result<Vec<ProvenFault>, String> {
    let place = tempfile::tempdir().unwrap();
    let pki = Pki::ensure(place.path(), &[KeyType::EcdsaP256]).unwrap();
    let credentials = credentials(&pki, &scenario);
    let able = able_to(&scenario);
    let mut driver =
        Careless { scenario: &scenario, credentials: &credentials, sides: [None, None], changes };
    let faults: Vec<Fault> =
        tlslab_proof::faults(&scenario).into_iter().filter(|fault| fault.kind.takes_a_peer()).collect();
    prove(&mut driver, &scenario, &pki, &able, &faults, Duration::from_secs(1)).unwrap()
}

/// Continues although it should refuse for this reason.
fn accept(reason: &str, result: &mut RelayResult) {
    if result.refused.as_ref().is_some_and(|refused| refused.contains(reason)) {
        result.refused = None;
        result.done = true;
    }
}

const WRONG_FINISHED: &str = "cannot decrypt";

#[test]
fn a_stack_that_checks_everything_passes() {
    let faults = proven(|_, _| {}).unwrap();
    assert_eq!(faults.len(), 5);
    assert!(faults.iter().all(|fault| fault.outcome.starts_with("refused by the ")), "{faults:?}");
}

#[test]
fn a_client_without_the_check_of_the_signature_is_found() {
    let said = proven(|_, result| accept("BadSignature", result)).unwrap_err();
    let expected =
        "negative test bad CertificateVerify: the client accepted a server's signature of other data";
    assert_eq!(said, expected);
}

#[test]
fn a_client_without_the_check_of_the_usage_is_found() {
    let said = proven(|_, result| accept("extended key usage", result)).unwrap_err();
    assert!(said.starts_with("negative test certificate for clients only: the client accepted"), "{said}");
}

#[test]
fn a_side_without_the_check_of_the_finished_is_found() {
    let of_server = proven(|side, result| match side {
        Side::Client => accept(WRONG_FINISHED, result),
        Side::Server => {}
    });
    let expected =
        "negative test bad Finished of the server: the client accepted a wrong Finished of the server";
    assert_eq!(of_server.unwrap_err(), expected);
    let of_client = proven(|side, result| match side {
        Side::Client => {}
        Side::Server => accept(WRONG_FINISHED, result),
    });
    let expected =
        "negative test bad Finished of the client: the server accepted a wrong Finished of the client";
    assert_eq!(of_client.unwrap_err(), expected);
}

#[test]
fn a_side_that_is_done_too_early_is_found() {
    let said = proven(|side, result| result.done |= side == Side::Server).unwrap_err();
    assert!(said.ends_with("it reports a complete handshake before the peer's Finished has come"), "{said}");
    assert!(said.starts_with("its server does not complete"), "{said}");
}

#[test]
fn a_stack_that_refuses_everybody_proves_nothing() {
    let said = proven(|_, result| result.refused = Some("no".to_owned())).unwrap_err();
    let expected = "its client does not complete a handshake with the lab's own peer, so that faults cannot be tried: \
                    it refuses a valid handshake: no";
    assert_eq!(said, expected);
}

#[test]
fn a_stack_that_refuses_once_it_was_tried_proves_nothing() {
    static HELLOS: AtomicU32 = AtomicU32::new(0);
    let said = proven(|side, result| {
        // A client's first call gives more than its last one.
        let is_hello = side == Side::Client && result.output.len() > 150;
        if is_hello && HELLOS.fetch_add(1, Ordering::Relaxed) > 0 {
            result.refused = Some("no more".to_owned());
        }
    });
    let expected = "negative test certificate for clients only: it refuses a valid handshake: no more";
    assert_eq!(said.unwrap_err(), expected);
}

#[test]
fn a_stack_that_cannot_read_every_signature_is_tried_again() {
    static FLIGHTS: AtomicU32 = AtomicU32::new(0);
    let faults = proven(|side, result| {
        let has_read = side == Side::Client && result.done;
        if has_read && FLIGHTS.fetch_add(1, Ordering::Relaxed) < TRIES - 1 {
            *result = RelayResult { refused: Some("unreadable".to_owned()), ..RelayResult::default() };
        }
    });
    assert_eq!(faults.unwrap().len(), 5);
}

/// A signature that the peer cannot read does not show that the side accepted a wrong Finished.
#[test]
fn a_flight_that_the_peer_refuses_now_and_then_is_tried_again() {
    static FLIGHTS: AtomicU32 = AtomicU32::new(0);
    let faults = proven(|side, result| {
        let is_flight = side == Side::Server && result.output.len() > 500;
        // One that has been tried before.
        if is_flight && FLIGHTS.fetch_add(1, Ordering::Relaxed) == 1 {
            let last = result.output.len() - 1;
            result.output[last] ^= 1;
        }
    });
    assert_eq!(faults.unwrap().len(), 5);
    assert!(FLIGHTS.load(Ordering::Relaxed) > 2);
}

#[test]
fn a_certificate_that_must_pass_is_tried_again() {
    static REFUSALS: AtomicU32 = AtomicU32::new(0);
    let faults = proven_at(Verification::None, |_, result| {
        let refuses = result.refused.as_ref().is_some_and(|refused| refused.contains("extended key usage"));
        if refuses && REFUSALS.fetch_add(1, Ordering::Relaxed) > 0 {
            accept("extended key usage", result);
        }
    });
    let faults = faults.unwrap();
    let passed = faults.iter().find(|fault| fault.name == "certificate for clients only").unwrap();
    assert!(passed.outcome.starts_with("completed"), "{passed:?}");
}

#[test]
fn a_client_that_goes_on_without_a_word_is_found() {
    let said = proven(|side, result| {
        let has_refused = |refused: &String| refused.contains(WRONG_FINISHED);
        if side == Side::Client && result.refused.as_ref().is_some_and(has_refused) {
            result.refused = None;
            result.output = vec![20, 3, 3, 0, 1, 1];
        }
    });
    let expected =
        "negative test bad Finished of the server: the client accepted a wrong Finished of the server";
    assert_eq!(said.unwrap_err(), expected);
}

#[test]
fn a_side_of_a_short_connection_closes_with_an_alert_that_the_peer_reads() {
    let work = Work::Request { request_bytes: 1, response_bytes: 1 };
    let request = || Scenario { verification: Verification::ChainAndName, ..Scenario::plain(work) };
    assert_eq!(proven_of(request(), |_, _| {}).err(), None);
    // An alert of TLS 1.3 has 24 bytes, headers included.
    let spoilt = proven_of(request(), |side, result| {
        if side == Side::Client && result.output.len() == 24 {
            result.output[23] ^= 1;
        }
    });
    let said = spoilt.unwrap_err();
    let expected = "its client, closing with the lab's own peer, sent what the peer refuses: ";
    assert!(said.starts_with(expected), "{said}");
    let silent = proven_of(request(), |side, result| {
        if side == Side::Server && result.output.len() == 24 {
            result.output.clear();
        }
    });
    assert_eq!(silent.unwrap_err(), "its server, closing with the lab's own peer, sent no close_notify");
    let deaf = proven_of(request(), |side, result| {
        // A client's handshake ends with its own Finished.
        result.done &= side == Side::Server || !result.output.is_empty();
    });
    let expected = "its client, closing with the lab's own peer, has not seen the peer's alert";
    assert_eq!(deaf.unwrap_err(), expected);
}
