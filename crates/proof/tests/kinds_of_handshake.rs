//! External PSKs, a second ClientHello, early data, and what only two connections show.

mod capture;

use capture::{Capture, capture};
use tlslab_proof::{check_declared, check_two};
use tlslab_protocol::{Capabilities, Group, Resumption, Scenario, Side};

const CLIENT_FIRST: usize = 0;

fn ask(name: &str, alter: impl FnOnce(&mut Scenario)) -> String {
    capture(name).with(|scenario, _| alter(scenario)).wrong()
}

/// What is wrong with it for a client that offers more on one axis.
fn wrong_but(name: &str, axis: &str) -> String {
    let Capture { scenario, facts } = capture(name);
    let able = Capabilities { offers_more: vec![axis.to_owned()], ..Capabilities::default() };
    let wrong = check_declared(&scenario, &facts, &able, &Default::default()).err().unwrap_or_default();
    wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// What is wrong with two connections, one after the other.
fn wrong_twice(first: &str, second: &str, resumption: Option<Resumption>) -> String {
    let (Capture { mut scenario, facts }, again) = (capture(first), capture(second));
    scenario.resumption = resumption.unwrap_or(scenario.resumption);
    let wrong = check_two(&scenario, &facts, &again.facts).err().unwrap_or_default();
    wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn nothing_is_wrong_to_begin_with() {
    for name in
        ["openssl-external-psk", "wolfssl-external-psk-only", "rustls-hello-retry", "rustls-early-data"]
    {
        assert_eq!(capture(name).wrong(), "", "{name}");
    }
    assert_eq!(wrong_but("openssl-external-psk-only", "psk_mode"), "");
    assert_eq!(wrong_twice("openssl-ticket-reused", "openssl-ticket-reused-2", None), "");
    assert_eq!(wrong_twice("rustls-pregenerated", "rustls-pregenerated-2", None), "");
}

#[test]
fn a_key_used_in_another_way_than_was_asked_for() {
    let resumes = |resumption| move |scenario: &mut Scenario| scenario.resumption = resumption;
    insta::assert_snapshot!(capture("openssl-external-psk-only").wrong(), @r"
    key shares offered: expected none, the wire shows x25519
    psk_key_exchange_modes: expected psk_ke alone, the wire shows psk_dhe_ke, psk_ke
    ");
    insta::assert_snapshot!(ask("openssl-external-psk", resumes(Resumption::ExternalPskOnly)), @r"
    key shares offered: expected none, the wire shows x25519
    psk_key_exchange_modes: expected psk_ke alone, the wire shows psk_dhe_ke
    key exchange: expected none (psk_ke), the wire shows x25519
    ");
    insta::assert_snapshot!(ask("wolfssl-external-psk-only", resumes(Resumption::ExternalPsk)), @r"
    key shares offered: expected x25519 alone, the wire shows none
    psk_key_exchange_modes: expected psk_dhe_ke alone, the wire shows psk_ke
    key exchange: expected a fresh one (psk_dhe_ke), the wire shows none in the ServerHello
    ");
}

#[test]
fn a_ticket_and_a_key_from_outside_are_distinguished() {
    let resumes = |resumption| move |scenario: &mut Scenario| scenario.resumption = resumption;
    insta::assert_snapshot!(ask("openssl-ticket-reused", |scenario| {
        scenario.resumption = Resumption::ExternalPsk;
        scenario.tickets = 1;
    }), @r"
    identities offered: expected tlslab alone, the wire shows one of 192 bytes
    certificate: expected none, the client reports one
    ");
    insta::assert_snapshot!(ask("openssl-external-psk", resumes(Resumption::None)), @r"
    session offered: expected none, the wire shows a pre_shared_key
    resumed: expected no, the wire shows yes
    resumed: expected no, the client reports yes
    resumed: expected no, the server reports yes
    ");
    insta::assert_snapshot!(ask("rustls-handshake", resumes(Resumption::ExternalPsk)), @r"
    session offered: expected a pre_shared_key, the wire shows none
    pre-shared key: expected taken, the wire shows none in the ServerHello
    identities offered: expected tlslab alone, the wire shows none
    what the server encrypts: expected less than 256 bytes, too few for a certificate, the wire shows 1083 bytes
    certificate: expected none, the client reports one
    ");
    // The identity is `tlslab`, or an import of it, which begins with its length.
    let imported =
        |from: &str| capture("openssl-external-psk").patch(CLIENT_FIRST, "0006746c736c6162", from).wrong();
    insta::assert_snapshot!(imported("0006746c736c6163"), @"identities offered: expected tlslab alone, the wire shows tlslac");
}

/// A server that sends more than its extensions and its Finished may have sent a certificate.
#[test]
fn too_much_for_a_handshake_without_certificates() {
    let mut padded = String::from("1703030100");
    padded.push_str(&"00".repeat(256));
    insta::assert_snapshot!(capture("openssl-external-psk").extend(1, &padded).wrong(), @"what the server encrypts: expected less than 256 bytes, too few for a certificate, the wire shows 347 bytes");
}

#[test]
fn a_second_client_hello_where_none_was_asked_for_and_none_where_one_was() {
    insta::assert_snapshot!(ask("rustls-hello-retry", |scenario| scenario.hello_retry = false), @r"
    groups offered: expected x25519 alone, the wire shows secp256r1, x25519
    key shares offered: expected x25519 alone, the wire shows secp256r1
    ClientHellos: expected 1, the wire shows 2
    HelloRetryRequest: expected no, the wire shows yes
    ");
    insta::assert_snapshot!(ask("rustls-handshake", |scenario| scenario.hello_retry = true), @r"
    groups offered: expected secp256r1, x25519, the wire shows x25519
    key shares offered: expected secp256r1 alone, the wire shows x25519
    ClientHellos: expected 2, the wire shows 1
    HelloRetryRequest: expected yes, the wire shows no
    ");
    // The scenario's group is the one that was offered first.
    insta::assert_snapshot!(ask("rustls-hello-retry", |scenario| scenario.group = Group::SECP256R1), @r"
    groups offered: expected x25519, secp256r1, the wire shows secp256r1, x25519
    key shares offered: expected x25519 alone, the wire shows secp256r1
    key shares in the second ClientHello: expected secp256r1 alone, the wire shows x25519
    group: expected secp256r1, the wire shows x25519
    group: expected secp256r1, the client reports x25519
    group: expected secp256r1, the server reports x25519
    ");
}

#[test]
fn early_data_that_was_not_asked_for_or_not_sent() {
    insta::assert_snapshot!(ask("rustls-early-data", |scenario| scenario.early_data = 0), @r"
    early data: expected none, the wire shows early_data in the ClientHello
    early data: expected none, the wire shows 1 records with the ClientHello
    ");
    insta::assert_snapshot!(ask("rustls-resumed-ticket", |scenario| scenario.early_data = 100), @r"
    early data: expected early_data in the ClientHello, the wire shows none
    records of early data: expected 100 bytes, the wire shows none
    early data sent: expected 100 bytes, the driver counted 0 bytes
    early data received: expected 100 bytes, the driver counted 0 bytes
    ");
    insta::assert_snapshot!(ask("rustls-early-data", |scenario| scenario.early_data = 1023), @r"
    records of early data: expected 1023 bytes, the wire shows 1024 bytes
    early data sent: expected 1023 bytes, the driver counted 1024 bytes
    early data received: expected 1023 bytes, the driver counted 1024 bytes
    ");
}

#[test]
fn early_data_that_was_not_accepted() {
    let rejected = capture("rustls-early-data").with(|_, facts| {
        facts.client.early_data_accepted = Some(false);
        facts.early_data_received = 0;
    });
    insta::assert_snapshot!(rejected.wrong(), @r"
    early data: expected accepted, the client reports rejected
    early data received: expected 1024 bytes, the driver counted 0 bytes
    ");
}

/// Records of application data in a later flight of the client are no early data.
#[test]
fn early_data_comes_with_the_client_hello() {
    let moved = capture("rustls-early-data").with(|_, facts| {
        let first = &mut facts.flights[CLIENT_FIRST].wire;
        let record = first.len() - (5 + 1024 + 17);
        let late = first.split_off(record);
        let second = facts.flights.iter_mut().skip(1).find(|flight| flight.from == Side::Client).unwrap();
        second.wire.splice(0..0, late);
    });
    insta::assert_snapshot!(moved.wrong(), @"records of early data: expected 1024 bytes, the wire shows none");
}

#[test]
fn two_connections_that_share_what_they_must_not() {
    let same = |name| wrong_twice(name, name, None);
    insta::assert_snapshot!(same("rustls-pregenerated"), @r"
    client's key share: expected a new one in each connection, the wire shows the same in two
    server's key share: expected a new one in each connection, the wire shows the same in two
    ");
    insta::assert_snapshot!(same("openssl-external-psk"), @r"
    client's key share: expected a new one in each connection, the wire shows the same in two
    server's key share: expected a new one in each connection, the wire shows the same in two
    ");
    insta::assert_snapshot!(wrong_twice("openssl-ticket-reused", "openssl-ticket-reused-2", Some(Resumption::Ticket)), @"ticket: expected a new one in each connection, the wire shows the same in two");
    insta::assert_snapshot!(wrong_twice("openssl-ticket-reused", "rustls-resumed-ticket", None), @"ticket: expected the same in every connection, the wire shows two different ones");
    assert_eq!(same("rustls-tls12-handshake"), "", "TLS 1.2 is not looked at");
}
