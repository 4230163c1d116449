//! Checks of application data: who sent it, in which records, and that it arrived.

use std::collections::BTreeMap;

use tlslab_protocol::{CipherSuite, Facts, ProtocolVersion, Records, Scenario, Side};

use crate::check::checker::Checker;
use crate::transcript::{Part, ReadFlight, Transcript};
use crate::wire::{ContentType, MAX_PLAINTEXT_BYTES};
use crate::{Blocks, BySide, DataFacts, RecordSize, SentData, Source};

/// Checks the data against the scenario's work.
pub(super) fn check(
    checker: &mut Checker,
    scenario: &Scenario,
    facts: &Facts,
    transcript: &Transcript<'_>,
    habit: Records,
) -> DataFacts {
    let overhead = overhead(transcript.server_hello.version, transcript.server_hello.suite);
    let sent = |side| {
        let sizes = fragment_sizes(transcript, side, overhead);
        let blocks = Blocks::of(&sizes, transcript.server_hello.version, transcript.server_hello.suite);
        let wire_bytes = transcript.wire_bytes(side, Part::Data);
        (SentData { wire_bytes, record_sizes: histogram(&sizes), blocks }, sizes)
    };
    let (by_client, client_sizes) = sent(Side::Client);
    let (by_server, server_sizes) = sent(Side::Server);
    let wire_bytes = by_client.wire_bytes + by_server.wire_bytes;
    let data = DataFacts {
        sent: BySide { client: by_client, server: by_server },
        expansion: (facts.plaintext_sent > 0).then(|| wire_bytes as f64 / facts.plaintext_sent as f64),
        plaintext_sent: facts.plaintext_sent,
        plaintext_received: facts.plaintext_received,
    };

    let senders = scenario.work.senders();
    let total = scenario.work.plaintext_bytes();
    check_all_encrypted(checker, transcript);
    for side in Side::BOTH {
        let (sizes, seen) = match side {
            Side::Client => (&client_sizes, &data.sent.client),
            Side::Server => (&server_sizes, &data.sent.server),
        };
        if !senders.contains(&side) {
            if seen.wire_bytes > 0 {
                let text = format!("{} bytes in {}", seen.wire_bytes, seen.sizes());
                checker.wrong(&format!("data from the {side}"), "none", text, Source::Wire);
            }
        } else {
            let write_bytes = u64::from(scenario.work.sent_bytes(side).unwrap_or(0));
            let expected = cut(write_bytes, plain(habit, scenario.version, overhead));
            if *sizes != expected {
                let described = SentData { record_sizes: histogram(&expected), ..SentData::default() };
                checker.wrong(
                    "record sizes",
                    described.sizes(),
                    in_order(seen, sizes, &expected),
                    Source::Wire,
                );
            }
        }
    }
    for (name, counted) in
        [("plaintext sent", facts.plaintext_sent), ("plaintext received", facts.plaintext_received)]
    {
        if counted != total {
            checker.wrong(name, format!("{total} bytes"), format!("{counted} bytes"), Source::Driver);
        }
    }
    data
}

/// Data in cleartext do not count. Alerts are reported elsewhere.
fn check_all_encrypted(checker: &mut Checker, transcript: &Transcript<'_>) {
    let records = transcript.part(Part::Data).flat_map(|flight| &flight.records);
    let clear = records.filter(|record| {
        matches!(record.content_type, ContentType::Handshake | ContentType::ChangeCipherSpec)
    });
    let count = clear.count();
    if count > 0 {
        checker.wrong("data records", "all encrypted", format!("{count} in the clear"), Source::Wire);
    }
}

fn fragment_sizes(transcript: &Transcript<'_>, side: Side, overhead: usize) -> Vec<u64> {
    let flights = transcript.part(Part::Data).filter(|flight: &&ReadFlight<'_>| flight.from == side);
    let records = flights.flat_map(|flight| &flight.records);
    records
        .filter(|record| record.content_type == ContentType::ApplicationData)
        .map(|record| record.fragment.len().saturating_sub(overhead) as u64)
        .collect()
}

/// The library's record settings for one version, with a limit for plaintext alone. TLS 1.2 has no padding,
/// so only the limit applies there.
pub(super) fn plain(habit: Records, version: ProtocolVersion, overhead: usize) -> Records {
    let less = if habit.counts_overhead { overhead as u32 } else { 0 };
    let of_plaintext = Records {
        plaintext_bytes: habit.plaintext_bytes.saturating_sub(less),
        counts_overhead: false,
        ..habit
    };
    match version {
        ProtocolVersion::TLS13 => of_plaintext,
        // A limit that comes with padding is due to it.
        _ if habit.counts_overhead || (habit.padding_bytes == 0 && habit.filled_to_bytes <= 1) => {
            Records { plaintext_bytes: of_plaintext.plaintext_bytes, ..Records::default() }
        }
        _ => Records::default(),
    }
}

/// Full records and one with the rest, each with its padding.
pub(super) fn cut(write_bytes: u64, habit: Records) -> Vec<u64> {
    let full = u64::from(habit.plaintext_bytes).clamp(1, MAX_PLAINTEXT_BYTES as u64);
    let mut sizes = vec![full; (write_bytes / full) as usize];
    sizes.extend((!write_bytes.is_multiple_of(full)).then_some(write_bytes % full));
    let filled = |size: u64| (size + 1).next_multiple_of(u64::from(habit.filled_to_bytes.max(1))) - 1;
    sizes.into_iter().map(|size| filled(size + u64::from(habit.padding_bytes))).collect()
}

fn histogram(sizes: &[u64]) -> Vec<RecordSize> {
    let mut bars = BTreeMap::new();
    for size in sizes {
        *bars.entry(*size).or_insert(0) += 1;
    }
    bars.into_iter().rev().map(|(plaintext_bytes, count)| RecordSize { plaintext_bytes, count }).collect()
}

/// The histogram; with a remark if only the order is wrong.
fn in_order(seen: &SentData, sizes: &[u64], expected: &[u64]) -> String {
    if seen.record_sizes == histogram(expected) && sizes != expected {
        return format!("{} with the short one not last", seen.sizes());
    }
    seen.sizes()
}

/// The overhead of a record, bytes.
pub(super) fn overhead(version: ProtocolVersion, suite: CipherSuite) -> usize {
    // TLS_AES_128_CCM_8_SHA256 is the only suite of TLS 1.3 with a short tag.
    let tag = if suite == CipherSuite(0x1305) { 8 } else { 16 };
    // TLS 1.3 adds the plaintext's type; TLS 1.2 the part of GCM's nonce that is not derived (RFC 5288).
    match version {
        ProtocolVersion::TLS12 if suite.protection().ends_with("-gcm") => tag + 8,
        ProtocolVersion::TLS12 => tag,
        _ => tag + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_as_the_library_makes_them() {
        let sizes = |write, plaintext_bytes, padding_bytes, filled_to_bytes| {
            cut(write, Records { plaintext_bytes, padding_bytes, filled_to_bytes, counts_overhead: false })
        };
        assert_eq!(cut(16_385, Records::default()), [16_384, 1]);
        assert_eq!(sizes(16_384, 16_367, 16, 1), [16_383, 33]);
        // 16,383 bytes and their type are a multiple of 16; one byte and its type are padded to 16.
        assert_eq!(sizes(16_384, 16_383, 0, 16), [16_383, 15]);
        let counting = Records { counts_overhead: true, ..Records::default() };
        let size = |version, suite| plain(counting, version, overhead(version, suite)).plaintext_bytes;
        let short = |padding_bytes| {
            let habit = Records { plaintext_bytes: 4096, padding_bytes, ..Records::default() };
            plain(habit, ProtocolVersion::TLS12, 24).plaintext_bytes
        };
        assert_eq!((short(0), short(16)), (4096, 16_384), "a limit with padding is of TLS 1.3 alone");
        assert_eq!(size(ProtocolVersion::TLS13, CipherSuite::AES_128_GCM), 16_367);
        assert_eq!(size(ProtocolVersion::TLS12, CipherSuite::ECDHE_RSA_AES_128_GCM), 16_360);
        assert_eq!(size(ProtocolVersion::TLS12, CipherSuite::ECDHE_RSA_CHACHA20_POLY1305), 16_368);
    }
}
