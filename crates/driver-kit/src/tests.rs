//! The loops with endpoints that do nothing, and with some that fail.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use tlslab_protocol::{
    ConnectionAge, ContextUse, Outcome, RelayCall, RelayResult, RelayStep, Relayed, Resumption, Scenario,
    Sharing, Side, SideFacts, Start, Step, Tamper, Transport, Work,
};

use crate::pair::Pair;
use crate::pair::verify::verify;
use crate::{Buffer, Endpoint, EndpointError, Identity, Material, Progress, Unready, calibrate};

/// Sends its own number of bytes in each handshake call and marks them; fails on request.
#[derive(Default)]
struct Scripted {
    never_done: bool,
    loses_bytes: usize,
    /// The server forgets this one of the sessions that are resumed; the first is 1.
    forgets: u8,
    taken_up: AtomicU8,
    contexts: AtomicU8,
}

struct Connection {
    side: Side,
    calls: u8,
}

/// Every byte of a handshake: the content type of TLS 1.3's encrypted records.
const CONTENT: u8 = 23;
/// The length of the server's certificate, and of everything else that it sends, bytes.
const LEAF: usize = 8;
const REST: usize = 2;

impl Endpoint for Scripted {
    type Context = Side;
    type Connection = Connection;
    type Session = ();

    fn identity(&self) -> Identity {
        unreachable!("no test asks")
    }

    fn context(&self, side: Side, _: &Scenario, _: &Material) -> Result<Side, Unready> {
        self.contexts.fetch_add(1, Relaxed);
        Ok(side)
    }

    fn create(&self, side: &Side) -> Result<Connection, EndpointError> {
        Ok(Connection { side: *side, calls: 0 })
    }

    fn session(&self, _: &mut Connection) -> Result<Option<()>, EndpointError> {
        Ok(Some(()))
    }

    fn resume(&self, side: &Side, (): ()) -> Result<Connection, EndpointError> {
        self.taken_up.fetch_add(1, Relaxed);
        self.create(side)
    }

    fn handshake(
        &self,
        connection: &mut Connection,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        let taken_up = self.taken_up.load(Relaxed);
        let resumed = taken_up > 0 && taken_up != self.forgets;
        let flight = if resumed && connection.side == Side::Server { REST } else { LEAF + REST };
        let sent = if resumed && connection.side == Side::Client { REST } else { LEAF + REST };
        if input.iter().any(|byte| *byte != CONTENT) || (connection.calls > 0 && input.len() != sent) {
            return Err(EndpointError("broken bytes".to_owned()));
        }
        connection.calls += 1;
        if connection.side == Side::Client || connection.calls == 1 {
            output.append(&[CONTENT; LEAF + REST][..flight]);
        }
        let done = connection.calls == 2 && !self.never_done;
        Ok(if done { Progress::Done } else { Progress::Continues })
    }

    fn send(&self, _: &mut Connection, plaintext: &[u8], output: &mut Buffer) -> Result<(), EndpointError> {
        output.append(plaintext);
        Ok(())
    }

    fn receive(&self, _: &mut Connection, input: &[u8], plaintext: &mut Buffer) -> Result<(), EndpointError> {
        plaintext.append(&input[..input.len() - self.loses_bytes]);
        Ok(())
    }

    fn facts(&self, _: &Connection) -> SideFacts {
        SideFacts::default()
    }
}

fn pair(endpoint: &Scripted, work: Work) -> Pair<'_, Scripted> {
    prepared(endpoint, Scenario::plain(work))
}

fn prepared(endpoint: &Scripted, scenario: Scenario) -> Pair<'_, Scripted> {
    let material = Material { chain: vec![vec![0; LEAF]], ..Material::none() };
    Pair::new(endpoint, scenario, material).unwrap()
}

fn resuming(endpoint: &Scripted) -> Pair<'_, Scripted> {
    let resumption = Resumption::Ticket;
    prepared(endpoint, Scenario { resumption, ..Scenario::plain(Work::Handshake) })
}

fn transfer(connection: ConnectionAge, burst: u32) -> Work {
    Work::Transfer { sender: Side::Server, write_bytes: 100, connection, burst }
}

#[test]
fn a_handshake_reads_the_clock_four_times_a_side_and_books_its_bytes() {
    let measured = pair(&Scripted::default(), Work::Handshake).slice(5).unwrap();
    assert_eq!(measured.iterations, 5);
    assert_eq!((measured.client.clock_reads, measured.server.clock_reads), (20, 20));
    assert_eq!((measured.client.wire_bytes, measured.server.wire_bytes), (100, 50));
    assert!(measured.client.phases.total_ns() + measured.server.phases.total_ns() <= measured.elapsed_ns);
    assert_eq!((measured.client.phases.send_ns, measured.client.phases.post_handshake_ns), (0, 0));
}

#[test]
fn a_warm_connection_reads_the_clock_once_a_burst_and_a_fresh_one_once_a_write() {
    let endpoint = Scripted::default();
    let warm = pair(&endpoint, transfer(ConnectionAge::Warm, 4)).slice(10).unwrap();
    // Bursts of 4, 4 and 2.
    assert_eq!((warm.server.clock_reads, warm.client.clock_reads), (3, 3));
    assert_eq!((warm.server.plaintext_sent, warm.client.plaintext_received), (1_000, 1_000));
    assert_eq!((warm.client.plaintext_sent, warm.server.plaintext_received), (0, 0));
    let fresh = pair(&endpoint, transfer(ConnectionAge::Fresh, 1)).slice(10).unwrap();
    assert_eq!((fresh.server.clock_reads, fresh.client.clock_reads), (10, 10));
    assert_eq!(fresh.server.phases.handshake_ns, 0, "the handshake is off the clock");
}

#[test]
fn a_handshake_that_never_ends_and_bytes_that_are_lost_are_failures() {
    let endless = Scripted { never_done: true, ..Scripted::default() };
    let said = pair(&endless, Work::Handshake).slice(1).unwrap_err();
    assert!(said.contains("waits for bytes that never come"), "{said}");
    let lossy = Scripted { loses_bytes: 1, ..Scripted::default() };
    let said = pair(&lossy, transfer(ConnectionAge::Warm, 2)).slice(2).unwrap_err();
    assert_eq!(said, "the client stopped with application data: received 99 of 100 bytes");
}

#[test]
fn a_fault_on_the_wire_reaches_the_peer() {
    let endpoint = Scripted::default();
    let refused = |tamper| match verify(&mut pair(&endpoint, Work::Handshake), Some(tamper)) {
        Outcome::Refused(refusal) => (refusal.side, refusal.step, refusal.error),
        Outcome::Completed(_) => panic!("{tamper:?} went unnoticed"),
    };
    let broken = (Side::Client, Step::Handshake, "broken bytes".to_owned());
    assert_eq!(refused(Tamper::CorruptedRecord), broken);
    assert_eq!(refused(Tamper::TruncatedFlight), broken);
}

#[test]
fn a_proof_holds_every_byte_and_only_equal_ones_count() {
    let endpoint = Scripted::default();
    let outcome = verify(&mut pair(&endpoint, transfer(ConnectionAge::Warm, 4)), None);
    let Outcome::Completed(facts) = outcome else { panic!("{outcome:?}") };
    let flights: Vec<_> =
        facts.flights.iter().map(|flight| (flight.from, flight.step, flight.wire.len())).collect();
    assert_eq!(
        flights,
        [
            (Side::Client, Step::Handshake, 10),
            (Side::Server, Step::Handshake, 10),
            (Side::Client, Step::Handshake, 10),
            (Side::Server, Step::Data, 100)
        ]
    );
    assert_eq!((facts.plaintext_sent, facts.plaintext_received), (100, 100));
    // The scripted endpoint encrypts nothing, so a flipped bit arrives as altered data.
    let outcome =
        verify(&mut pair(&endpoint, transfer(ConnectionAge::Warm, 4)), Some(Tamper::CorruptedRecord));
    let Outcome::Completed(facts) = outcome else { panic!("{outcome:?}") };
    assert_eq!(facts.plaintext_received, 99);
}

#[test]
fn the_first_session_is_made_off_the_clock_and_each_is_taken_up_once() {
    let endpoint = Scripted::default();
    let mut pair = resuming(&endpoint);
    let measured = pair.slice(5).unwrap();
    assert_eq!(endpoint.taken_up.load(Relaxed), 5);
    assert_eq!((measured.client.clock_reads, measured.server.clock_reads), (20, 20));
    assert_eq!(measured.server.wire_bytes, 5 * REST as u64);
    pair.slice(2).unwrap();
    assert_eq!(endpoint.taken_up.load(Relaxed), 7);
}

#[test]
fn a_session_that_was_not_taken_up_and_one_that_was_unasked_are_failures() {
    let endpoint = Scripted { forgets: 3, ..Scripted::default() };
    let said = resuming(&endpoint).slice(5).unwrap_err();
    let expected = "the server stopped in the handshake: the server sent 10 bytes where a full handshake has 10: no \
                    session was taken up";
    assert_eq!(said, expected);
    let endpoint = Scripted { taken_up: AtomicU8::new(1), ..Scripted::default() };
    let mut pair = pair(&endpoint, Work::Handshake);
    let expected = "the server stopped in the handshake: the server sent 2 bytes, less than its certificate's 8: this \
                    was no full handshake";
    assert_eq!(pair.slice(1).unwrap_err(), expected);
}

#[test]
fn each_call_of_a_handshake_has_its_time_and_each_iteration_its_bucket() {
    let measured = pair(&Scripted::default(), Work::Handshake).slice(50).unwrap();
    for side in [&measured.client, &measured.server] {
        assert_eq!(side.handshake_calls_ns.len(), 2);
        assert_eq!(side.handshake_calls_ns.iter().sum::<u64>(), side.phases.handshake_ns);
        assert_eq!(side.latencies.total(), 50);
    }
    let endpoint = Scripted::default();
    let bursts = pair(&endpoint, transfer(ConnectionAge::Warm, 4)).slice(8).unwrap();
    assert!(bursts.client.latencies.is_empty(), "one reading of the clock for four writes");
}

#[test]
fn an_exchange_goes_both_ways() {
    let endpoint = Scripted::default();
    let work = Work::Exchange { write_bytes: 100, burst: 4 };
    let measured = pair(&endpoint, work).slice(10).unwrap();
    for side in [&measured.client, &measured.server] {
        assert_eq!((side.plaintext_sent, side.plaintext_received, side.wire_bytes), (1_000, 1_000, 1_000));
        assert!(side.phases.send_ns > 0 && side.phases.receive_ns > 0);
    }
    let Outcome::Completed(facts) = verify(&mut pair(&endpoint, work), None) else { panic!("refused") };
    assert_eq!((facts.plaintext_sent, facts.plaintext_received), (200, 200));
    let lossy = Scripted { loses_bytes: 1, ..Scripted::default() };
    let said = pair(&lossy, work).slice(4).unwrap_err();
    assert_eq!(said, "the client stopped with application data: received 99 of 100 bytes");
}

#[test]
fn bytes_through_the_kernel_are_the_same_bytes() {
    let endpoint = Scripted::default();
    let transport = Transport::Loopback;
    let handshake = Scenario { transport, ..Scenario::plain(Work::Handshake) };
    let measured = prepared(&endpoint, handshake).slice(20).unwrap();
    assert_eq!((measured.client.wire_bytes, measured.server.wire_bytes), (400, 200));
    // More than the kernel accepts at once.
    let write_bytes = 3 << 20;
    let work =
        Work::Transfer { sender: Side::Client, write_bytes, connection: ConnectionAge::Warm, burst: 2 };
    let mut large = prepared(&endpoint, Scenario { transport, ..Scenario::plain(work) });
    assert_eq!(large.slice(4).unwrap().server.plaintext_received, 4 * u64::from(write_bytes));
    let Outcome::Completed(facts) = verify(&mut large, None) else { panic!("refused") };
    assert_eq!(facts.plaintext_received, u64::from(write_bytes));
}

#[test]
fn fresh_contexts_are_made_and_booked_once_a_connection() {
    let endpoint = Scripted::default();
    let scenario = Scenario { context: ContextUse::Fresh, ..Scenario::plain(Work::Handshake) };
    let measured = prepared(&endpoint, scenario).slice(5).unwrap();
    // Two more were made when it was prepared.
    assert_eq!(endpoint.contexts.load(Relaxed), 12);
    assert!(measured.client.phases.context_ns > 0 && measured.server.phases.context_ns > 0);
    let reused = pair(&endpoint, Work::Handshake).slice(5).unwrap();
    assert_eq!(reused.client.phases.context_ns, 0);
}

#[test]
fn a_cold_start_is_the_first_thing_in_its_process() {
    let endpoint = Scripted::default();
    let mut cold = prepared(&endpoint, Scenario { start: Start::Cold, ..Scenario::plain(Work::Handshake) });
    assert_eq!(endpoint.contexts.load(Relaxed), 0);
    let measured = cold.slice(1).unwrap();
    assert!(measured.server.phases.context_ns > 0);
    assert!(cold.slice(1).unwrap_err().contains("once in a process"));
}

#[test]
fn threads_share_contexts_or_have_their_own_and_do_all_iterations() {
    for (sharing, contexts) in [(Sharing::Shared, 2), (Sharing::Private, 6)] {
        let endpoint = Scripted::default();
        let scenario = Scenario { threads: 3, sharing, ..Scenario::plain(Work::Handshake) };
        let measured = prepared(&endpoint, scenario).slice(10).unwrap();
        assert_eq!(endpoint.contexts.load(Relaxed), contexts);
        let shares: Vec<u64> = measured.threads.iter().map(|thread| thread.iterations).collect();
        assert_eq!(shares, [4, 3, 3]);
        assert_eq!((measured.iterations, measured.client.latencies.total()), (10, 10));
        assert_eq!((measured.client.wire_bytes, measured.server.wire_bytes), (200, 100));
    }
    let endless = Scripted { never_done: true, ..Scripted::default() };
    let scenario = Scenario { threads: 2, ..Scenario::plain(Work::Handshake) };
    assert!(prepared(&endless, scenario).slice(4).unwrap_err().contains("never come"));
}

#[test]
fn both_sides_at_once_do_the_same_work() {
    for transport in [Transport::Memory, Transport::Loopback] {
        let endpoint = Scripted::default();
        let scenario = Scenario { concurrent: true, transport, ..Scenario::plain(Work::Handshake) };
        let measured = prepared(&endpoint, scenario.clone()).slice(20).unwrap();
        assert_eq!((measured.client.wire_bytes, measured.server.wire_bytes), (400, 200));
        assert_eq!((measured.client.latencies.total(), measured.server.latencies.total()), (20, 20));
        let endpoint = Scripted { forgets: 3, ..Scripted::default() };
        let scenario = Scenario { resumption: Resumption::Ticket, ..scenario };
        let said = prepared(&endpoint, scenario).slice(5).unwrap_err();
        assert!(said.contains("no session was taken up"), "{said}");
    }
}

#[test]
fn a_calibration_is_of_this_world() {
    let calibration = calibrate::calibrate().unwrap();
    assert!(calibration.clock_read_ns > 0.0 && calibration.clock_step_ns > 0.0);
    assert!(calibration.handshake_client_ns > 0.0 && calibration.handshake_server_ns > 0.0);
    assert!(calibration.send_burst_ns >= 0.0 && calibration.receive_write_ns >= 0.0);
}

#[test]
#[should_panic(expected = "do not fit")]
fn a_buffer_never_grows() {
    Buffer::with_capacity(4).append(&[0; 5]);
}

fn relayed(pair: &mut Pair<'_, Scripted>, side: Side, steps: &[(u32, RelayCall, usize)]) -> Relayed {
    let step = |(connection, call, input): &(u32, RelayCall, usize)| RelayStep {
        connection: *connection,
        call: *call,
        input: vec![CONTENT; *input],
    };
    pair.relay(side, &steps.iter().map(step).collect::<Vec<_>>(), None).unwrap()
}

#[test]
fn one_side_goes_step_by_step_and_is_held_until_it_is_freed() {
    let endpoint = Scripted::default();
    let mut pair = pair(&endpoint, Work::Handshake);
    let opened = relayed(
        &mut pair,
        Side::Client,
        &[
            (3, RelayCall::Create, 0),
            (3, RelayCall::Handshake, 0),
            (9, RelayCall::Create, 0),
            (9, RelayCall::Handshake, 0),
        ],
    );
    let lengths: Vec<usize> = opened.results.iter().map(|result| result.output.len()).collect();
    assert_eq!(lengths, [0, LEAF + REST, 0, LEAF + REST]);
    assert_eq!(opened.clock_reads, 4);
    assert!(opened.phases.total_ns() <= opened.elapsed_ns);
    // The other side has its own numbers.
    let server = relayed(
        &mut pair,
        Side::Server,
        &[(3, RelayCall::Create, 0), (3, RelayCall::Handshake, LEAF + REST)],
    );
    assert!(!server.results[1].done && server.results[1].refused.is_none());
    let done = relayed(
        &mut pair,
        Side::Client,
        &[(9, RelayCall::Handshake, LEAF + REST), (3, RelayCall::Handshake, 1), (9, RelayCall::Free, 0)],
    );
    assert!(done.results[0].done);
    assert_eq!(done.results[1].refused.as_deref(), Some("broken bytes"));
    assert_eq!(done.results[2], RelayResult::default());
    let gone = relayed(&mut pair, Side::Client, &[(9, RelayCall::Facts, 0), (3, RelayCall::Create, 0)]);
    let said: Vec<_> = gone.results.iter().map(|result| result.refused.as_deref().unwrap()).collect();
    assert_eq!(said, ["the client has no connection 9", "the client's connection 3 exists already"]);
}

#[test]
fn data_over_the_lab_is_compared_and_a_session_is_kept_under_its_number() {
    let endpoint = Scripted::default();
    let mut pair = pair(&endpoint, transfer(ConnectionAge::Warm, 1));
    let create = (0, RelayCall::Create, 0);
    let sent = relayed(&mut pair, Side::Server, &[create, (0, RelayCall::Send, 0)]);
    let wire = sent.results[1].output.clone();
    let mut spoilt = wire.clone();
    spoilt[60] ^= 1;
    relayed(&mut pair, Side::Client, &[create]);
    for (input, equal) in [(wire, 100), (spoilt, 60)] {
        let step = RelayStep { connection: 0, call: RelayCall::Receive, input };
        let received = pair.relay(Side::Client, &[step], None).unwrap();
        assert_eq!(received.results[0].plaintext_received, equal);
    }
    let kept = relayed(
        &mut pair,
        Side::Client,
        &[
            (0, RelayCall::Session, 0),
            (0, RelayCall::Free, 0),
            (0, RelayCall::Resume, 0),
            (0, RelayCall::Free, 0),
            (0, RelayCall::Resume, 0),
        ],
    );
    assert!(kept.results[0].done);
    assert_eq!(endpoint.taken_up.load(Relaxed), 1);
    assert_eq!(kept.results[4].refused.as_deref(), Some("no session is kept under the number 0"));
}

#[test]
fn numbers_have_a_limit() {
    let endpoint = Scripted::default();
    let step = RelayStep::new(tlslab_protocol::MOST_RELAYED, RelayCall::Create);
    let said = pair(&endpoint, Work::Handshake).relay(Side::Client, &[step], None).unwrap_err();
    assert_eq!(said, "a connection has the number 1048576; the highest is 1048575");
}
