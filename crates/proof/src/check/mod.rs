//! The comparison of a connection with its scenario.
//!
//! What must hold, and where it is looked for:
//!
//! * Version, suite and group are what the scenario says: in the ServerHello, and in what either library
//!   reports.
//! * The client offered nothing else: one version, one suite, one group and one key share. Values reserved by
//!   RFC 8701 (GREASE) and the signalling suites 0x00ff and 0x5600 do not count, since they select nothing.
//! * The signature scheme: what TLS 1.2 shows, what the offer leaves, and what either library reports. A
//!   client that offers more schemes passes only if the choice is forced all the same (see `signature`) or a
//!   library reports the scheme that was used.
//! * The leaf's key type and size: in the certificate that the client reports, and in TLS 1.2 on the wire.
//!   Likewise the client's where it shows one.
//! * As many certificates as the scenario's chain has. TLS 1.2 shows them; in TLS 1.3 the flight has room for
//!   those that the side was given and for no further one.
//! * A full handshake: no session offered, none taken. A resumed one: a session offered in the scenario's
//!   way, and taken. TLS 1.3 shows both in the hello messages; in TLS 1.2 the server shows no certificate.
//! * An external PSK: the one identity is offered, in the scenario's mode alone, and taken; there is a share
//!   in the ServerHello or there is none, as the mode has it; and the server sends too little for a
//!   certificate. TLS 1.2 shows more of it: the suite is one of pre-shared keys, the client answers with the
//!   identity, nobody shows a certificate or is asked for one, and the server sends a share or none.
//! * No early data, no HelloRetryRequest, no second ClientHello; or just as much of them as the scenario
//!   says.
//! * As many tickets as asked for. In TLS 1.3 zero is proven by the wire: nothing follows the handshake. For
//!   more than zero the wire shows that something follows, and the client's library how many. TLS 1.2 shows
//!   each; where a session is taken up there, servers may renew the ticket or not, so it is reported and not
//!   compared. A library that renews none in TLS 1.3 says so beforehand, and is held to that.
//! * Only the sender sends data; a write is cut into full records of 2^14 bytes and one with the rest; every
//!   byte arrives; there is no alert.
//!
//! A fact that nobody shows is not wrong: it is listed as not shown.

mod chain;
mod checker;
mod data;
mod early_data;
mod handshake;
mod psk;
mod twice;
mod wrong;

pub use twice::check_two;
pub use wrong::{Chains, WrongFact};

use tlslab_protocol::{Capabilities, Facts, ProtocolVersion, Scenario, Side};

use crate::check::checker::Checker;
use crate::transcript::{Transcript, TranscriptError};
use crate::{ConnectionFacts, Source};

/// What the connection showed, if that is the scenario's work; else everything that is wrong, at least one
/// fact.
pub fn check(scenario: &Scenario, facts: &Facts) -> Result<ConnectionFacts, Vec<WrongFact>> {
    check_declared(scenario, facts, &Capabilities::default(), &Chains::default())
}

/// The same for a library whose driver said beforehand that it cannot be configured in everything: its client
/// offers more, or it cuts records in its own way. With the certificates that each side was given, those that
/// TLS 1.3 encrypts are counted.
///
/// # Errors
/// Every fact that is not as the scenario says.
pub fn check_declared(
    scenario: &Scenario,
    facts: &Facts,
    able: &Capabilities,
    given: &Chains,
) -> Result<ConnectionFacts, Vec<WrongFact>> {
    let wrong = |fact: &str, expected: &str, seen: String, source| {
        vec![WrongFact { fact: fact.to_owned(), expected: expected.to_owned(), seen, source }]
    };
    if ![ProtocolVersion::TLS12, ProtocolVersion::TLS13].contains(&scenario.version) {
        let expected = "TLSv1.2 or TLSv1.3, the versions whose wire can be read here";
        return Err(wrong("version", expected, scenario.version.to_string(), Source::Scenario));
    }
    let expected = scenario.version.to_string();
    let transcript = Transcript::read(&facts.flights).map_err(|cause| match cause {
        TranscriptError::OtherVersion(seen) => wrong("version", &expected, seen.to_string(), Source::Wire),
        cause => wrong("wire", "TLS records and handshake messages", cause.to_string(), Source::Wire),
    })?;
    let seen = transcript.server_hello.version;
    if seen != scenario.version {
        return Err(wrong("version", &expected, seen.to_string(), Source::Wire));
    }
    let mut checker = Checker::default();
    let handshake = handshake::check(&mut checker, scenario, facts, &transcript, able);
    let mut certificates = |side| chain::check(&mut checker, scenario, &transcript, side, given, able);
    let (client_certificates, certificates) = (certificates(Side::Client), certificates(Side::Server));
    let data = data::check(&mut checker, scenario, facts, &transcript, able.records);
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
        certificates,
        client_certificates,
    })
}
