//! Every wrong fact, provoked by spoiling a connection that is right.

mod capture;

use capture::{Capture, capture};
use tlslab_proof::check_declared;
use tlslab_protocol::{
    Authentication, Capabilities, CipherSuite, Facts, Group, KeyType, ProtocolVersion, Resumption, Scenario,
    Side, SignatureScheme, Step, Work,
};

/// Client, server and client; the flights of every handshake here.
const CLIENT_FIRST: usize = 0;
const SERVER: usize = 1;
const DATA: usize = 3;

fn handshake() -> Capture {
    capture("rustls-handshake")
}

/// What is wrong with a handshake after an alteration.
fn after(alter: impl FnOnce(&mut Scenario, &mut Facts)) -> String {
    handshake().with(alter).wrong()
}

#[test]
fn nothing_is_wrong_to_begin_with() {
    for name in ["rustls-handshake", "rustls-transfer", "rustls-tickets", "openssl-transfer"] {
        assert_eq!(capture(name).wrong(), "", "{name}");
    }
}

#[test]
fn wire_that_is_no_tls() {
    insta::assert_snapshot!(after(|_, facts| _ = facts.flights[SERVER].wire.pop()), @"wire: expected TLS records and handshake messages, the wire shows flight 2, from the server: the record at byte 133 needs 1083 bytes and 1082 are left");
    insta::assert_snapshot!(handshake().extend(SERVER, "1703034101").wrong(), @"wire: expected TLS records and handshake messages, the wire shows flight 2, from the server: the record at byte 1216 has 16641 bytes, 16640 are allowed");
    insta::assert_snapshot!(handshake().extend(SERVER, "1803030000").wrong(), @"wire: expected TLS records and handshake messages, the wire shows flight 2, from the server: the record at byte 1216 has the content type 24, which TLS 1.3 does not have");
    insta::assert_snapshot!(handshake().extend(SERVER, "1603030004080000ff").wrong(), @"wire: expected TLS records and handshake messages, the wire shows what the server sends in the clear: the handshake message at byte 0 is cut short");
    insta::assert_snapshot!(handshake().extend(SERVER, "160303000408000000").wrong(), @"wire: expected TLS records and handshake messages, the wire shows what the server sends in the clear: nothing more in the clear was due, a handshake message of type 8 came");
    insta::assert_snapshot!(after(|_, facts| facts.flights.truncate(1)), @"wire: expected TLS records and handshake messages, the wire shows what the server sends in the clear: there is no ServerHello");
    insta::assert_snapshot!(after(|_, facts| facts.flights.clear()), @"wire: expected TLS records and handshake messages, the wire shows what the client sends in the clear: there is no ClientHello");
}

#[test]
fn wire_with_a_malformed_hello() {
    let spoil = |from, to| handshake().patch(CLIENT_FIRST, from, to).wrong();
    insta::assert_snapshot!(spoil("0075002d0002", "0076002d0002"), @"wire: expected TLS records and handshake messages, the wire shows what the client sends in the clear: the ClientHello is malformed: the extensions: 118 bytes needed, 117 left");
    insta::assert_snapshot!(spoil("0075002d0002", "0074002d0002"), @"wire: expected TLS records and handshake messages, the wire shows what the client sends in the clear: the ClientHello is malformed: an extension: 4 bytes needed, 3 left");
    insta::assert_snapshot!(spoil("000b000201000017", "000b000201000000"), @"wire: expected TLS records and handshake messages, the wire shows what the client sends in the clear: the ClientHello is malformed: extension 0 comes twice");
    insta::assert_snapshot!(spoil("002b0003020304", "002b0003010304"), @"wire: expected TLS records and handshake messages, the wire shows what the client sends in the clear: the ClientHello is malformed: a version: 2 bytes needed, 1 left");
}

#[test]
fn version() {
    insta::assert_snapshot!(after(|scenario, _| scenario.version = ProtocolVersion::TLS12), @"version: expected TLSv1.2, the wire shows TLSv1.3");
    insta::assert_snapshot!(after(|_, facts| facts.client.version = Some(ProtocolVersion::TLS12)), @"version: expected TLSv1.3, the client reports TLSv1.2");
    insta::assert_snapshot!(handshake().patch(SERVER, "002b00020304", "002b00020303").wrong(), @"version: expected TLSv1.3, the wire shows TLSv1.2");
    insta::assert_snapshot!(handshake().patch(CLIENT_FIRST, "002b0003020304", "002b0003020303").wrong(), @"versions offered: expected TLSv1.3 alone, the wire shows TLSv1.2");
}

#[test]
fn suite() {
    insta::assert_snapshot!(after(|scenario, _| scenario.suite = CipherSuite::AES_256_GCM), @r"
    suites offered: expected TLS_AES_256_GCM_SHA384 alone, the wire shows TLS_AES_128_GCM_SHA256
    suite: expected TLS_AES_256_GCM_SHA384, the wire shows TLS_AES_128_GCM_SHA256
    suite: expected TLS_AES_256_GCM_SHA384, the client reports TLS_AES_128_GCM_SHA256
    suite: expected TLS_AES_256_GCM_SHA384, the server reports TLS_AES_128_GCM_SHA256
    ");
    insta::assert_snapshot!(after(|_, facts| facts.server.suite = Some(CipherSuite::AES_256_GCM)), @"suite: expected TLS_AES_128_GCM_SHA256, the server reports TLS_AES_256_GCM_SHA384");
}

#[test]
fn group() {
    insta::assert_snapshot!(after(|scenario, _| scenario.group = Group::SECP256R1), @r"
    groups offered: expected secp256r1 alone, the wire shows x25519
    key shares offered: expected secp256r1 alone, the wire shows x25519
    group: expected secp256r1, the wire shows x25519
    group: expected secp256r1, the client reports x25519
    group: expected secp256r1, the server reports x25519
    ");
    insta::assert_snapshot!(after(|_, facts| facts.client.group = Some(Group::SECP256R1)), @"group: expected x25519, the client reports secp256r1");
    insta::assert_snapshot!(
        handshake().patch(SERVER, "00330024001d0020", "0033002400170020").wrong(),
        @"group: expected x25519, the wire shows secp256r1"
    );
}

#[test]
fn more_suites_than_one() {
    // The signalling suite in this ClientHello becomes a real one.
    insta::assert_snapshot!(capture("openssl-transfer").patch(CLIENT_FIRST, "130100ff", "13011302").wrong(), @"suites offered: expected TLS_AES_128_GCM_SHA256 alone, the wire shows TLS_AES_128_GCM_SHA256, TLS_AES_256_GCM_SHA384");
}

#[test]
fn reserved_values_do_not_count() {
    assert_eq!(capture("openssl-transfer").patch(CLIENT_FIRST, "130100ff", "13012a2a").wrong(), "");
}

#[test]
fn signature_scheme_with_a_choice() {
    // The empty encrypt_then_mac makes room for two more schemes.
    let offer = |more: &str| {
        let to = format!("00170000000d000800060804{more}");
        capture("openssl-transfer").patch(CLIENT_FIRST, "0016000000170000000d000400020804", &to)
    };
    let choice = offer("08050806");
    insta::assert_snapshot!(choice.wrong(), @"signature scheme: expected rsa_pss_rsae_sha256 alone on offer, or a library that reports which was used, the wire shows rsa_pss_rsae_sha256, 0x0805, 0x0806");
    let report =
        |scheme| choice.clone().with(|_, facts| facts.client.signature_scheme = Some(scheme)).wrong();
    assert_eq!(report(SignatureScheme::RSA_PSS_RSAE_SHA256), "");
    insta::assert_snapshot!(report(SignatureScheme(0x0805)), @"signature scheme: expected rsa_pss_rsae_sha256, the client reports 0x0805");
    // PKCS #1 v1.5 is for the chain's signatures: CertificateVerify still has no choice.
    assert_eq!(offer("04010501").wrong(), "");
    // Nor has it with schemes that an RSA key cannot make.
    assert_eq!(offer("04030807").wrong(), "");
}

#[test]
fn signature_scheme_as_reported() {
    let reported = |scheme| after(|_, facts: &mut Facts| facts.server.signature_scheme = Some(scheme));
    assert_eq!(reported(SignatureScheme::ECDSA_SECP256R1_SHA256), "");
    insta::assert_snapshot!(reported(SignatureScheme::ED25519), @"signature scheme: expected ecdsa_secp256r1_sha256, the server reports ed25519");
}

#[test]
fn certificate_key() {
    insta::assert_snapshot!(after(|scenario, _| scenario.signature = KeyType::Rsa2048), @r"
    certificate key: expected RSA, 2048 bits, the client reports ECDSA on P-256, 256 bits
    signature scheme: expected rsa_pss_rsae_sha256, the wire shows ecdsa_secp256r1_sha256
    ");
    insta::assert_snapshot!(
        capture("rustls-transfer").with(|scenario, _| scenario.signature = KeyType::Rsa4096).wrong(),
        @"certificate key: expected RSA, 4096 bits, the client reports RSA, 2048 bits"
    );
    insta::assert_snapshot!(after(|_, facts| facts.client.peer_certificate = Some(vec![0x30, 0])), @"certificate key: expected ECDSA on P-256, 256 bits, the client reports bytes that are no certificate (Parsing requires 1 bytes/chars)");
}

#[test]
fn resumed_as_reported() {
    insta::assert_snapshot!(after(|_, facts| facts.server.resumed = Some(true)), @"resumed: expected no, the server reports yes");
}

#[test]
fn early_data() {
    // extended_master_secret is as empty as early_data.
    insta::assert_snapshot!(handshake().patch(CLIENT_FIRST, "010000170000", "0100002a0000").wrong(), @"early data: expected none, the wire shows early_data in the ClientHello");
}

#[test]
fn a_second_client_hello() {
    let twice =
        handshake().with(|_, facts| facts.flights[CLIENT_FIRST].wire = facts.flights[0].wire.repeat(2));
    insta::assert_snapshot!(twice.wrong(), @"ClientHellos: expected 1, the wire shows 2");
}

#[test]
fn alerts() {
    insta::assert_snapshot!(handshake().extend(2, "15030300020100").wrong(), @"alerts: expected none, the wire shows 1 from the client");
}

#[test]
fn tickets() {
    let two = capture("rustls-tickets");
    let expect = |tickets| two.clone().with(|scenario, _| scenario.tickets = tickets).wrong();
    insta::assert_snapshot!(expect(0), @r"
    tickets: expected 0, the wire shows 356 bytes after the handshake
    tickets: expected 0, the client reports 2
    ");
    insta::assert_snapshot!(expect(1), @"tickets: expected 1, the client reports 2");
    insta::assert_snapshot!(after(|scenario, _| scenario.tickets = 1), @r"
    tickets: expected 1, the wire shows 0
    tickets: expected 1, the client reports 0
    ");
    // A driver that calls them part of the handshake does not hide them.
    let renamed = two.clone().with(|scenario, facts| {
        scenario.tickets = 0;
        facts.client.tickets_received = None;
        facts.flights[3].step = Step::Handshake;
    });
    insta::assert_snapshot!(renamed.wrong(), @"tickets: expected 0, the wire shows 356 bytes after the handshake");
    // Without the client's count their number is not shown, which is not wrong.
    assert_eq!(two.with(|_, facts| facts.client.tickets_received = None).wrong(), "");
}

#[test]
fn bytes_from_the_client_after_the_handshake() {
    let more = handshake().flight(Side::Client, Step::PostHandshake, "1703030003010203");
    insta::assert_snapshot!(more.wrong(), @"client's bytes after the handshake: expected none, the wire shows 8 bytes");
}

#[test]
fn data_from_the_wrong_side() {
    let more = handshake().flight(Side::Server, Step::Data, "1703030012000102030405060708090a0b0c0d0e0f1011");
    insta::assert_snapshot!(more.wrong(), @"data from the server: expected none, the wire shows 23 bytes in 1 × 1");
    let reversed = capture("openssl-transfer").with(|_, facts| facts.flights[DATA].from = Side::Server);
    insta::assert_snapshot!(reversed.wrong(), @r"
    record sizes: expected 1 × 16384 + 1 × 1, the wire shows no records
    data from the server: expected none, the wire shows 16429 bytes in 1 × 16384 + 1 × 1
    ");
}

#[test]
fn data_in_the_clear() {
    let clear = capture("openssl-transfer").extend(DATA, "140303000101");
    insta::assert_snapshot!(clear.wrong(), @"data records: expected all encrypted, the wire shows 1 in the clear");
}

#[test]
fn record_sizes() {
    let transfer = |write_bytes: u32, records: &[usize]| {
        let wire: Vec<u8> = records
            .iter()
            .flat_map(|bytes| {
                let length = u16::try_from(bytes + 17).unwrap().to_be_bytes();
                [&[23, 3, 3][..], &length, &vec![0; bytes + 17]].concat()
            })
            .collect();
        let capture = capture("rustls-transfer").with(|scenario, facts| {
            scenario.work = match scenario.work {
                Work::Transfer { sender, connection, burst, .. } => {
                    Work::Transfer { sender, write_bytes, connection, burst }
                }
                _ => unreachable!("the capture is of a transfer"),
            };
            facts.flights[DATA].wire = wire;
            (facts.plaintext_sent, facts.plaintext_received) = (write_bytes.into(), write_bytes.into());
        });
        capture.wrong()
    };
    assert_eq!(transfer(32768, &[16384, 16384]), "");
    assert_eq!(transfer(32769, &[16384, 16384, 1]), "");
    assert_eq!(transfer(100, &[100]), "");
    insta::assert_snapshot!(transfer(16384, &[8087, 8087, 210]), @"record sizes: expected 1 × 16384, the wire shows 2 × 8087 + 1 × 210");
    insta::assert_snapshot!(transfer(16385, &[1, 16384]), @"record sizes: expected 1 × 16384 + 1 × 1, the wire shows 1 × 16384 + 1 × 1 with the short one not last");
    insta::assert_snapshot!(transfer(16385, &[16385]), @"record sizes: expected 1 × 16384 + 1 × 1, the wire shows 1 × 16385");
    insta::assert_snapshot!(transfer(16384, &[16384, 0]), @"record sizes: expected 1 × 16384, the wire shows 1 × 16384 + 1 × 0");
    insta::assert_snapshot!(transfer(16384, &[]), @"record sizes: expected 1 × 16384, the wire shows no records");
}

#[test]
fn plaintext() {
    let lost = capture("openssl-transfer").with(|_, facts| facts.plaintext_received = 16384);
    insta::assert_snapshot!(lost.wrong(), @"plaintext received: expected 16385 bytes, the driver counted 16384 bytes");
    insta::assert_snapshot!(after(|_, facts| facts.plaintext_sent = 1), @"plaintext sent: expected 0 bytes, the driver counted 1 bytes");
}

/// What is wrong with a capture after its scenario was altered.
fn ask(name: &str, alter: impl FnOnce(&mut Scenario)) -> String {
    capture(name).with(|scenario, _| alter(scenario)).wrong()
}

#[test]
fn a_full_handshake_where_a_session_was_to_be_taken_up() {
    let resumes = |resumption| move |scenario: &mut Scenario| scenario.resumption = resumption;
    insta::assert_snapshot!(ask("rustls-handshake", resumes(Resumption::Ticket)), @r"
    session offered: expected a pre_shared_key, the wire shows none
    resumed: expected yes, the wire shows no
    resumed: expected yes, the client reports no
    resumed: expected yes, the server reports no
    ");
    insta::assert_snapshot!(ask("rustls-tls12-handshake", resumes(Resumption::Ticket)), @r"
    session offered: expected a session ticket, the wire shows none
    resumed: expected yes, the wire shows no
    resumed: expected yes, the client reports no
    resumed: expected yes, the server reports no
    ");
    insta::assert_snapshot!(ask("rustls-tls12-handshake", resumes(Resumption::SessionId)), @r"
    session offered: expected a session id, the wire shows none
    resumed: expected yes, the wire shows no
    resumed: expected yes, the client reports no
    resumed: expected yes, the server reports no
    ");
}

#[test]
fn a_session_taken_up_in_another_way_or_at_all() {
    let resumes = |resumption| move |scenario: &mut Scenario| scenario.resumption = resumption;
    insta::assert_snapshot!(ask("openssl-tls12-resumed-id", resumes(Resumption::Ticket)), @"session offered: expected a session ticket, the wire shows none");
    insta::assert_snapshot!(ask("openssl-tls12-resumed-ticket", resumes(Resumption::SessionId)), @"session offered: expected a session id, the wire shows a session ticket");
    insta::assert_snapshot!(ask("openssl-tls12-resumed-ticket", resumes(Resumption::None)), @r"
    session offered: expected none, the wire shows a session ticket
    resumed: expected no, the wire shows yes
    resumed: expected no, the client reports yes
    resumed: expected no, the server reports yes
    ");
    insta::assert_snapshot!(ask("rustls-resumed-ticket", resumes(Resumption::None)), @r"
    session offered: expected none, the wire shows a pre_shared_key
    resumed: expected no, the wire shows yes
    resumed: expected no, the client reports yes
    resumed: expected no, the server reports yes
    ");
}

/// A server that sent a ticket where its library sends none is not the library that was described.
#[test]
fn a_library_that_renews_no_tickets_is_held_to_it() {
    let renews_none = Capabilities { renews_no_tickets: true, ..Capabilities::default() };
    let described = |name: &str| {
        let Capture { scenario, facts } = capture(name);
        let wrong =
            check_declared(&scenario, &facts, &renews_none, &Default::default()).err().unwrap_or_default();
        wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(described("rustls-resumed-ticket"), @r"
    tickets: expected 0, the wire shows 189 bytes after the handshake
    tickets: expected 0, the client reports 1
    ");
    assert_eq!(described("rustls-tickets"), "");
}

#[test]
fn who_shows_a_certificate() {
    let shown_by = |who| move |scenario: &mut Scenario| scenario.authentication = who;
    insta::assert_snapshot!(ask("rustls-tls12-handshake", shown_by(Authentication::Mutual)), @r"
    client's CertificateVerify: expected ecdsa_secp256r1_sha256, the wire shows nobody asks for one
    client's certificates: expected 2, the wire shows 0
    ");
    insta::assert_snapshot!(ask("openssl-tls12-mutual", shown_by(Authentication::Server)), @r"
    client's certificate key: expected none, the wire shows a certificate
    client's certificate key: expected none, the server reports a certificate
    ");
    insta::assert_snapshot!(ask("rustls-mutual", shown_by(Authentication::Server)), @"client's certificate key: expected none, the server reports a certificate");
    let another = capture("rustls-mutual").with(|_, facts| {
        facts.server.peer_certificate = capture("rustls-handshake").facts.client.peer_certificate;
    });
    insta::assert_snapshot!(another.wrong(), @"client's certificate key: expected RSA, 2048 bits, the server reports ECDSA on P-256, 256 bits");
}

#[test]
fn tls12_with_other_work_than_was_asked_for() {
    let other = |alter: fn(&mut Scenario)| ask("rustls-tls12-handshake", alter);
    insta::assert_snapshot!(other(|scenario| scenario.group = Group::SECP256R1), @r"
    groups offered: expected secp256r1 alone, the wire shows x25519
    group: expected secp256r1, the wire shows x25519
    group: expected secp256r1, the client reports x25519
    group: expected secp256r1, the server reports x25519
    ");
    insta::assert_snapshot!(other(|scenario| scenario.suite = CipherSuite::ECDHE_ECDSA_AES_256_GCM), @r"
    suites offered: expected TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 alone, the wire shows TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
    suite: expected TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, the wire shows TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
    suite: expected TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, the client reports TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
    suite: expected TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, the server reports TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
    ");
    insta::assert_snapshot!(other(|scenario| scenario.signature = KeyType::Rsa2048), @r"
    certificate key: expected RSA, 2048 bits, the wire shows ECDSA on P-256, 256 bits
    certificate key: expected RSA, 2048 bits, the client reports ECDSA on P-256, 256 bits
    signature scheme: expected rsa_pkcs1_sha256, the wire shows ecdsa_secp256r1_sha256
    ");
    insta::assert_snapshot!(other(|scenario| scenario.tickets = 1), @"tickets: expected 1, the wire shows 0");
    insta::assert_snapshot!(other(|scenario| scenario.version = ProtocolVersion::TLS13), @"version: expected TLSv1.3, the wire shows TLSv1.2");
}

/// In TLS 1.2, and only there, the offer may also contain an ECDSA certificate's curve.
#[test]
fn the_curve_of_a_certificate() {
    assert_eq!(capture("openssl-tls12-mutual").wrong(), "");
    insta::assert_snapshot!(ask("openssl-tls12-mutual", |scenario| scenario.signature = KeyType::Rsa2048), @r"
    groups offered: expected x25519 alone, the wire shows x25519, secp256r1
    certificate key: expected RSA, 2048 bits, the wire shows ECDSA on P-256, 256 bits
    certificate key: expected RSA, 2048 bits, the client reports ECDSA on P-256, 256 bits
    signature scheme: expected rsa_pkcs1_sha256, the wire shows ecdsa_secp256r1_sha256
    signature scheme: expected rsa_pkcs1_sha256, the client reports ecdsa_secp256r1_sha256
    signature scheme: expected rsa_pkcs1_sha256, the server reports ecdsa_secp256r1_sha256
    client's CertificateVerify: expected rsa_pkcs1_sha256, the wire shows ecdsa_secp256r1_sha256
    client's certificate key: expected RSA, 2048 bits, the wire shows ECDSA on P-256, 256 bits
    client's certificate key: expected RSA, 2048 bits, the server reports ECDSA on P-256, 256 bits
    ");
}
