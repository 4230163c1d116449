//! The parsers on bytes that are right, and on bytes that are anything.

mod capture;

use capture::{ALL, Capture, capture};
use proptest::prelude::*;
use tlslab_proof::wire::{
    ClientHello, ContentType, SentAlert, ServerHello, WireError, alerts, handshake_bytes, is_grease,
    messages, records,
};
use tlslab_proof::{CertificateKey, check};
use tlslab_protocol::{CipherSuite, Group, ProtocolVersion, SignatureScheme};

fn client_hello(wire: &[u8]) -> ClientHello {
    let handshake = handshake_bytes(&records(wire).unwrap());
    ClientHello::parse(&messages(&handshake).next().unwrap().unwrap()).unwrap()
}

#[test]
fn records_of_a_flight() {
    let capture = capture("openssl-transfer");
    let records = records(&capture.facts.flights[1].wire).unwrap();
    let seen: Vec<_> = records.iter().map(|record| (record.content_type, record.fragment.len())).collect();
    let encrypted = ContentType::ApplicationData;
    assert_eq!(
        seen,
        [
            (ContentType::Handshake, 122),
            (ContentType::ChangeCipherSpec, 1),
            (encrypted, 23),
            (encrypted, 1741),
            (encrypted, 281),
            (encrypted, 53),
        ]
    );
    assert!(records.iter().all(|record| record.legacy_version == ProtocolVersion::TLS12));
}

#[test]
fn a_client_hello_in_full() {
    let hello = client_hello(&capture("openssl-defaults").facts.flights[0].wire);
    assert_eq!(hello.message_bytes, 247);
    assert_eq!(hello.legacy_version, Some(ProtocolVersion::TLS12));
    assert_eq!(hello.random[..4], [0xe1, 0xff, 0xb3, 0x76]);
    assert_eq!((hello.session_id.len(), hello.session_id[0]), (32, 0x3b));
    assert_eq!(hello.suites, [0x1302, 0x1303, 0x1301, 0x00ff].map(CipherSuite));
    assert_eq!(hello.extension_types, [0, 11, 10, 35, 22, 23, 13, 43, 45, 51]);
    assert_eq!(hello.server_name.as_deref(), Some("server.tlslab.test"));
    let groups = [0x001d, 0x0017, 0x001e, 0x0019, 0x0018, 0x0100, 0x0101, 0x0102, 0x0103, 0x0104];
    assert_eq!(hello.groups, groups.map(Group));
    assert_eq!(hello.signature_schemes.len(), 14);
    assert_eq!(hello.signature_schemes[0], SignatureScheme::ECDSA_SECP256R1_SHA256);
    assert_eq!(hello.versions, Some(vec![ProtocolVersion::TLS13]));
    assert_eq!(hello.psk_modes, [1]);
    assert_eq!(hello.key_shares, [Group::X25519]);
    assert!(hello.alpn.is_empty() && !hello.pre_shared_key && !hello.early_data);
}

#[test]
fn a_client_hello_over_several_records() {
    let whole = capture("openssl-defaults").facts.flights[0].wire.clone();
    let split: Vec<u8> =
        whole[5..].chunks(50).flat_map(|part| [&[22, 3, 1, 0, part.len() as u8], part].concat()).collect();
    assert_eq!(client_hello(&split), client_hello(&whole));
}

#[test]
fn a_hello_retry_request_by_its_random() {
    let capture = capture("openssl-hello-retry-request");
    let hello = |flight: usize| {
        let handshake = handshake_bytes(&records(&capture.facts.flights[flight].wire).unwrap());
        ServerHello::parse(&messages(&handshake).next().unwrap().unwrap()).unwrap()
    };
    assert!(hello(1).hello_retry_request);
    assert!(!hello(3).hello_retry_request);
    assert_eq!((hello(1).group, hello(3).group), (Some(Group::SECP384R1), Some(Group::SECP384R1)));
    assert_eq!(hello(3).version, ProtocolVersion::TLS13);
    assert_eq!(hello(3).suite, CipherSuite::AES_256_GCM);
}

#[test]
fn limits_of_records() {
    let zeros = vec![0; 16640];
    let record = |length: u16| [&[23, 3, 3][..], &length.to_be_bytes(), &zeros].concat();
    assert_eq!(records(&record(16640)).unwrap()[0].fragment.len(), 16640);
    assert_eq!(records(&record(16641)), Err(WireError::RecordTooLong { at: 0, length: 16641 }));
    assert_eq!(records(&[23, 3, 3]), Err(WireError::PartialRecord { at: 0, needed: 5, left: 3 }));
    assert_eq!(records(&[23, 3, 3, 0, 2, 1]), Err(WireError::PartialRecord { at: 0, needed: 7, left: 6 }));
    assert_eq!(records(&[19, 3, 3, 0, 0]), Err(WireError::UnknownContentType { at: 0, value: 19 }));
    assert_eq!(records(&[]), Ok(vec![]));
}

#[test]
fn reserved_values() {
    let reserved: Vec<u16> = (0..=u16::MAX).filter(|point| is_grease(*point)).collect();
    let expected: Vec<u16> = (0..16).map(|high| 0x0a0a + 0x1010 * high).collect();
    assert_eq!(reserved, expected);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        if let Ok(records) = records(&bytes) {
            let _ = alerts(&records);
        }
        let _ = CertificateKey::of_certificate(&bytes);
        for message in messages(&bytes).flatten() {
            let _ = ClientHello::parse(&message);
            let _ = ServerHello::parse(&message);
        }
        for message_type in 1..=2 {
            let message = tlslab_proof::wire::Message { message_type, body: &bytes };
            let _ = ClientHello::parse(&message);
            let _ = ServerHello::parse(&message);
        }
    }

    #[test]
    fn records_are_the_whole_flight(sizes in proptest::collection::vec(0_usize..600, 0..20), cut in 0_usize..4) {
        let flight: Vec<u8> = sizes
            .iter()
            .flat_map(|size| [&[22, 3, 3], &(*size as u16).to_be_bytes()[..], &vec![7; *size]].concat())
            .collect();
        let read = records(&flight).unwrap();
        prop_assert_eq!(read.iter().map(|record| record.fragment.len()).collect::<Vec<_>>(), sizes);
        if cut > 0 && flight.len() > cut {
            prop_assert!(records(&flight[..flight.len() - cut]).is_err() || read.last().unwrap().fragment.is_empty());
        }
    }

    #[test]
    fn an_alert_in_the_clear_is_read_as_it_was_sent(level in any::<u8>(), description in any::<u8>()) {
        let flight = [22, 3, 3, 0, 1, 7, 21, 3, 3, 0, 2, level, description];
        let read = alerts(&records(&flight).unwrap());
        let SentAlert::Clear(alert) = read[0] else { panic!("{read:?}") };
        prop_assert_eq!((read.len(), alert.level, alert.description.0), (1, level, description));
        prop_assert!(alert.to_string().contains(&description.to_string()));
    }

    #[test]
    fn spoilt_captures_are_judged(
        which in 0..ALL.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut spoilt: Capture = capture(ALL[which]);
        for (flight, at, value) in changes {
            let flights = &mut spoilt.facts.flights;
            let wire = &mut flights[flight.index(3)].wire;
            // Most of a flight is ciphertext: the fields are at its front.
            let near = wire.len().min(300);
            wire[at.index(near)] = value;
        }
        if let Some(cut) = cut {
            let wire = &mut spoilt.facts.flights[0].wire;
            wire.truncate(cut.index(wire.len()));
        }
        if let Some(certificate) = &mut spoilt.facts.client.peer_certificate {
            certificate[40] ^= 1;
        }
        if let Err(wrong) = check(&spoilt.scenario, &spoilt.facts) {
            prop_assert!(!wrong.is_empty());
        }
    }
}
