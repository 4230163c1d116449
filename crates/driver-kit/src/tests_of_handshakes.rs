//! Handshakes that need calls of their own: one ticket for all connections, early data, pre-generated key
//! shares.

use std::sync::Mutex;
use std::time::Duration;

use tlslab_protocol::{Outcome, Resumption, Scenario, ServerKeyShare, Side, SideFacts, Transport, Work};

use crate::pair::Pair;
use crate::pair::verify::verify;
use crate::timing::clock::now_ns;
use crate::{Buffer, Endpoint, EndpointError, Identity, Material, Progress, Unready};

/// The length of the server's certificate, and of everything else that a side sends, bytes.
const LEAF: usize = 8;
const REST: usize = 2;
const CLIENT_HELLO: usize = 4;

/// Records the calls that it receives, and treats early data as configured.
#[derive(Default)]
struct Noting {
    /// The number of bytes of early data that the server fails to return.
    loses_bytes: usize,
    /// It returns the early data in the call that processes the client's Finished.
    is_late: bool,
    /// The returned data differ from those sent.
    alters: bool,
    /// The time that generating a key share takes.
    share_takes: Duration,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    /// Sessions are numbers; these were resumed, in order.
    taken_up: Vec<u32>,
    last_session: u32,
    key_shares: u32,
}

struct Connection {
    side: Side,
    calls: u8,
    resumed: bool,
    has_key_share: bool,
    early: Vec<u8>,
}

impl Noting {
    fn noted<T>(&self, work: impl FnOnce(&mut Noted) -> T) -> T {
        work(&mut self.noted.lock().unwrap())
    }
}

impl Endpoint for Noting {
    type Context = Side;
    type Connection = Connection;
    type Session = u32;

    fn identity(&self) -> Identity {
        unreachable!("no test asks")
    }

    fn context(&self, side: Side, _: &Scenario, _: &Material) -> Result<Side, Unready> {
        Ok(side)
    }

    fn create(&self, side: &Side) -> Result<Connection, EndpointError> {
        // The server does not inspect its input: it goes by whether there was a session yet.
        let resumed = *side == Side::Server && self.noted(|noted| !noted.taken_up.is_empty());
        Ok(Connection { side: *side, calls: 0, resumed, has_key_share: false, early: vec![] })
    }

    fn session(&self, _: &mut Connection) -> Result<Option<u32>, EndpointError> {
        Ok(Some(self.noted(|noted| {
            noted.last_session += 1;
            noted.last_session
        })))
    }

    fn resume(&self, side: &Side, session: u32) -> Result<Connection, EndpointError> {
        self.noted(|noted| noted.taken_up.push(session));
        self.create(side)
    }

    fn copy_session(&self, session: &u32) -> Result<u32, EndpointError> {
        Ok(*session)
    }

    fn make_key_share(&self, server: &mut Connection) -> Result<(), EndpointError> {
        assert_eq!((server.side, server.calls), (Side::Server, 0));
        self.noted(|noted| noted.key_shares += 1);
        std::thread::sleep(self.share_takes);
        server.has_key_share = true;
        Ok(())
    }

    fn send_early(
        &self,
        client: &mut Connection,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        assert_eq!((client.side, client.calls), (Side::Client, 0));
        self.handshake(client, &[], output)?;
        output.append(plaintext);
        Ok(())
    }

    fn handshake_early(
        &self,
        server: &mut Connection,
        input: &[u8],
        output: &mut Buffer,
        plaintext: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        let early = input.get(CLIENT_HELLO..).unwrap_or_default();
        if server.calls == 0 {
            server.early = early[..early.len() - self.loses_bytes].to_vec();
        }
        if server.calls == u8::from(self.is_late) {
            plaintext.append(&server.early);
            if let (true, Some(last)) = (self.alters, plaintext.filled_mut().last_mut()) {
                *last ^= 1;
            }
        }
        self.handshake(server, input, output)
    }

    fn handshake(
        &self,
        connection: &mut Connection,
        _: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        connection.calls += 1;
        match (connection.side, connection.calls) {
            (Side::Client, 1) => output.append(&[1; CLIENT_HELLO]),
            (Side::Server, 1) if connection.resumed => output.append(&[2; REST]),
            (Side::Server, 1) => output.append(&[2; LEAF + REST]),
            (Side::Client, _) => output.append(&[20; REST]),
            (Side::Server, _) => {}
        }
        Ok(if connection.calls == 2 { Progress::Done } else { Progress::Continues })
    }

    fn send(&self, _: &mut Connection, _: &[u8], _: &mut Buffer) -> Result<(), EndpointError> {
        unreachable!("no test sends")
    }

    fn receive(&self, _: &mut Connection, _: &[u8], _: &mut Buffer) -> Result<(), EndpointError> {
        unreachable!("no test receives")
    }

    fn facts(&self, _: &Connection) -> SideFacts {
        SideFacts::default()
    }
}

fn pair(endpoint: &Noting, alter: impl FnOnce(&mut Scenario)) -> Pair<'_, Noting> {
    let mut scenario = Scenario::plain(Work::Handshake);
    alter(&mut scenario);
    let material = Material { chain: vec![vec![0; LEAF]], ..Material::none() };
    Pair::new(endpoint, scenario, material).unwrap()
}

fn with_early_data(endpoint: &Noting) -> Pair<'_, Noting> {
    pair(endpoint, |scenario| {
        scenario.resumption = Resumption::Ticket;
        scenario.early_data = 100;
    })
}

#[test]
fn one_ticket_serves_all_connections_or_each_has_its_own() {
    let endpoint = Noting::default();
    pair(&endpoint, |scenario| scenario.resumption = Resumption::TicketReused).slice(4).unwrap();
    assert_eq!(endpoint.noted(|noted| noted.taken_up.clone()), [1, 1, 1, 1]);
    let endpoint = Noting::default();
    pair(&endpoint, |scenario| scenario.resumption = Resumption::Ticket).slice(4).unwrap();
    assert_eq!(endpoint.noted(|noted| noted.taken_up.clone()), [1, 2, 3, 4]);
}

#[test]
fn every_connection_has_a_key_share_of_its_own_where_they_are_made_beforehand() {
    let endpoint = Noting::default();
    let mut made = pair(&endpoint, |scenario| scenario.server_key_share = ServerKeyShare::Pregenerated);
    let measured = made.slice(5).unwrap();
    assert_eq!(endpoint.noted(|noted| noted.key_shares), 5);
    // Off the clock: creation and handshake are not adjacent, which takes one more reading.
    assert_eq!((measured.client.clock_reads, measured.server.clock_reads), (20, 20));
    let endpoint = Noting::default();
    pair(&endpoint, |_| ()).slice(5).unwrap();
    assert_eq!(endpoint.noted(|noted| noted.key_shares), 0);
}

/// Each time, the wall clock and both sides' clocks stop until the share exists. No clock, plus the time of
/// all shares, exceeds the test's own.
#[test]
fn key_shares_made_beforehand_are_on_no_clock_where_both_sides_work_at_once() {
    for transport in [Transport::Memory, Transport::Loopback] {
        let share_takes = Duration::from_millis(20);
        let endpoint = Noting { share_takes, ..Noting::default() };
        let mut made = pair(&endpoint, |scenario| {
            scenario.server_key_share = ServerKeyShare::Pregenerated;
            scenario.concurrent = true;
            scenario.transport = transport;
        });
        let start_ns = now_ns();
        let measured = made.slice(5).unwrap();
        let most_ns = now_ns() - start_ns - 5 * share_takes.as_nanos() as u64;
        assert_eq!(endpoint.noted(|noted| noted.key_shares), 5);
        assert_eq!((measured.server.latencies.total(), measured.iterations), (5, 5));
        assert!(measured.elapsed_ns <= most_ns, "{} ns, at most {most_ns} ns", measured.elapsed_ns);
        for side in [&measured.client, &measured.server] {
            let on_clock_ns = side.phases.total_ns();
            assert!(on_clock_ns <= most_ns, "{on_clock_ns} ns, at most {most_ns} ns");
        }
    }
}

#[test]
fn early_data_is_counted_where_it_came_early_and_whole() {
    let endpoint = Noting::default();
    let measured = with_early_data(&endpoint).slice(3).unwrap();
    assert_eq!((measured.client.plaintext_sent, measured.server.plaintext_received), (300, 300));
    assert_eq!((measured.client.plaintext_received, measured.server.plaintext_sent), (0, 0));
    // With the first flight: the connection that issued the session carried none.
    assert_eq!(measured.client.wire_bytes, 3 * (CLIENT_HELLO + 100 + REST) as u64);
    let endpoint = Noting::default();
    let Outcome::Completed(facts) = verify(&mut with_early_data(&endpoint), None) else { panic!("refused") };
    assert_eq!((facts.early_data_sent, facts.early_data_received), (100, 100));
    assert_eq!(facts.flights[0].wire.len(), CLIENT_HELLO + 100);
}

#[test]
fn early_data_that_is_lost_late_or_altered_is_a_failure() {
    let said = |endpoint: Noting| with_early_data(&endpoint).slice(1).unwrap_err();
    let lost = said(Noting { loses_bytes: 1, ..Noting::default() });
    assert_eq!(lost, "the server stopped in the handshake: received 99 of 100 bytes of early data");
    let late = said(Noting { is_late: true, ..Noting::default() });
    assert_eq!(late, "the server stopped in the handshake: received 0 of 100 bytes of early data");
    let altered = Noting { alters: true, ..Noting::default() };
    let Outcome::Completed(facts) = verify(&mut with_early_data(&altered), None) else { panic!("refused") };
    assert_eq!(facts.early_data_received, 99);
    let altered = said(Noting { alters: true, ..Noting::default() });
    assert_eq!(altered, "the server stopped in the handshake: the early data was altered on its way");
}
