//! Both sides at once, each in a thread of its own; each part of a flight is passed on as it is made.
//!
//! It reports the time per connection by the wall clock, and the time of each side's own calls. A side that
//! waits for its peer is only on the wall clock. That clock is stopped between two connections, while the
//! next one is prepared: a session to resume, or a server's end with its key share.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use tlslab_protocol::{Measurement, Side, SideMeasurement, Step, WarmUp, WarmUpRule, WarmUpTimes};

use super::channel::Channel;
use super::first_stop::FirstStop;
use super::link::Meeting;
use super::pipe::{Pipe, wait_until};
use super::{Place, Stopped, Worker};
use crate::memory::placement::Gap;
use crate::timing::clock::now_ns;
use crate::timing::meter::{Laps, Meter};
use crate::timing::phase::Phase;
use crate::timing::turn::{Done, SliceDone, Turn};
use crate::{Buffer, Endpoint, Progress};

/// A flight may come in many parts.
const MOST_CALLS: usize = 256;
/// For one direction of a handshake.
const BUFFER_BYTES: usize = 128 * 1024;
const NO_MORE: u64 = u64::MAX;

/// State that both threads share.
#[derive(Default)]
struct Shared {
    to_server: Arc<Pipe>,
    to_client: Arc<Pipe>,
    /// The connection whose server end is to be prepared, counted from 1, if key shares are pre-generated.
    due: AtomicU64,
    /// The last connection whose server end is prepared with its key share.
    prepared: AtomicU64,
    /// The connection that the server is to make. The wall clock is running by then.
    wanted: AtomicU64,
    /// The last connection that the server has completed and whose bytes it has all sent.
    answered: AtomicU64,
    /// The last connection whose server end is freed.
    freed: AtomicU64,
    /// Bytes that the server has sent on this connection: in all, and before its last call.
    server_sent: AtomicU64,
    server_flight: AtomicU64,
    stop: FirstStop,
}

/// One side's share of all connections.
struct Share {
    laps: Laps,
    sent: u64,
    /// How long the wall clock was stopped; reported by the client, which sets the pace.
    stood_still_ns: u64,
}

/// Does the work as a turn requests.
pub(super) fn measure<E: Endpoint>(
    worker: &mut Worker<E>,
    at: Place<'_, E>,
    turn: Turn,
) -> Result<Vec<Measurement>, String> {
    worker.sessions.forget_old();
    let mut warm_up = turn.warm_up.map(|rule| warm_up(worker, at, rule)).transpose()?;
    let mut slice = || -> Result<Measurement, String> {
        Ok(Measurement { warm_up: warm_up.take(), ..both_sides(worker, at, turn.iterations)? })
    };
    (0..turn.slices).map(|_| slice()).collect()
}

/// Makes longer and longer series of connections until the time is over, as each series starts a thread.
fn warm_up<E: Endpoint>(
    worker: &mut Worker<E>,
    at: Place<'_, E>,
    rule: WarmUpRule,
) -> Result<WarmUp, String> {
    let first = both_sides(worker, at, 1)?;
    let times = |side: &SideMeasurement| {
        let first_ns = side.phases.total_ns();
        WarmUpTimes { first_ns, total_ns: first_ns }
    };
    let (client, server) = (times(&first.client), times(&first.server));
    let mut done = WarmUp { iterations: 1, elapsed_ns: first.elapsed_ns, client, server };
    while rule.goes_on(done.iterations, done.elapsed_ns) {
        let row = both_sides(worker, at, done.iterations)?;
        done.iterations += row.iterations;
        // A stopped clock must not keep the loop going.
        done.elapsed_ns += row.elapsed_ns.max(1_000);
        done.client.total_ns += row.client.phases.total_ns();
        done.server.total_ns += row.server.phases.total_ns();
    }
    Ok(done)
}

/// Makes this number of connections, one after the other.
fn both_sides<E: Endpoint>(
    worker: &mut Worker<E>,
    at: Place<'_, E>,
    iterations: u64,
) -> Result<Measurement, String> {
    // State that a side makes once per thread or per scenario is made before the clock runs.
    if worker.sessions.wanted && worker.sessions.next.is_none() {
        let first = worker.session(at)?;
        worker.sessions.leave(Some(first));
    }
    let shared = Shared::default();
    let meeting = worker.meeting.share().map_err(|cause| format!("the listening socket: {cause}"))?;
    let pregenerates = worker.pregenerates;
    let (client, server, elapsed_ns) = thread::scope(|scope| {
        let server = scope.spawn(|| shared.stop.noting(|| serve(&shared, &meeting, pregenerates, at)));
        let start_ns = now_ns();
        let client = shared.stop.noting(|| dial(&shared, worker, at, iterations));
        let elapsed_ns = now_ns() - start_ns;
        shared.due.store(NO_MORE, Ordering::Release);
        shared.wanted.store(NO_MORE, Ordering::Release);
        (client, server.join().ok().flatten(), elapsed_ns)
    });
    match (shared.stop.into_inner(), client, server) {
        (None, Some(client), Some(server)) => {
            Ok(both(iterations, elapsed_ns - client.stood_still_ns, &client, &server))
        }
        (Some(stopped), ..) => Err(stopped.into()),
        _ => Err("the server's thread panicked".to_owned()),
    }
}

impl Shared {
    /// Waits until the peer has reached a connection.
    fn reached(&self, side: Side, at: &AtomicU64, connection: u64) -> Result<u64, Stopped> {
        let mut seen = 0;
        wait_until(|| {
            seen = at.load(Ordering::Acquire);
            seen >= connection || self.stop.is_over()
        });
        if seen >= connection { Ok(seen) } else { Err(Stopped::waiting(side)) }
    }

    /// Requests a connection from the server. If key shares are pre-generated, its end is prepared first.
    /// Returns when the wall clock runs again, before the server's may run.
    #[inline(always)]
    fn begin(
        &self,
        connection: u64,
        pregenerates: bool,
        clock: impl FnOnce() -> u64,
    ) -> Result<u64, Stopped> {
        if pregenerates {
            self.due.store(connection, Ordering::Release);
            self.reached(Side::Client, &self.prepared, connection)?;
        }
        let runs_ns = clock();
        self.wanted.store(connection, Ordering::Release);
        Ok(runs_ns)
    }
}

fn both(iterations: u64, elapsed_ns: u64, client: &Share, server: &Share) -> Measurement {
    let of = |share: &Share| {
        let slice = SliceDone { booked: *share.laps.booked(), elapsed_ns, wire: [share.sent; 2], faults: 0 };
        let done = Done { slices: vec![slice], warm_up: None };
        Turn::of(iterations).measurements(done, &share.laps, [[0; 2]; 2]).remove(0)
    };
    Measurement {
        client: of(client).client,
        server: of(server).server,
        iterations,
        elapsed_ns,
        threads: vec![],
        warm_up: None,
        open_loop: None,
        faults: 0,
    }
}

/// A side's end of the connection: a channel, and a function that passes on flushed bytes and counts them.
fn ends(channel: Channel, sent: &Arc<AtomicU64>) -> (Arc<Channel>, impl Fn(&[u8]) + Send + Sync + 'static) {
    let channel = Arc::new(channel);
    let (out, sent) = (channel.clone(), sent.clone());
    let sink = move |bytes: &[u8]| {
        sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        // A closed socket is detected by the side that waits for bytes from it.
        let _ = out.push(bytes);
    };
    (channel, sink)
}

fn wire_error(side: Side) -> impl Fn(io::Error) -> Stopped {
    move |cause| Stopped::on_the_way(side, Step::Handshake, format!("over TCP: {cause}"))
}

/// The state of the client's thread.
struct Client<'a> {
    shared: &'a Shared,
    input: Buffer,
    output: Buffer,
    received: Buffer,
    laps: Laps,
    /// Bytes of this connection that have arrived.
    got: u64,
}

impl Client<'_> {
    const ME: Side = Side::Client;

    /// The calls of one handshake.
    #[inline(always)]
    fn shake_hands<E: Endpoint>(
        &mut self,
        endpoint: &E,
        client: &mut E::Connection,
        channel: &Channel,
    ) -> Result<(), Stopped> {
        self.got = 0;
        self.input.clear();
        for call in 0..MOST_CALLS {
            self.laps.enter(Self::ME, Phase::Handshake(call));
            let progress = endpoint
                .handshake(client, self.input.filled(), &mut self.output)
                .map_err(Stopped::at(Self::ME, Step::Handshake))?;
            self.output.flush();
            self.laps.leave();
            if progress == Progress::Done {
                return Ok(());
            }
            self.wait(channel)?;
        }
        Err(Stopped::waiting(Self::ME))
    }

    /// Processes what the server has sent after the handshake.
    #[inline(always)]
    fn receive_rest<E: Endpoint>(
        &mut self,
        endpoint: &E,
        client: &mut E::Connection,
        channel: &Channel,
    ) -> Result<(), Stopped> {
        while self.got < self.shared.server_sent.load(Ordering::Acquire) {
            self.wait(channel)?;
            self.received.clear();
            self.laps.enter(Self::ME, Phase::PostHandshake);
            endpoint
                .receive(client, self.input.filled(), &mut self.received)
                .map_err(Stopped::at(Self::ME, Step::PostHandshake))?;
            self.laps.leave();
        }
        Ok(())
    }

    /// Waits for bytes from the server.
    #[inline(always)]
    fn wait(&mut self, channel: &Channel) -> Result<(), Stopped> {
        self.input.clear();
        if !channel.wait(&mut self.input, &self.shared.stop.over).map_err(wire_error(Self::ME))? {
            return Err(Stopped::waiting(Self::ME));
        }
        self.got += self.input.len() as u64;
        Ok(())
    }
}

/// The client's thread, which also sets the pace.
fn dial<E: Endpoint>(
    shared: &Shared,
    worker: &mut Worker<E>,
    at: Place<'_, E>,
    iterations: u64,
) -> Result<Share, Stopped> {
    const ME: Side = Client::ME;
    let fault = wire_error(ME);
    // A thread has a heap of its own, which the gaps shift as long as the thread runs.
    let _gap = Gap::here();
    let input = Buffer::with_capacity(BUFFER_BYTES);
    let _gap = Gap::here();
    let output = Buffer::with_capacity(BUFFER_BYTES);
    let _gap = Gap::here();
    let received = Buffer::with_capacity(BUFFER_BYTES);
    let sent = Arc::new(AtomicU64::new(0));
    let mut thread = Client { shared, input, output, received, laps: Laps::start(), got: 0 };
    let mut stood_still_ns = 0;
    for connection in 1..=iterations {
        let stopped_ns = now_ns();
        // A full handshake if the previous connection has left no session.
        let session = if worker.sessions.wanted { Some(worker.session(at)?) } else { None };
        stood_still_ns += shared.begin(connection, worker.pregenerates, now_ns)? - stopped_ns;
        thread.laps.enter(ME, Phase::Create);
        let channel = match worker.meeting.dial().map_err(&fault)? {
            Some(stream) => Channel::socket(stream).map_err(&fault)?,
            None => Channel::Memory { out: shared.to_server.clone(), into: shared.to_client.clone() },
        };
        let made = match session {
            Some(session) => at.endpoint.resume(at.client, session),
            None => at.endpoint.create(at.client),
        };
        let mut client = made.map_err(Stopped::at(ME, Step::Handshake))?;
        thread.laps.leave();
        let (channel, sink) = ends(channel, &sent);
        thread.output.flush_to(sink);
        thread.shake_hands(at.endpoint, &mut client, &channel)?;
        shared.reached(ME, &shared.answered, connection)?;
        thread.receive_rest(at.endpoint, &mut client, &channel)?;
        let server_flight = shared.server_flight.load(Ordering::Acquire);
        if worker.sessions.wanted {
            worker.sessions.check_resumed(server_flight)?;
            worker.sessions.keep(at.endpoint.session(&mut client).map_err(Stopped::of_session)?);
        } else {
            worker.sessions.check_full(server_flight)?;
        }
        thread.laps.enter(ME, Phase::Free);
        drop(client);
        thread.output.flush_to_nobody();
        drop(channel);
        thread.laps.leave();
        thread.laps.end_iteration();
        shared.reached(ME, &shared.freed, connection)?;
    }
    Ok(Share { laps: thread.laps, sent: sent.load(Ordering::Relaxed), stood_still_ns })
}

/// Prepares a server's end and its key share, off every clock. The client begins when both exist.
fn prepare<E: Endpoint>(
    shared: &Shared,
    at: Place<'_, E>,
    connection: u64,
    laps: &mut Laps,
) -> Result<E::Connection, Stopped> {
    let stop = || Stopped::at(Side::Server, Step::Handshake);
    laps.enter(Side::Server, Phase::Create);
    let made = at.endpoint.create(at.server);
    laps.leave();
    let mut server = made.map_err(stop())?;
    at.endpoint.make_key_share(&mut server).map_err(stop())?;
    shared.prepared.store(connection, Ordering::Release);
    Ok(server)
}

/// The server's thread.
fn serve<E: Endpoint>(
    shared: &Shared,
    meeting: &Meeting,
    pregenerates: bool,
    at: Place<'_, E>,
) -> Result<Share, Stopped> {
    const ME: Side = Side::Server;
    let fault = wire_error(ME);
    // A thread has a heap of its own, which the gaps shift as long as the thread runs.
    let _gap = Gap::here();
    let mut input = Buffer::with_capacity(BUFFER_BYTES);
    let _gap = Gap::here();
    let mut output = Buffer::with_capacity(BUFFER_BYTES);
    let sent = Arc::new(AtomicU64::new(0));
    let mut laps = Laps::start();
    for connection in 1.. {
        let prepared = match pregenerates {
            true if shared.reached(ME, &shared.due, connection)? == NO_MORE => break,
            true => Some(prepare(shared, at, connection, &mut laps)?),
            false => None,
        };
        if shared.reached(ME, &shared.wanted, connection)? == NO_MORE {
            break;
        }
        let before = sent.load(Ordering::Relaxed);
        laps.enter(ME, Phase::Create);
        let channel = match meeting.answer().map_err(&fault)? {
            Some(stream) => Channel::socket(stream).map_err(&fault)?,
            None => Channel::Memory { out: shared.to_client.clone(), into: shared.to_server.clone() },
        };
        let made = prepared.map_or_else(|| at.endpoint.create(at.server), Ok);
        let mut server = made.map_err(Stopped::at(ME, Step::Handshake))?;
        laps.leave();
        let (channel, sink) = ends(channel, &sent);
        output.flush_to(sink);
        let mut progress = Progress::Continues;
        for call in 0..MOST_CALLS {
            input.clear();
            if !channel.wait(&mut input, &shared.stop.over).map_err(&fault)? {
                return Err(Stopped::waiting(ME));
            }
            shared.server_flight.store(sent.load(Ordering::Relaxed) - before, Ordering::Release);
            laps.enter(ME, Phase::Handshake(call));
            progress = at
                .endpoint
                .handshake(&mut server, input.filled(), &mut output)
                .map_err(Stopped::at(ME, Step::Handshake))?;
            output.flush();
            laps.leave();
            if progress == Progress::Done {
                break;
            }
        }
        if progress != Progress::Done {
            return Err(Stopped::waiting(ME));
        }
        shared.server_sent.store(sent.load(Ordering::Relaxed) - before, Ordering::Release);
        shared.answered.store(connection, Ordering::Release);
        laps.enter(ME, Phase::Free);
        drop(server);
        output.flush_to_nobody();
        drop(channel);
        laps.leave();
        laps.end_iteration();
        shared.freed.store(connection, Ordering::Release);
    }
    Ok(Share { laps, sent: sent.load(Ordering::Relaxed), stood_still_ns: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_on_the_wall_runs_before_the_servers_may() {
        let shared = Shared::default();
        let seen = |at: &AtomicU64| at.load(Ordering::Acquire);
        let clock = || {
            assert_eq!((seen(&shared.due), seen(&shared.wanted)), (0, 0));
            250
        };
        assert_eq!(shared.begin(1, false, clock).ok(), Some(250));
        assert_eq!((seen(&shared.due), seen(&shared.wanted)), (0, 1));
    }

    #[test]
    fn the_clock_on_the_wall_stands_still_until_the_server_has_its_key_share() {
        let shared = Shared::default();
        let seen = |at: &AtomicU64| at.load(Ordering::Acquire);
        let clock = || {
            assert_eq!((seen(&shared.due), seen(&shared.prepared), seen(&shared.wanted)), (7, 7, 0));
            250
        };
        thread::scope(|scope| {
            scope.spawn(|| {
                shared.reached(Side::Server, &shared.due, 7).ok();
                assert_eq!(seen(&shared.wanted), 0);
                shared.prepared.store(7, Ordering::Release);
            });
            assert_eq!(shared.begin(7, true, clock).ok(), Some(250));
        });
        assert_eq!(seen(&shared.wanted), 7);
    }
}
