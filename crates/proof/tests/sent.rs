//! What real connections send, figure by figure.

mod capture;

use capture::{ALL, Capture, capture};
use proptest::prelude::*;
use tlslab_proof::{BySide, ConnectionFacts, Sent, check, sent};
use tlslab_protocol::Work;

fn figures(name: &str) -> BySide<Sent> {
    let capture = capture(name);
    let proven = check(&capture.scenario, &capture.facts).unwrap();
    sent(&capture.scenario, &capture.facts, &proven).unwrap()
}

/// The captures that are what their scenarios ask for.
fn proven() -> Vec<(&'static str, Capture, ConnectionFacts)> {
    let all = ALL.into_iter().map(|name| (name, capture(name)));
    let proven: Vec<_> = all
        .filter_map(|(name, capture)| {
            let proven = check(&capture.scenario, &capture.facts).ok()?;
            Some((name, capture, proven))
        })
        .collect();
    assert!(proven.len() > 20, "{}", proven.len());
    proven
}

fn expect(of: &Sent, expected: &[(&str, u64)]) {
    for (name, value) in expected {
        assert_eq!(of.get(*name), Some(value), "{name} in {of:?}");
    }
}

/// The values were taken from the captures by another program.
#[test]
fn a_handshake_of_tls13_has_two_flights_of_the_client_and_one_of_the_server() {
    let BySide { client, server } = figures("rustls-handshake");
    expect(
        &client,
        &[
            ("flight.1", 201),
            ("flight.1.records", 1),
            ("flight.1.messages", 1),
            ("flight.1.packets_1220", 1),
            ("flight.2", 64),
            ("flight.2.records", 2),
            ("flight.2.messages", 0),
            ("handshake", 265),
            ("hello", 196),
            ("hello.session_id", 33),
            ("hello.cipher_suites", 4),
            ("hello.extension.key_share", 42),
            ("hello.extension.server_name", 27),
            ("hello.extension.psk_key_exchange_modes", 6),
            ("hello.fixed", 42),
            ("round_trips", 1),
        ],
    );
    expect(
        &server,
        &[
            ("flight.1", 1216),
            ("flight.1.records", 3),
            ("hello", 122),
            ("hello.extension.key_share", 40),
            ("hello.extension.supported_versions", 6),
            ("hello.fixed", 41),
            ("post_handshake", 0),
            ("tickets", 0),
        ],
    );
    assert!(!client.contains_key("flight.3") && !server.contains_key("flight.2"));
}

#[test]
fn tls12_shows_each_message_and_ticket() {
    let resumed = figures("openssl-tls12-resumed-ticket");
    expect(
        &resumed.client,
        &[("flight.1", 312), ("hello.extension.session_ticket", 164), ("round_trips", 1)],
    );
    expect(&resumed.server, &[("flight.1", 133), ("flight.1.messages", 1), ("tickets.bytes", 0)]);
    let BySide { client, server } = figures("rustls-tls12-handshake");
    // ClientKeyExchange, before the ChangeCipherSpec and the encrypted Finished.
    expect(
        &client,
        &[
            ("flight.1", 123),
            ("flight.2", 93),
            ("flight.2.messages", 1),
            ("round_trips", 2),
            ("handshake", 216),
        ],
    );
    // ServerHello, Certificate, ServerKeyExchange and ServerHelloDone; then ChangeCipherSpec and Finished.
    expect(&server, &[("flight.1", 1114), ("flight.1.messages", 4), ("flight.2", 51), ("handshake", 1165)]);
}

#[test]
fn a_retry_takes_a_further_flight_of_each_side() {
    let BySide { client, server } = figures("rustls-hello-retry");
    assert!(client.contains_key("flight.3") && !client.contains_key("flight.4"));
    assert_eq!((client["round_trips"], server["flight.1.messages"]), (2, 1));
    assert_eq!(client["handshake.messages"], 2);
}

#[test]
fn tickets_have_a_number_and_bytes() {
    let BySide { client, server } = figures("rustls-tickets");
    expect(&server, &[("tickets.bytes", 356), ("post_handshake", 356), ("post_handshake.records", 1)]);
    assert!(server["tickets"] > 0);
    assert!(!client.contains_key("tickets"));
}

#[test]
fn a_transfer_has_data_of_its_sender_alone() {
    let BySide { client, server } = figures("rustls-transfer");
    expect(&server, &[("data", 16_429), ("data.records", 2), ("data.plaintext", 16_385)]);
    assert!(client.is_empty() && server.len() == 3);
}

/// The figures agree with each other and with the sizes that the proof shows.
#[test]
fn parts_add_up_in_every_captured_connection() {
    for (name, capture, proven) in proven() {
        let BySide { client, server } = sent(&capture.scenario, &capture.facts, &proven).unwrap();
        if capture.scenario.work != Work::Handshake {
            continue;
        }
        for (side, figures) in [("client", &client), ("server", &server)] {
            let sum = |wanted: &dyn Fn(&str) -> bool| {
                figures.iter().filter(|(name, _)| wanted(name)).map(|(_, value)| value).sum::<u64>()
            };
            let of = |name: &str| figures.get(name).copied().unwrap_or_default();
            assert_eq!(sum(&|name| name.starts_with("hello.")), of("hello"), "{name}, {side}");
            let is_flight = |name: &str| name.starts_with("flight.") && name.matches('.').count() == 1;
            assert_eq!(sum(&is_flight), of("handshake"), "{name}, {side}");
            for size in [1460_u64, 1428, 1220] {
                let packets = of(&format!("flight.1.packets_{size}"));
                assert!((packets - 1) * size < of("flight.1") && of("flight.1") <= packets * size);
            }
        }
        let sizes = &proven.sizes;
        assert_eq!(client["hello"], sizes.client_hello_bytes, "{name}");
        assert_eq!(
            client["handshake"],
            sizes.client_first_flight_bytes + sizes.client_second_flight_bytes,
            "{name}"
        );
        assert_eq!(server["handshake"], sizes.server_flight_bytes, "{name}");
        assert_eq!(client["handshake.records"], proven.records.handshake.client, "{name}");
        assert_eq!(client["round_trips"], sizes.round_trips, "{name}");
    }
}

proptest! {
    /// A driver that sends something else after the proof gets an error or figures, and ends nothing.
    #[test]
    fn any_wire_is_read_or_refused(at in 0_usize..64, with: u8, which in 0_usize..20, cut in 0_usize..2000) {
        let (_, mut capture, proven) = proven().swap_remove(which);
        for flight in &mut capture.facts.flights {
            if let Some(byte) = flight.wire.get_mut(at) {
                *byte = with;
            }
            flight.wire.truncate(cut);
        }
        let _ = sent(&capture.scenario, &capture.facts, &proven);
    }
}
