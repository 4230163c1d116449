//! What crossed the wire and what the libraries report: read piece by piece, then judged as a whole.
//!
//! An input is a row of pieces, each a byte that says what it is, two bytes with its length (big-endian; a piece that is
//! cut short ends where the input ends) and its content:
//!
//! | byte | content |
//! |---|---|
//! | 0, 1 | a flight of the handshake, from the client or the server |
//! | 2, 3 | the same after the handshake |
//! | 4, 5 | the same with data |
//! | 6, 7 | what the client's or the server's library reports, as the protocol's JSON |
//! | 8 | the certificate that the client reports, DER |
//! | 9 | the scenario, as the protocol's JSON |
//! | 10 | bytes of plaintext sent and received, four bytes |
//! | 20, 21 | a flight with closing alerts |

#![no_main]

use libfuzzer_sys::fuzz_target;
use tlslab_proof::wire::{
    ClientHello, ContentType, MAX_CIPHERTEXT_BYTES, Message, ServerHello, alerts, handshake_bytes,
    hello_parts, messages, records,
};
use tlslab_proof::{CertificateKey, check, ending, faults, judge, sent};
use tlslab_protocol::{
    Facts, Flight, Outcome, Scenario, Side, SideFacts, Step, Verification, Work, decode_line,
};

fuzz_target!(|data: &[u8]| {
    let (scenario, facts) = connection(data);
    for flight in &facts.flights {
        read_flight(&flight.wire);
    }
    match check(&scenario, &facts) {
        Ok(proven) => {
            assert!(!proven.rows().is_empty());
            let _ = sent(&scenario, &facts, &proven);
        }
        Err(wrong) => {
            assert!(!wrong.is_empty(), "a connection that is wrong in nothing");
            assert!(wrong.iter().all(|fact| !fact.to_string().is_empty()));
        }
    }
    let outcome = Outcome::Completed(Box::new(facts));
    for fault in faults(&scenario) {
        let _ = judge(&fault, &outcome);
    }
    assert!(!ending(&outcome).is_empty());
});

fn read_flight(wire: &[u8]) {
    let Ok(records) = records(wire) else { return };
    assert_eq!(records.iter().map(|record| record.wire_bytes()).sum::<usize>(), wire.len());
    assert!(records.iter().all(|record| record.fragment.len() <= MAX_CIPHERTEXT_BYTES));
    let in_clear_or_not = records.iter().filter(|record| record.content_type == ContentType::Alert).count();
    let empty = |record: &&tlslab_proof::wire::Record<'_>| record.fragment.is_empty();
    let sent = alerts(&records);
    assert!(sent.len() + records.iter().filter(empty).count() >= in_clear_or_not);
    assert!(sent.iter().all(|alert| !alert.to_string().is_empty()));
    let handshake = handshake_bytes(&records);
    let mut read = 0;
    for message in messages(&handshake).flatten() {
        read += message.message_bytes();
        read_message(&message);
    }
    assert!(read <= handshake.len());
    for record in records.iter().filter(|record| record.content_type == ContentType::Handshake) {
        for message_type in [ClientHello::MESSAGE_TYPE, ServerHello::MESSAGE_TYPE] {
            read_message(&Message { message_type, body: record.fragment });
        }
    }
}

fn read_message(message: &Message<'_>) {
    if let Ok(parts) = hello_parts(message) {
        assert_eq!(parts.iter().map(|(_, bytes)| bytes).sum::<u64>(), message.message_bytes() as u64);
    }
    if let Ok(hello) = ClientHello::parse(message) {
        assert_eq!(message.message_type, ClientHello::MESSAGE_TYPE);
        assert_eq!(hello.message_bytes, message.message_bytes());
    }
    if let Ok(hello) = ServerHello::parse(message) {
        assert_eq!(message.message_type, ServerHello::MESSAGE_TYPE);
        assert_eq!(hello.message_bytes, message.message_bytes());
    }
}

fn connection(data: &[u8]) -> (Scenario, Facts) {
    let mut scenario = Scenario {
        name: "fuzz".to_owned(),
        verification: Verification::ChainAndName,
        ..Scenario::plain(Work::Handshake)
    };
    let mut facts = Facts {
        client: SideFacts::default(),
        server: SideFacts::default(),
        flights: Vec::new(),
        plaintext_sent: 0,
        plaintext_received: 0,
        early_data_sent: 0,
        early_data_received: 0,
    };
    for (kind, content) in pieces(data) {
        match kind {
            0..=5 | 20..=21 => {
                let steps = [Step::Handshake, Step::PostHandshake, Step::Data];
                let step = steps.get(usize::from(kind / 2)).copied().unwrap_or(Step::Close);
                facts.flights.push(Flight {
                    from: Side::BOTH[usize::from(kind % 2)],
                    step,
                    wire: content.to_vec(),
                });
            }
            6 => facts.client = decode_line(text(content)).unwrap_or_default(),
            7 => facts.server = decode_line(text(content)).unwrap_or_default(),
            8 => {
                let _ = CertificateKey::of_certificate(content);
                facts.client.peer_certificate = Some(content.to_vec());
            }
            9 => scenario = decode_line(text(content)).unwrap_or(scenario),
            10 => {
                let bytes = content.iter().take(4).fold(0, |number, byte| number << 8 | u64::from(*byte));
                (facts.plaintext_sent, facts.plaintext_received) = (bytes, bytes);
            }
            _ => {}
        }
    }
    (scenario, facts)
}

fn pieces(mut data: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let ([kind, high, low], rest) = data.split_first_chunk::<3>()?;
        let length = usize::from(u16::from_be_bytes([*high, *low])).min(rest.len());
        let (content, rest) = rest.split_at(length);
        data = rest;
        Some((*kind, content))
    })
}

fn text(content: &[u8]) -> &str {
    std::str::from_utf8(content).unwrap_or_default()
}
