//! What real connections show.

mod capture;

use capture::capture;
use tlslab_proof::{ConnectionFacts, FlightSizes, RecordSize, Source, check};

fn facts(name: &str) -> ConnectionFacts {
    let capture = capture(name);
    check(&capture.scenario, &capture.facts).unwrap()
}

fn summary(name: &str) -> String {
    let rows = facts(name).rows();
    let line = |row: &tlslab_proof::Row| {
        let sources: Vec<_> = row.sources.iter().map(ToString::to_string).collect();
        format!("{} = {} [{}]", row.fact, row.value, sources.join(", "))
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_handshake_shows_what_was_agreed() {
    insta::assert_snapshot!(summary("rustls-handshake"), @r"
    version = TLSv1.3 [wire, client, server]
    suite = TLS_AES_128_GCM_SHA256 [wire, client, server]
    group = x25519 [wire, client, server]
    signature scheme = ecdsa_secp256r1_sha256 [wire]
    certificate key = ECDSA on P-256, 256 bits [client]
    resumed = no [wire, client, server]
    HelloRetryRequest = no [wire]
    tickets = 0 [wire, client]
    certificates = not shown: the certificates are encrypted, and the flight's length does not show them []
    client's first flight = 201 bytes [wire]
    server's flight = 1216 bytes [wire]
    client's second flight = 64 bytes [wire]
    after the handshake = 0 bytes [wire]
    round trips = 1 [wire]
    extensions = [45, 43, 13, 51, 11, 23, 0, 5, 10] [wire]
    ");
}

#[test]
fn data_shows_its_records() {
    insta::assert_snapshot!(summary("rustls-transfer"), @r"
    version = TLSv1.3 [wire, client, server]
    suite = TLS_AES_256_GCM_SHA384 [wire, client, server]
    group = secp256r1 [wire, client, server]
    signature scheme = rsa_pss_rsae_sha256 [wire]
    certificate key = RSA, 2048 bits [client]
    resumed = no [wire, client, server]
    HelloRetryRequest = no [wire]
    tickets = 0 [wire, client]
    certificates = not shown: the certificates are encrypted, and the flight's length does not show them []
    client's first flight = 234 bytes [wire]
    server's flight = 2238 bytes [wire]
    client's second flight = 80 bytes [wire]
    after the handshake = 0 bytes [wire]
    round trips = 1 [wire]
    extensions = [5, 43, 51, 10, 0, 13, 11, 45, 23] [wire]
    server's data = 16429 bytes in 1 × 16384 + 1 × 1 [wire]
    server's blocks = 1028 of the cipher, 1030 authenticated [wire]
    expansion = 1.0027 [wire]
    ");
    insta::assert_snapshot!(summary("openssl-transfer"), @r"
    version = TLSv1.3 [wire, client, server]
    suite = TLS_AES_128_GCM_SHA256 [wire, client, server]
    group = x25519 [wire]
    signature scheme = rsa_pss_rsae_sha256 [wire]
    certificate key = RSA, 2048 bits [client]
    resumed = no [wire, client, server]
    HelloRetryRequest = no [wire]
    tickets = 0 [wire]
    certificates = not shown: the certificates are encrypted, and the flight's length does not show them []
    client's first flight = 204 bytes [wire]
    server's flight = 2251 bytes [wire]
    client's second flight = 64 bytes [wire]
    after the handshake = 0 bytes [wire]
    round trips = 1 [wire]
    extensions = [0, 11, 10, 35, 22, 23, 13, 43, 45, 51] [wire]
    client's data = 16429 bytes in 1 × 16384 + 1 × 1 [wire]
    client's blocks = 1028 of the cipher, 1030 authenticated [wire]
    expansion = 1.0027 [wire]
    ");
}

#[test]
fn tickets_are_counted_by_the_client() {
    insta::assert_snapshot!(summary("rustls-tickets"), @r"
    version = TLSv1.3 [wire, client, server]
    suite = TLS_CHACHA20_POLY1305_SHA256 [wire, client, server]
    group = x25519 [wire, client, server]
    signature scheme = rsa_pss_rsae_sha256 [wire]
    certificate key = RSA, 4096 bits [client]
    resumed = no [wire, client, server]
    HelloRetryRequest = no [wire]
    tickets = 2 [client]
    certificates = not shown: the certificates are encrypted, and the flight's length does not show them []
    client's first flight = 201 bytes [wire]
    server's flight = 3469 bytes [wire]
    client's second flight = 64 bytes [wire]
    after the handshake = 356 bytes [wire]
    round trips = 1 [wire]
    extensions = [0, 5, 51, 13, 11, 23, 43, 10, 45] [wire]
    ");
}

#[test]
fn numbers_are_those_of_the_bytes() {
    let handshake = facts("rustls-handshake");
    assert_eq!(
        handshake.sizes,
        FlightSizes {
            client_hello_bytes: 196,
            server_hello_bytes: 122,
            client_first_flight_bytes: 5 + 196,
            server_flight_bytes: 5 + 122 + 5 + 1 + 5 + 1078,
            client_second_flight_bytes: 5 + 1 + 5 + 53,
            post_handshake_bytes: 0,
            round_trips: 1,
            ticket_bytes: 0,
        }
    );
    assert_eq!((handshake.records.handshake.client, handshake.records.handshake.server), (3, 3));
    assert_eq!(handshake.offer.server_name.as_deref(), Some("server.tlslab.test"));
    assert_eq!(handshake.offer.extensions, [45, 43, 13, 51, 11, 23, 0, 5, 10]);
    assert_eq!(handshake.certificate_key.sources(), [Source::Client]);

    let data = facts("openssl-transfer").data;
    assert_eq!(data.sent.client.wire_bytes, 5 + 16401 + 5 + 18);
    assert_eq!(
        data.sent.client.record_sizes,
        [RecordSize { plaintext_bytes: 16384, count: 1 }, RecordSize { plaintext_bytes: 1, count: 1 }]
    );
    assert_eq!(data.expansion, Some(16429.0 / 16385.0));
    assert_eq!((data.plaintext_sent, data.plaintext_received), (16385, 16385));
}

#[test]
fn facts_survive_storage() {
    for name in ["rustls-handshake", "rustls-tickets", "openssl-transfer"] {
        let facts = facts(name);
        let stored = serde_json::to_string(&facts).unwrap();
        assert_eq!(serde_json::from_str::<ConnectionFacts>(&stored).unwrap(), facts);
    }
}

#[test]
fn stored_facts_read_well() {
    let facts = serde_json::to_string_pretty(&facts("openssl-transfer")).unwrap();
    insta::assert_snapshot!(facts);
}

#[test]
fn library_defaults_are_not_a_pinned_scenario() {
    insta::assert_snapshot!(capture("openssl-defaults").wrong(), @r"
    suites offered: expected TLS_AES_256_GCM_SHA384 alone, the wire shows TLS_AES_256_GCM_SHA384, TLS_CHACHA20_POLY1305_SHA256, TLS_AES_128_GCM_SHA256
    groups offered: expected x25519 alone, the wire shows x25519, secp256r1, 0x001e, 0x0019, secp384r1, ffdhe2048, 0x0101, 0x0102, 0x0103, 0x0104
    ");
}

#[test]
fn a_resumed_session_is_no_full_handshake() {
    insta::assert_snapshot!(capture("openssl-resumed").wrong(), @r"
    suites offered: expected TLS_AES_256_GCM_SHA384 alone, the wire shows TLS_AES_256_GCM_SHA384, TLS_CHACHA20_POLY1305_SHA256, TLS_AES_128_GCM_SHA256
    groups offered: expected x25519 alone, the wire shows x25519, secp256r1, 0x001e, 0x0019, secp384r1, ffdhe2048, 0x0101, 0x0102, 0x0103, 0x0104
    session offered: expected none, the wire shows a pre_shared_key
    resumed: expected no, the wire shows yes
    resumed: expected no, the client reports yes
    resumed: expected no, the server reports yes
    tickets: expected 0, the wire shows 255 bytes after the handshake
    ");
}

#[test]
fn a_hello_retry_request_is_reported() {
    insta::assert_snapshot!(capture("openssl-hello-retry-request").wrong(), @r"
    suites offered: expected TLS_AES_256_GCM_SHA384 alone, the wire shows TLS_AES_256_GCM_SHA384, TLS_CHACHA20_POLY1305_SHA256, TLS_AES_128_GCM_SHA256
    groups offered: expected secp384r1 alone, the wire shows x25519, secp256r1, 0x001e, 0x0019, secp384r1, ffdhe2048, 0x0101, 0x0102, 0x0103, 0x0104
    key shares offered: expected secp384r1 alone, the wire shows x25519
    ClientHellos: expected 1, the wire shows 2
    HelloRetryRequest: expected no, the wire shows yes
    ");
}

#[test]
fn another_version_is_reported() {
    insta::assert_snapshot!(capture("openssl-tls12").wrong(), @"version: expected TLSv1.3, the wire shows TLSv1.2");
}

#[test]
fn tls12_shows_its_handshake_in_the_clear() {
    insta::assert_snapshot!(summary("rustls-tls12-handshake"));
}

#[test]
fn a_session_that_was_to_be_taken_up_was() {
    insta::assert_snapshot!(summary("rustls-resumed-ticket"));
    insta::assert_snapshot!(summary("openssl-tls12-resumed-ticket"));
    insta::assert_snapshot!(summary("openssl-tls12-resumed-id"));
}

#[test]
fn certificates_on_both_sides_are_reported() {
    insta::assert_snapshot!(summary("rustls-mutual"));
    insta::assert_snapshot!(summary("openssl-tls12-mutual"));
}
