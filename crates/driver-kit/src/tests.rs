//! The loops over endpoints that do nothing, and over some that go wrong.

use std::cell::Cell;

use tlslab_protocol::{ConnectionAge, Outcome, Resumption, Scenario, Side, SideFacts, Step, Tamper, Work};

use crate::pair::Pair;
use crate::verify::verify;
use crate::{Buffer, Endpoint, EndpointError, Identity, Material, Progress, Unready, calibrate};

/// Sends its own number of bytes in each handshake call and marks them, and fails where it is told to.
#[derive(Default)]
struct Scripted {
    never_done: bool,
    loses_bytes: usize,
    /// Of each session that is taken up the server forgets this one, the first being 1.
    forgets: u8,
    taken_up: Cell<u8>,
}

struct Connection {
    side: Side,
    calls: u8,
}

/// Every byte of a handshake: the content type of what TLS 1.3 encrypts.
const CONTENT: u8 = 23;
/// The server's certificate, and all that it sends besides, bytes.
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
        Ok(side)
    }

    fn create(&self, side: &Side) -> Result<Connection, EndpointError> {
        Ok(Connection { side: *side, calls: 0 })
    }

    fn session(&self, _: &mut Connection) -> Result<Option<()>, EndpointError> {
        Ok(Some(()))
    }

    fn resume(&self, side: &Side, (): ()) -> Result<Connection, EndpointError> {
        self.taken_up.set(self.taken_up.get() + 1);
        self.create(side)
    }

    fn handshake(
        &self,
        connection: &mut Connection,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        let resumed = self.taken_up.get() > 0 && self.taken_up.get() != self.forgets;
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
    Pair::new(endpoint, work, Resumption::None, 0, (Side::Client, Side::Server))
}

fn resuming(endpoint: &Scripted) -> Pair<'_, Scripted> {
    Pair::new(endpoint, Work::Handshake, Resumption::Ticket, LEAF as u64, (Side::Client, Side::Server))
}

fn transfer(connection: ConnectionAge, burst: u32) -> Work {
    Work::Transfer { sender: Side::Server, write_bytes: 100, connection, burst }
}

#[test]
fn a_handshake_reads_the_clock_four_times_a_side_and_books_its_bytes() {
    let measured = pair(&Scripted::default(), Work::Handshake).measure(5).unwrap();
    assert_eq!(measured.iterations, 5);
    assert_eq!((measured.client.clock_reads, measured.server.clock_reads), (20, 20));
    assert_eq!((measured.client.wire_bytes, measured.server.wire_bytes), (100, 50));
    assert!(measured.client.phases.total_ns() + measured.server.phases.total_ns() <= measured.elapsed_ns);
    assert_eq!((measured.client.phases.send_ns, measured.client.phases.post_handshake_ns), (0, 0));
}

#[test]
fn a_warm_connection_reads_the_clock_once_a_burst_and_a_fresh_one_once_a_write() {
    let endpoint = Scripted::default();
    let warm = pair(&endpoint, transfer(ConnectionAge::Warm, 4)).measure(10).unwrap();
    // Bursts of 4, 4 and 2.
    assert_eq!((warm.server.clock_reads, warm.client.clock_reads), (3, 3));
    assert_eq!((warm.server.plaintext_sent, warm.client.plaintext_received), (1_000, 1_000));
    assert_eq!((warm.client.plaintext_sent, warm.server.plaintext_received), (0, 0));
    let fresh = pair(&endpoint, transfer(ConnectionAge::Fresh, 1)).measure(10).unwrap();
    assert_eq!((fresh.server.clock_reads, fresh.client.clock_reads), (10, 10));
    assert_eq!(fresh.server.phases.handshake_ns, 0, "the handshake is off the clock");
}

#[test]
fn a_handshake_that_never_ends_and_bytes_that_are_lost_are_failures() {
    let endless = Scripted { never_done: true, ..Scripted::default() };
    let said = pair(&endless, Work::Handshake).measure(1).unwrap_err();
    assert!(said.contains("waits for bytes that never come"), "{said}");
    let lossy = Scripted { loses_bytes: 1, ..Scripted::default() };
    let said = pair(&lossy, transfer(ConnectionAge::Warm, 2)).measure(2).unwrap_err();
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
    // The scripted endpoint encrypts nothing, so a flipped bit arrives as data that is not what was sent.
    let outcome =
        verify(&mut pair(&endpoint, transfer(ConnectionAge::Warm, 4)), Some(Tamper::CorruptedRecord));
    let Outcome::Completed(facts) = outcome else { panic!("{outcome:?}") };
    assert_eq!(facts.plaintext_received, 99);
}

#[test]
fn the_first_session_is_made_off_the_clock_and_each_is_taken_up_once() {
    let endpoint = Scripted::default();
    let mut pair = resuming(&endpoint);
    let measured = pair.measure(5).unwrap();
    assert_eq!(endpoint.taken_up.get(), 5);
    assert_eq!((measured.client.clock_reads, measured.server.clock_reads), (20, 20));
    assert_eq!(measured.server.wire_bytes, 5 * REST as u64);
    pair.measure(2).unwrap();
    assert_eq!(endpoint.taken_up.get(), 7);
}

#[test]
fn a_session_that_was_not_taken_up_and_one_that_was_unasked_are_failures() {
    let endpoint = Scripted { forgets: 3, ..Scripted::default() };
    let said = resuming(&endpoint).measure(5).unwrap_err();
    let expected = "the server stopped in the handshake: the server sent 10 bytes where a full handshake has 10: no \
                    session was taken up";
    assert_eq!(said, expected);
    let endpoint = Scripted { taken_up: Cell::new(1), ..Scripted::default() };
    let mut pair = Pair::new(&endpoint, Work::Handshake, Resumption::None, 8, (Side::Client, Side::Server));
    let expected = "the server stopped in the handshake: the server sent 2 bytes, less than its certificate's 8: this \
                    was no full handshake";
    assert_eq!(pair.measure(1).unwrap_err(), expected);
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
