//! The comparison of a connection with its scenario.
//!
//! These conditions must hold; each names where it is checked:
//!
//! * Version, suite and group are the scenario's: in the ServerHello, and in what either library reports.
//! * The client offered nothing else: one version, one suite, one group and one key share. Values reserved by
//!   RFC 8701 (GREASE) and the signalling suites 0x00ff and 0x5600 do not count, since they have no effect.
//! * The signature scheme is the scenario's: as TLS 1.2 shows it, as the offer implies it, and as either
//!   library reports it. A client that offers more schemes passes only if the choice is forced all the same
//!   (see `signature`) or a library reports the scheme that was used.
//! * The leaf's key type and size are the scenario's: in the certificate that the client reports, and in TLS
//!   1.2 on the wire. The same holds for the client's certificate, if it presents one.
//! * There are as many certificates as in the scenario's chain. TLS 1.2 shows them; in TLS 1.3 the length of
//!   the flight fits those that the side was given, and no further one.
//! * In a full handshake no session is offered or resumed; in a resumed one a session is offered in the
//!   scenario's way, and resumed. TLS 1.3 shows both in the hello messages; in TLS 1.2 the server presents no
//!   certificate.
//! * With an external PSK, only its identity is offered, only in the scenario's mode, and accepted. The
//!   ServerHello has a share or not, as the mode requires, and the server sends too few bytes for a
//!   certificate. TLS 1.2 shows more: the suite is one with a pre-shared key, the client answers with the
//!   identity, no certificate is presented or requested, and the server sends a share or none.
//! * There is no early data, no HelloRetryRequest and no second ClientHello, or exactly as much of them as
//!   the scenario says.
//! * The number of tickets is the scenario's. In TLS 1.3 the wire proves zero: nothing follows the handshake.
//!   For more, the wire shows that something follows, and the client's library how many. TLS 1.2 shows each;
//!   if a session is resumed there, servers may renew the ticket or not, so it is reported and not compared.
//!   A library that renews none in TLS 1.3 declares it beforehand, and must then renew none.
//! * Only the sender sends data; a write is split into full records of 2^14 bytes and one with the rest;
//!   every byte arrives; there is no alert before the connection is closed.
//! * If the scenario closes the connection, each side sends one record as long as an encrypted alert, the
//!   client first; TLS 1.2 shows that it is an alert. Otherwise nothing follows the data.
//!
//! If each library keeps its defaults, the client may offer anything but a session, and all of this holds for
//! what the sides agreed on: the version, suite and group of the ServerHello, and the tickets that were sent.
//!
//! A fact without a source is not wrong: it is listed as not shown.

mod chain;
mod checker;
mod close;
mod data;
mod defaults;
mod early_data;
mod handshake;
mod psk;
mod twice;
mod wrong;

pub use twice::check_two;
pub use wrong::{Chains, WrongFact};

use tlslab_protocol::{Capabilities, Facts, Scenario, Side};

use crate::check::checker::Checker;
use crate::transcript::{Transcript, TranscriptError};
use crate::{ConnectionFacts, Source};

/// Checks that a connection did the scenario's work, and returns its facts.
///
/// # Errors
/// Fails with every wrong fact, at least one.
pub fn check(scenario: &Scenario, facts: &Facts) -> Result<ConnectionFacts, Vec<WrongFact>> {
    check_declared(scenario, facts, &Capabilities::default(), &Chains::default())
}

/// As [`check`], for a library whose driver has declared that it cannot be configured in everything: its
/// client offers more, or it splits records in its own way. `given` has the certificates of each side, by
/// which those that TLS 1.3 encrypts are counted.
///
/// # Errors
/// Fails with every fact that differs from the scenario, at least one.
pub fn check_declared(
    scenario: &Scenario,
    facts: &Facts,
    able: &Capabilities,
    given: &Chains,
) -> Result<ConnectionFacts, Vec<WrongFact>> {
    let wrong = |fact: &str, expected: &str, seen: String, source| {
        vec![WrongFact { fact: fact.to_owned(), expected: expected.to_owned(), seen, source }]
    };
    if !defaults::is_readable(scenario.version) {
        let expected = "TLSv1.2 or TLSv1.3, the versions whose wire can be read here";
        return Err(wrong("version", expected, scenario.version.to_string(), Source::Scenario));
    }
    let expected = scenario.version.to_string();
    let transcript = Transcript::read(&facts.flights).map_err(|cause| match cause {
        TranscriptError::OtherVersion(seen) => wrong("version", &expected, seen.to_string(), Source::Wire),
        cause => wrong("wire", "TLS records and handshake messages", cause.to_string(), Source::Wire),
    })?;
    let scenario = &match scenario.defaults {
        true => defaults::agreed(scenario, facts, &transcript),
        false => scenario.clone(),
    };
    let seen = transcript.server_hello.version;
    if seen != scenario.version {
        return Err(wrong("version", &expected, seen.to_string(), Source::Wire));
    }
    let mut checker = Checker::default();
    let handshake = handshake::check(&mut checker, scenario, facts, &transcript, able);
    let mut certificates = |side| chain::check(&mut checker, scenario, &transcript, side, given, able);
    let (client_certificates, certificates) = (certificates(Side::Client), certificates(Side::Server));
    let data = data::check(&mut checker, scenario, facts, &transcript, able.records);
    let close = close::check(&mut checker, scenario, &transcript, able.records);
    checker.finish(ConnectionFacts {
        version: handshake.version,
        suite: handshake.suite,
        group: handshake.group,
        signature_scheme: handshake.signature_scheme,
        certificate_key: handshake.certificate_key,
        client_certificate_key: handshake.client_certificate_key,
        resumed: handshake.resumed,
        hello_retry_request: handshake.hello_retry_request,
        tickets: handshake.tickets,
        early_data: handshake.early_data,
        offer: handshake.offer,
        sizes: handshake::sizes(&transcript),
        records: handshake::record_counts(&transcript),
        data,
        close,
        certificates,
        client_certificates,
    })
}
