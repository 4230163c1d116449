//! What each side of a connection sends: bytes, records, messages and packets, from the wire alone.

use std::collections::BTreeMap;

use tlslab_protocol::{Facts, Scenario, Side, Work};

use crate::transcript::{Part, ReadFlight, Transcript};
use crate::wire::{ContentType, Record, handshake_bytes, hello_parts, messages};
use crate::{BySide, ConnectionFacts};

/// The bytes of TLS in a full TCP segment: with Ethernet's 1,500 bytes over IPv4 without TCP options and over
/// IPv6 with timestamps, and with IPv6's smallest MTU of 1,280 bytes without options.
pub const SEGMENT_BYTES: [u64; 3] = [1460, 1428, 1220];

/// The figures of one side by name, each in the unit that its name implies: bytes, unless the name says
/// records, messages, packets, tickets or round trips.
///
/// - `flight.N`, `flight.N.records`, `flight.N.messages`, `flight.N.packets_SIZE`: all that the side sends in
///   the handshake between two flights of the other side; record headers are included.
/// - `handshake`, `handshake.records`, `handshake.messages`: all of these flights together.
/// - `hello`, `hello.session_id`, `hello.cipher_suites`, `hello.extension.NAME`, `hello.fixed`: the first
///   message with its header, and its parts, which add up to it.
/// - `post_handshake`, `post_handshake.records`, `tickets`, `tickets.bytes`: the server's; tickets have a
///   number where it is shown.
/// - `round_trips`: the client's; flights of the server until the client's handshake is done.
/// - `data`, `data.records`, `data.plaintext`: a write of the scenario, of the side that sends it.
/// - `close`: a side's closing alert.
///
/// Messages are those in the clear.
pub type Sent = BTreeMap<String, u64>;

/// The most flights of one side in a handshake: a retry adds one to the client's two.
const MOST_FLIGHTS: usize = 3;

/// A ticket in TLS 1.2's handshake.
const NEW_SESSION_TICKET: u8 = 4;

/// Both sides' figures of a connection that was checked: of a handshake all but data, of a transfer its data
/// alone, since its handshake is a scenario of its own; of a short connection everything, and `total`, all
/// bytes that the side sends.
///
/// # Errors
/// Fails if the flights are not made of records and messages, or if a side has more than three flights in its
/// handshake.
pub fn sent(scenario: &Scenario, facts: &Facts, proven: &ConnectionFacts) -> Result<BySide<Sent>, String> {
    let transcript = Transcript::read(&facts.flights).map_err(|cause| cause.to_string())?;
    let of = |side| match scenario.work {
        Work::Handshake => handshake(&transcript, side, proven),
        Work::Request { .. } => handshake(&transcript, side, proven)
            .map(|sent| whole(sent.into_iter().chain(data(&transcript, side, scenario)), &transcript, side)),
        _ => Ok(data(&transcript, side, scenario)),
    };
    let wrong = |side: Side| move |cause: String| format!("what the {side} sends: {cause}");
    Ok(BySide {
        client: of(Side::Client).map_err(wrong(Side::Client))?,
        server: of(Side::Server).map_err(wrong(Side::Server))?,
    })
}

fn handshake(transcript: &Transcript<'_>, side: Side, proven: &ConnectionFacts) -> Result<Sent, String> {
    let flights = handshake_flights(transcript);
    let own: Vec<&Vec<Record<'_>>> =
        flights.iter().filter(|(from, _)| *from == side).map(|(_, records)| records).collect();
    if own.len() > MOST_FLIGHTS {
        return Err(format!("{} flights in its handshake, more than {MOST_FLIGHTS}", own.len()));
    }
    let mut sent = Sent::new();
    let (mut is_clear, mut ticket_bytes) = (true, 0);
    for (at, records) in own.iter().enumerate() {
        let clear = clear_records(records, transcript.clear.is_some(), &mut is_clear);
        let bytes = wire_bytes(records);
        let mut count = 0;
        for message in messages(&handshake_bytes(&clear)) {
            let message = message.map_err(|cause| cause.to_string())?;
            count += 1;
            if transcript.clear.is_some() && message.message_type == NEW_SESSION_TICKET {
                ticket_bytes += message.message_bytes() as u64;
            }
        }
        let name = format!("flight.{}", at + 1);
        for size in SEGMENT_BYTES {
            sent.insert(format!("{name}.packets_{size}"), bytes.div_ceil(size));
        }
        for (end, value) in [("", bytes), (".records", records.len() as u64), (".messages", count)] {
            sent.insert(format!("{name}{end}"), value);
            *sent.entry(format!("handshake{end}")).or_default() += value;
        }
    }
    hello(&own, &mut sent)?;
    match side {
        Side::Client => {
            let awaited = flights.iter().filter(|(from, _)| *from == Side::Server).count();
            sent.insert("round_trips".to_owned(), awaited as u64);
        }
        Side::Server => after(transcript, proven, ticket_bytes, &mut sent),
    }
    Ok(sent)
}

/// The flights of the handshake, each with all that its side sends until the other side does.
fn handshake_flights<'f>(transcript: &Transcript<'f>) -> Vec<(Side, Vec<Record<'f>>)> {
    let mut flights: Vec<(Side, Vec<Record<'f>>)> = Vec::new();
    for ReadFlight { from, part, records } in &transcript.flights {
        if matches!(part, Part::Data | Part::PostHandshake | Part::Close) || records.is_empty() {
            continue;
        }
        match flights.last_mut() {
            Some((last, sofar)) if last == from => sofar.extend(records),
            _ => flights.push((*from, records.clone())),
        }
    }
    flights
}

/// The records whose messages can be read. TLS 1.2 encrypts what follows a side's ChangeCipherSpec, in this
/// flight and in all later ones; in TLS 1.3 that record means nothing.
fn clear_records<'f>(records: &[Record<'f>], is_12: bool, is_clear: &mut bool) -> Vec<Record<'f>> {
    let mut clear = Vec::new();
    for record in records {
        *is_clear &= !(is_12 && record.content_type == ContentType::ChangeCipherSpec);
        if *is_clear {
            clear.push(*record);
        }
    }
    clear
}

/// The first message and its parts.
fn hello(own: &[&Vec<Record<'_>>], sent: &mut Sent) -> Result<(), String> {
    let Some(first) = own.first() else { return Ok(()) };
    let bytes = handshake_bytes(first);
    let Some(message) = messages(&bytes).next() else { return Ok(()) };
    let message = message.map_err(|cause| cause.to_string())?;
    sent.insert("hello".to_owned(), message.message_bytes() as u64);
    for (name, bytes) in hello_parts(&message).map_err(|cause| cause.to_string())? {
        sent.insert(format!("hello.{name}"), bytes);
    }
    Ok(())
}

/// What the server sends after the handshake, and its tickets.
fn after(transcript: &Transcript<'_>, proven: &ConnectionFacts, in_the_clear: u64, sent: &mut Sent) {
    let bytes = transcript.wire_bytes(Side::Server, Part::PostHandshake);
    let records = transcript.record_count(Side::Server, Part::PostHandshake);
    // TLS 1.3 encrypts tickets; a server sends nothing else between its handshake and data.
    let ticket_bytes = if transcript.clear.is_some() { in_the_clear } else { bytes };
    let tickets = proven.tickets.value().map(|tickets| ("tickets", u64::from(*tickets)));
    let figures =
        [("post_handshake", bytes), ("post_handshake.records", records), ("tickets.bytes", ticket_bytes)];
    sent.extend(figures.into_iter().chain(tickets).map(|(name, value)| (name.to_owned(), value)));
}

/// The application data of one side; nothing if it sends none.
fn data(transcript: &Transcript<'_>, side: Side, scenario: &Scenario) -> Sent {
    let Some(plaintext) = scenario.work.sent_bytes(side) else { return Sent::new() };
    let figures = [
        ("data", transcript.wire_bytes(side, Part::Data)),
        ("data.records", transcript.record_count(side, Part::Data)),
        ("data.plaintext", u64::from(plaintext)),
    ];
    figures.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A short connection's figures with its closing alert and the sum of all.
fn whole(sent: impl Iterator<Item = (String, u64)>, transcript: &Transcript<'_>, side: Side) -> Sent {
    let own = transcript.flights.iter().filter(|flight| flight.from == side);
    let total = own.map(|flight| wire_bytes(&flight.records)).sum();
    let close = transcript.wire_bytes(side, Part::Close);
    let more = [("close".to_owned(), close), ("total".to_owned(), total)];
    sent.chain(more).collect()
}

fn wire_bytes(records: &[Record<'_>]) -> u64 {
    records.iter().map(|record| record.wire_bytes() as u64).sum()
}
