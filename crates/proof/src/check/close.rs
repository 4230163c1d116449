//! Checks of the end of a connection: each side's closing alert, or nothing.

use tlslab_protocol::{ProtocolVersion, Records, Scenario, Side};

use super::data::{cut, overhead, plain};
use crate::check::checker::Checker;
use crate::transcript::{Part, ReadFlight, Transcript};
use crate::wire::ContentType;
use crate::{BySide, Source};

/// An alert has a level and a description (RFC 8446, section 6).
const ALERT_BYTES: u64 = 2;

/// Checks what follows the data. Returns the bytes of each side's closing alert, record headers included, if
/// the scenario closes the connection.
pub(super) fn check(
    checker: &mut Checker,
    scenario: &Scenario,
    transcript: &Transcript<'_>,
    habit: Records,
) -> Option<BySide<u64>> {
    let flights: Vec<&ReadFlight<'_>> = transcript.part(Part::Close).collect();
    if !scenario.work.closes() {
        if !flights.is_empty() {
            checker.wrong("closing alerts", "none", format!("{} flights", flights.len()), Source::Wire);
        }
        return None;
    }
    let order: Vec<Side> = flights.iter().map(|flight| flight.from).collect();
    if order != Side::BOTH {
        let seen = order.iter().map(|side| side.name()).collect::<Vec<_>>().join(", ");
        let seen = if seen.is_empty() { "none".to_owned() } else { seen };
        checker.wrong("closing alerts", "client, server", seen, Source::Wire);
    }
    for flight in &flights {
        one(checker, transcript, flight, habit);
    }
    let bytes = |side| transcript.wire_bytes(side, Part::Close);
    Some(BySide { client: bytes(Side::Client), server: bytes(Side::Server) })
}

/// A side's flight must be one record, as long as an encrypted alert.
fn one(checker: &mut Checker, transcript: &Transcript<'_>, flight: &ReadFlight<'_>, habit: Records) {
    let hello = &transcript.server_hello;
    let overhead = overhead(hello.version, hello.suite);
    // TLS 1.3 hides the type of an encrypted record.
    let content_type = match hello.version {
        ProtocolVersion::TLS12 => ContentType::Alert,
        _ => ContentType::ApplicationData,
    };
    let expected = cut(ALERT_BYTES, plain(habit, hello.version, overhead));
    let sizes: Vec<u64> =
        flight.records.iter().map(|record| record.fragment.len().saturating_sub(overhead) as u64).collect();
    let is_of_type = flight.records.iter().all(|record| record.content_type == content_type);
    if sizes != expected || !is_of_type {
        let types: Vec<String> = flight
            .records
            .iter()
            .zip(&sizes)
            .map(|(record, size)| format!("{:?} of {size}", record.content_type))
            .collect();
        checker.wrong(
            &format!("{}'s closing alert", flight.from),
            format!("one encrypted record of {content_type:?} with {} bytes", expected[0]),
            types.join(", "),
            Source::Wire,
        );
    }
}
