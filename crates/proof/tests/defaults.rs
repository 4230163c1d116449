//! Libraries with their own defaults: what they offer and pick, and what is wrong all the same.

mod capture;

use capture::{Capture, capture};
use tlslab_proof::{Expected, FaultKind, WrongFact, check, faults, sent};
use tlslab_protocol::{CipherSuite, Facts, Group, ProtocolVersion, Side, SignatureScheme};

fn proven(name: &str) -> (Capture, tlslab_proof::ConnectionFacts) {
    let found = capture(name);
    let facts = check(&found.scenario, &found.facts).unwrap_or_else(|wrong| panic!("{name}: {wrong:?}"));
    (found, facts)
}

/// The wrong facts of a capture after a change.
fn wrong(name: &str, change: impl FnOnce(&mut Facts)) -> Vec<String> {
    let altered = capture(name).with(|_, facts| change(facts));
    let wrong = check(&altered.scenario, &altered.facts).err().unwrap_or_default();
    wrong.iter().map(WrongFact::to_string).collect()
}

/// Code points as a few lines of Python read them from the same bytes.
#[test]
fn the_offer_of_openssl_is_read_in_full() {
    let (capture, facts) = proven("openssl-3.5-defaults");
    let offer = &facts.offer;
    assert_eq!(offer.versions, [ProtocolVersion::TLS13, ProtocolVersion::TLS12]);
    let groups = [0x11ec, 0x001d, 0x0017, 0x001e, 0x0018, 0x0019, 0x0100, 0x0101];
    assert_eq!(offer.groups, groups.map(Group));
    assert_eq!(offer.key_shares, [0x11ec, 0x001d].map(Group));
    assert_eq!((offer.suites.len(), offer.signature_schemes.len()), (30, 26));
    assert_eq!(offer.suites[..4], [0x1302, 0x1303, 0x1301, 0xc02c].map(CipherSuite));
    assert_eq!(offer.signature_schemes[..3], [0x0905, 0x0906, 0x0904].map(SignatureScheme));
    let mut extensions = offer.extensions.clone();
    extensions.sort_unstable();
    assert_eq!(extensions, [0, 10, 11, 13, 22, 23, 35, 43, 45, 51, 65281]);
    assert_eq!((offer.grease, offer.alpn.len()), (false, 0));
    assert_eq!((facts.sizes.client_hello_bytes, facts.sizes.ticket_bytes), (1546, 510));
    assert_eq!(facts.suite.value(), Some(&CipherSuite::AES_256_GCM));
    assert_eq!(facts.group.value(), Some(&Group::X25519MLKEM768));
    assert_eq!(facts.tickets.value(), Some(&2));
    assert_eq!(facts.signature_scheme.value(), Some(&SignatureScheme::ECDSA_SECP256R1_SHA256));
    let sent = sent(&capture.scenario, &capture.facts, &facts).unwrap();
    assert_eq!((sent.client["flight.1"], sent.client["hello"]), (1551, 1546));
    assert_eq!((sent.server["tickets"], sent.server["tickets.bytes"]), (2, 510));
    assert!(!sent.client.contains_key("data"), "the data only proves the connection");
}

#[test]
fn the_offer_of_rustls_is_read_in_full() {
    let (_, facts) = proven("rustls-defaults");
    let offer = &facts.offer;
    assert_eq!(offer.groups, [Group::X25519, Group::SECP256R1, Group::SECP384R1]);
    assert_eq!(offer.key_shares, [Group::X25519]);
    // The tenth is TLS_EMPTY_RENEGOTIATION_INFO_SCSV, which is no suite.
    assert_eq!((offer.suites.len(), offer.signature_schemes.len()), (9, 9));
    assert_eq!((facts.tickets.value(), facts.sizes.ticket_bytes), (Some(&2), 184));
}

#[test]
fn tls12_is_taken_as_it_was_agreed_on() {
    let (_, facts) = proven("openssl-tls12-defaults");
    assert_eq!(facts.version.value(), Some(&ProtocolVersion::TLS12));
    assert_eq!(facts.suite.value(), Some(&CipherSuite::ECDHE_ECDSA_AES_256_GCM));
    assert_eq!(facts.group.value(), Some(&Group::X25519));
    assert_eq!(facts.signature_scheme.value(), Some(&SignatureScheme::ECDSA_SECP256R1_SHA256));
    // One message of 182 bytes with a header of 4.
    assert_eq!((facts.tickets.value(), facts.sizes.ticket_bytes), (Some(&1), 186));
    assert_eq!(facts.offer.key_shares, []);
}

#[test]
fn a_pinned_scenario_does_not_accept_the_same_bytes() {
    for name in ["openssl-3.5-defaults", "rustls-defaults", "openssl-tls12-defaults"] {
        let pinned = capture(name).with(|scenario, _| scenario.defaults = false);
        assert!(check(&pinned.scenario, &pinned.facts).is_err(), "{name}");
    }
}

#[test]
fn libraries_must_report_what_the_wire_shows() {
    let found = wrong("openssl-3.5-defaults", |facts| facts.server.suite = Some(CipherSuite::AES_128_GCM));
    assert_eq!(found, ["suite: expected TLS_AES_256_GCM_SHA384, the server reports TLS_AES_128_GCM_SHA256"]);
    let found = wrong("rustls-defaults", |facts| facts.client.group = Some(Group::SECP256R1));
    assert_eq!(found, ["group: expected x25519, the client reports secp256r1"]);
}

#[test]
fn data_must_go_both_ways() {
    for name in ["openssl-3.5-defaults", "openssl-tls12-defaults"] {
        let found = wrong(name, |facts| drop(facts.flights.pop()));
        assert_eq!(found, ["record sizes: expected 1 × 1024, the wire shows no records"], "{name}");
        let found = wrong(name, |facts| facts.plaintext_received = 1024);
        assert_eq!(
            found,
            ["plaintext received: expected 2048 bytes, the driver counted 1024 bytes"],
            "{name}"
        );
    }
}

/// TLS 1.3 encrypts tickets: without a client that counts them there are bytes, and no number.
#[test]
fn tickets_that_nobody_counts_have_no_number() {
    let uncounted = capture("openssl-3.5-defaults").with(|_, facts| facts.client.tickets_received = None);
    let facts = check(&uncounted.scenario, &uncounted.facts).unwrap();
    assert_eq!((facts.tickets.value(), facts.sizes.ticket_bytes), (None, 510));
    let found = wrong("openssl-3.5-defaults", |facts| facts.client.tickets_received = Some(0));
    assert_eq!(found, ["tickets: expected 0, the wire shows 510 bytes after the handshake"]);
}

#[test]
fn a_corrupted_record_is_one_of_the_data() {
    let scenario = capture("rustls-defaults").scenario;
    let all = faults(&scenario);
    let corrupted = all.iter().find(|fault| fault.kind == FaultKind::CorruptedRecord).unwrap();
    assert_eq!(corrupted.expected, Expected::MustRefuse(Side::Server));
}
