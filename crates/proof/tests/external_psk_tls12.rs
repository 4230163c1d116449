//! External PSKs in TLS 1.2, whose suites say how they are used.

mod capture;

use capture::capture;
use tlslab_proof::{Fact, check};
use tlslab_protocol::{CipherSuite, Group, Resumption, Scenario};

const CLIENT_FIRST: usize = 0;
const SERVER_FIRST: usize = 1;
const CLIENT_SECOND: usize = 2;

fn ask(name: &str, alter: impl FnOnce(&mut Scenario)) -> String {
    capture(name).with(|scenario, _| alter(scenario)).wrong()
}

#[test]
fn nothing_is_wrong_to_begin_with() {
    for name in
        ["openssl-tls12-external-psk", "openssl-tls12-external-psk-only", "wolfssl-tls12-external-psk"]
    {
        assert_eq!(capture(name).wrong(), "", "{name}");
    }
}

#[test]
fn the_wire_shows_the_group_and_that_nobody_signs() {
    let seen = |name| {
        let connection = capture(name);
        let facts = check(&connection.scenario, &connection.facts).unwrap();
        let shown = |fact: Fact<Group>| match fact {
            Fact::Shown { value, .. } => value.to_string(),
            Fact::NotShown { not_shown } => not_shown,
        };
        assert!(matches!(facts.signature_scheme, Fact::NotShown { .. }));
        assert!(matches!(facts.certificate_key, Fact::NotShown { .. }));
        assert_eq!(facts.certificates, None);
        shown(facts.group)
    };
    assert_eq!(seen("openssl-tls12-external-psk"), "x25519");
    assert_eq!(seen("wolfssl-tls12-external-psk"), "ffdhe2048");
    assert_eq!(seen("openssl-tls12-external-psk-only"), "the key is used without a key exchange");
}

#[test]
fn a_key_used_in_another_way_than_was_asked_for() {
    insta::assert_snapshot!(ask("openssl-tls12-external-psk", |scenario| {
        scenario.resumption = Resumption::ExternalPskOnly;
        scenario.suite = CipherSuite::PSK_CHACHA20_POLY1305;
    }), @r"
    suites offered: expected TLS_PSK_WITH_CHACHA20_POLY1305_SHA256 alone, the wire shows TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256
    suite: expected TLS_PSK_WITH_CHACHA20_POLY1305_SHA256, the wire shows TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256
    suite: expected TLS_PSK_WITH_CHACHA20_POLY1305_SHA256, the client reports TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256
    suite: expected TLS_PSK_WITH_CHACHA20_POLY1305_SHA256, the server reports TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256
    key exchange: expected none, the wire shows x25519
    ");
    insta::assert_snapshot!(ask("openssl-tls12-external-psk-only", |scenario| {
        scenario.resumption = Resumption::ExternalPsk;
    }), @r"
    groups offered: expected x25519 alone, the wire shows none
    key exchange: expected a fresh one, the wire shows no share of the server's
    ");
    insta::assert_snapshot!(ask("wolfssl-tls12-external-psk", |scenario| scenario.group = Group::X25519), @r"
    groups offered: expected x25519 alone, the wire shows ffdhe2048
    group: expected x25519, the wire shows ffdhe2048
    group: expected x25519, the client reports ffdhe2048
    group: expected x25519, the server reports ffdhe2048
    ");
    insta::assert_snapshot!(ask("openssl-tls12-external-psk", |scenario| scenario.resumption = Resumption::None), @"certificates: expected 2, the wire shows 0");
    insta::assert_snapshot!(ask("rustls-tls12-handshake", |scenario| scenario.resumption = Resumption::ExternalPsk), @r"
    identity: expected tlslab, the wire shows none
    certificate: expected none, the wire shows one
    certificate: expected none, the client reports one
    ");
    insta::assert_snapshot!(ask("openssl-tls12-resumed-ticket", |scenario| {
        scenario.resumption = Resumption::ExternalPsk;
        scenario.tickets = 0;
    }), @r"
    session offered: expected none, the wire shows a session ticket
    identity: expected tlslab, the wire shows none
    key exchange: expected a fresh one, the wire shows no share of the server's
    certificate: expected none, the client reports one
    ");
}

#[test]
fn another_key_or_another_field() {
    // The client answers with the length of the identity, and with it.
    let named =
        capture("openssl-tls12-external-psk").patch(CLIENT_SECOND, "0006746c736c6162", "0006746c736c6163");
    insta::assert_snapshot!(named.wrong(), @"identity: expected tlslab, the wire shows tlslac");
    // The prime of ffdhe2048 begins with the digits of e.
    let prime =
        capture("wolfssl-tls12-external-psk").patch(SERVER_FIRST, "adf85458a2bb4a9a", "adf85458a2bb4a9b");
    insta::assert_snapshot!(prime.wrong(), @"group: expected ffdhe2048, the wire shows another finite field of 2048 bits");
}

/// A server that asks for a certificate, and one that shows one.
#[test]
fn certificates_where_a_key_stands_for_them() {
    let with = |message: &str| {
        let record = format!("160303{:04x}{message}", message.len() / 2);
        capture("openssl-tls12-external-psk").extend(SERVER_FIRST, &record).wrong()
    };
    insta::assert_snapshot!(with("0d00000a01400004080404010000"), @"client's certificate: expected not asked for, the wire shows asked for");
    insta::assert_snapshot!(with("0b000008000005000002aabb"), @"certificate: expected none, the wire shows one");
    let reported = capture("openssl-tls12-external-psk").with(|_, facts| {
        facts.server.peer_certificate = Some(vec![0x30, 0x00]);
    });
    insta::assert_snapshot!(reported.wrong(), @r"
    certificate: expected none, the server reports one
    client's certificate key: expected none, the server reports a certificate
    ");
}

#[test]
fn another_suite_on_offer() {
    // One suite, of two bytes, becomes two.
    let more = capture("openssl-tls12-external-psk").with(|_, facts| {
        let hello = hex::encode(&facts.flights[CLIENT_FIRST].wire);
        let two = hello.replace("0002ccac0100", "0004ccacccab0100");
        let longer = two.replacen("160301006f0100006b", "16030100710100006d", 1);
        facts.flights[CLIENT_FIRST].wire = hex::decode(longer).unwrap();
    });
    insta::assert_snapshot!(more.wrong(), @"suites offered: expected TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256 alone, the wire shows TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256, TLS_PSK_WITH_CHACHA20_POLY1305_SHA256");
}
