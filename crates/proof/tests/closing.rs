//! Short connections: the end of real ones, and ends that differ from the scenario's.

mod capture;

use capture::{Capture, capture};
use tlslab_proof::{Expected, FaultKind, WrongFact, check, faults, sent};
use tlslab_protocol::{Facts, Side, Step, Work};

const NAMES: [&str; 3] = ["rustls-request", "openssl-tls12-request", "openssl-request-resumed"];

/// The places of the closing flights in the capture of TLS 1.3.
const CLIENT_CLOSES: usize = 5;
const SERVER_CLOSES: usize = 6;

/// By RFC 8446 and RFC 5288: a header of 5 bytes, an alert of 2 and a tag of 16; TLS 1.3 adds the content's
/// type, TLS 1.2 with GCM 8 bytes of the nonce.
#[test]
fn each_side_closes_with_one_encrypted_alert() {
    for (name, alert, request, response) in
        [(NAMES[0], 24, 222, 8214), (NAMES[1], 31, 229, 8221), (NAMES[2], 24, 222, 8214)]
    {
        let Capture { scenario, facts } = capture(name);
        let proven = check(&scenario, &facts).unwrap_or_else(|wrong| panic!("{name}: {wrong:?}"));
        let close = proven.close.unwrap();
        assert_eq!((close.client, close.server), (alert, alert), "{name}");
        let sent = sent(&scenario, &facts, &proven).unwrap();
        for (side, sent, data) in
            [(Side::Client, &sent.client, request), (Side::Server, &sent.server, response)]
        {
            assert_eq!((sent["close"], sent["data"], sent["data.records"]), (alert, data, 1), "{name}");
            let wire = facts.flights.iter().filter(|flight| flight.from == side);
            assert_eq!(sent["total"], wire.map(|flight| flight.wire.len() as u64).sum::<u64>(), "{name}");
            let parts = ["handshake", "data", "close", "post_handshake"];
            let parts = parts.iter().filter_map(|part| sent.get(*part)).sum::<u64>();
            assert_eq!(parts, sent["total"], "{name}");
        }
        let rows = proven.rows();
        let row = rows.iter().find(|row| row.fact == "server's closing alert").unwrap();
        assert_eq!(row.value, format!("{alert} bytes"));
    }
}

/// The wrong facts of a capture after a change.
fn wrong(name: &str, change: impl FnOnce(&mut Facts)) -> Vec<String> {
    let altered = capture(name).with(|_, facts| change(facts));
    let wrong = check(&altered.scenario, &altered.facts).err().unwrap_or_default();
    wrong.iter().map(WrongFact::to_string).collect()
}

#[test]
fn a_connection_that_a_side_does_not_close_is_wrong() {
    for name in NAMES {
        let found = wrong(name, |facts| drop(facts.flights.pop()));
        assert_eq!(found, ["closing alerts: expected client, server, the wire shows client"], "{name}");
        let found = wrong(name, |facts| facts.flights.retain(|flight| flight.step != Step::Close));
        assert_eq!(found, ["closing alerts: expected client, server, the wire shows none"], "{name}");
        let found = wrong(name, |facts| {
            let last = facts.flights.len() - 1;
            facts.flights.swap(last, last - 1);
        });
        assert_eq!(
            found,
            ["closing alerts: expected client, server, the wire shows server, client"],
            "{name}"
        );
    }
}

#[test]
fn what_is_no_encrypted_alert_closes_nothing() {
    // An alert in cleartext: a side that has keys encrypts its alerts.
    let clear = [21, 3, 3, 0, 2, 1, 0];
    for name in NAMES {
        let found = wrong(name, |facts| facts.flights.last_mut().unwrap().wire = clear.to_vec());
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert!(
            found[0].starts_with("server's closing alert: expected one encrypted record of "),
            "{found:?}"
        );
    }
    let found = wrong(NAMES[0], |facts| facts.flights[CLIENT_CLOSES].wire = facts.flights[3].wire.clone());
    assert_eq!(
        found,
        [
            "client's closing alert: expected one encrypted record of ApplicationData with 2 bytes, the wire shows \
             ApplicationData of 200"
        ]
    );
    let twice = wrong(NAMES[0], |facts| {
        let more = facts.flights[SERVER_CLOSES].wire.clone();
        facts.flights[SERVER_CLOSES].wire.extend(more);
    });
    assert_eq!(twice.len(), 1, "{twice:?}");
    assert!(twice[0].ends_with("ApplicationData of 2, ApplicationData of 2"), "{twice:?}");
}

#[test]
fn a_request_that_is_altered_and_a_response_that_is_cut_are_wrong() {
    let found = wrong(NAMES[0], |facts| facts.plaintext_received -= 1);
    assert_eq!(found, ["plaintext received: expected 8392 bytes, the driver counted 8391 bytes"]);
    let found = wrong(NAMES[0], |facts| facts.flights[4].wire = facts.flights[3].wire.clone());
    assert_eq!(found, ["record sizes: expected 1 × 8192, the wire shows 1 × 200"]);
}

#[test]
fn alerts_after_other_work_are_wrong() {
    let mut closed = capture(NAMES[0]);
    closed.scenario.work = Work::Handshake;
    closed.facts.flights.retain(|flight| flight.step != Step::Data);
    (closed.facts.plaintext_sent, closed.facts.plaintext_received) = (0, 0);
    let wrong = check(&closed.scenario, &closed.facts).unwrap_err();
    let wrong: Vec<String> = wrong.iter().map(WrongFact::to_string).collect();
    assert_eq!(wrong, ["closing alerts: expected none, the wire shows 2 flights"]);
}

#[test]
fn the_request_is_what_a_corrupted_record_hits() {
    let faults = faults(&capture(NAMES[0]).scenario);
    let corrupted = faults.iter().find(|fault| fault.kind == FaultKind::CorruptedRecord).unwrap();
    assert_eq!(corrupted.expected, Expected::MustRefuse(Side::Server));
}
