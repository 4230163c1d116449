//! Both sides of a connection in one thread, each side's calls booked to itself.

use tlslab_protocol::{ConnectionAge, Measurement, Refusal, Resumption, Side, SideMeasurement, Step, Work};

use crate::clock::now_ns;
use crate::meter::{Laps, Meter, Phase, Silent};
use crate::{Buffer, Endpoint, EndpointError, Progress};

/// A full TLS 1.3 handshake takes two calls a side; anything near this is a loop without end.
const MOST_CALLS: usize = 16;

/// A session that lay for longer is not taken up.
const MOST_SESSION_AGE_NS: u64 = 60_000_000_000;

/// The two ends of one connection.
pub struct Ends<E: Endpoint> {
    pub client: E::Connection,
    pub server: E::Connection,
}

/// The buffers between the ends, allocated once per scenario.
pub struct Pipes {
    pub to_server: Buffer,
    pub to_client: Buffer,
    pub plaintext: Vec<u8>,
    pub received: Buffer,
    /// Where each write of a burst begins in the wire buffer, and where the last one ends.
    marks: Vec<usize>,
}

impl Pipes {
    /// Buffers that fit a scenario's work.
    pub fn for_work(work: &Work) -> Self {
        let (write_bytes, burst) = match *work {
            Work::Handshake | Work::Primitive(_) => (0, 1),
            Work::Transfer { write_bytes, burst, .. } => (write_bytes as usize, burst as usize),
        };
        // A record adds at most 256 bytes and some libraries fill records only partly: half as much again is ample.
        let wire = 128 * 1024 + burst * (512 + write_bytes + write_bytes / 2);
        Self {
            to_server: Buffer::with_capacity(wire),
            to_client: Buffer::with_capacity(wire),
            plaintext: pattern(write_bytes),
            received: Buffer::with_capacity(write_bytes + 16 * 1024),
            marks: vec![0; burst + 1],
        }
    }
}

/// What a prepared scenario consists of.
pub struct Pair<'e, E: Endpoint> {
    pub endpoint: &'e E,
    pub work: Work,
    /// Fields are dropped in this order, and neither a connection nor a session may outlive its context.
    warm: Option<Ends<E>>,
    sessions: Sessions<E>,
    client: E::Context,
    server: E::Context,
    pub pipes: Pipes,
}

/// The sessions that handshakes take up, and what tells such a handshake from a full one.
struct Sessions<E: Endpoint> {
    /// Whether handshakes take up sessions at all.
    wanted: bool,
    /// What the connection before this one has left.
    next: Option<E::Session>,
    /// When that was.
    left_ns: u64,
    /// The length of the server's certificate, which every full handshake carries.
    leaf_bytes: u64,
    /// What the server sends in a full handshake.
    full_bytes: u64,
}

/// A connection that has come about.
struct Connected<E: Endpoint> {
    ends: Ends<E>,
    /// The bytes that each side has put on the wire.
    sent: [u64; 2],
    /// Of the server's, those before the client was done.
    server_flight: u64,
}

impl<'e, E: Endpoint> Pair<'e, E> {
    /// Makes ready for the work between two contexts, the client's and the server's.
    pub fn new(
        endpoint: &'e E,
        work: Work,
        resumption: Resumption,
        leaf_bytes: u64,
        (client, server): (E::Context, E::Context),
    ) -> Self {
        let wanted = resumption != Resumption::None;
        let sessions = Sessions { wanted, next: None, left_ns: 0, leaf_bytes, full_bytes: 0 };
        Self { endpoint, work, warm: None, sessions, client, server, pipes: Pipes::for_work(&work) }
    }

    /// Does the work `iterations` times.
    pub fn measure(&mut self, iterations: u64) -> Result<Measurement, String> {
        self.sessions.forget_old();
        match self.work {
            Work::Handshake => self.measure_handshakes(iterations),
            Work::Transfer { sender, connection: ConnectionAge::Fresh, .. } => {
                self.measure_fresh_transfers(iterations, sender)
            }
            Work::Transfer { sender, connection: ConnectionAge::Warm, burst, .. } => {
                self.measure_warm_transfers(iterations, sender, burst)
            }
            Work::Primitive(_) => Err("a primitive has no connection".to_owned()),
        }
    }

    fn measure_handshakes(&mut self, iterations: u64) -> Result<Measurement, String> {
        let mut wire_bytes = [0; 2];
        let start_ns = now_ns();
        let mut laps = Laps::start();
        for _ in 0..iterations {
            let (ends, sent) = self.connect(&mut laps, &mut ())?;
            wire_bytes[0] += sent[0];
            wire_bytes[1] += sent[1];
            laps.enter(Side::Client, Phase::Free);
            drop(ends.client);
            laps.enter(Side::Server, Phase::Free);
            drop(ends.server);
            laps.leave();
        }
        let elapsed_ns = now_ns() - start_ns;
        let side = |side: Side| SideMeasurement {
            phases: laps.phases(side),
            clock_reads: laps.reads(side),
            wire_bytes: wire_bytes[side as usize],
            plaintext_sent: 0,
            plaintext_received: 0,
        };
        Ok(Measurement { iterations, client: side(Side::Client), server: side(Side::Server), elapsed_ns })
    }

    fn measure_fresh_transfers(&mut self, iterations: u64, sender: Side) -> Result<Measurement, String> {
        let mut wire_bytes = 0;
        let start_ns = now_ns();
        let mut laps = Laps::start();
        for _ in 0..iterations {
            let (mut ends, _) = self.connect(&mut Silent, &mut ())?;
            wire_bytes += self.transfer(&mut ends, sender, 1, &mut laps)?;
        }
        Ok(self.transfer_measurement(iterations, sender, &laps, wire_bytes, now_ns() - start_ns))
    }

    fn measure_warm_transfers(
        &mut self,
        iterations: u64,
        sender: Side,
        burst: u32,
    ) -> Result<Measurement, String> {
        let mut ends = match self.warm.take() {
            Some(ends) => ends,
            None => self.connect(&mut Silent, &mut ())?.0,
        };
        let mut wire_bytes = 0;
        let mut left = iterations;
        let start_ns = now_ns();
        let mut laps = Laps::start();
        while left > 0 {
            let writes = left.min(u64::from(burst));
            wire_bytes += self.transfer(&mut ends, sender, writes as usize, &mut laps)?;
            left -= writes;
        }
        let elapsed_ns = now_ns() - start_ns;
        self.warm = Some(ends);
        Ok(self.transfer_measurement(iterations, sender, &laps, wire_bytes, elapsed_ns))
    }

    fn transfer_measurement(
        &self,
        iterations: u64,
        sender: Side,
        laps: &Laps,
        wire_bytes: u64,
        elapsed_ns: u64,
    ) -> Measurement {
        let bytes = iterations * self.pipes.plaintext.len() as u64;
        let side = |side: Side| SideMeasurement {
            phases: laps.phases(side),
            clock_reads: laps.reads(side),
            wire_bytes: if side == sender { wire_bytes } else { 0 },
            plaintext_sent: if side == sender { bytes } else { 0 },
            plaintext_received: if side == sender { 0 } else { bytes },
        };
        Measurement { iterations, client: side(Side::Client), server: side(Side::Server), elapsed_ns }
    }

    /// One handshake as the scenario has it. Returns both ends and how many bytes each has put on the wire.
    pub fn connect<M: Meter, W: Wiretap>(
        &mut self,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<(Ends<E>, [u64; 2]), Stopped> {
        if !self.sessions.wanted {
            let Connected { ends, sent, server_flight } = self.handshake(None, meter, tap)?;
            self.sessions.check_full(server_flight)?;
            return Ok((ends, sent));
        }
        // Off the clock: where the connection before has left nothing, a full handshake does.
        let session = match self.sessions.next.take() {
            Some(session) => session,
            None => self.first_session()?,
        };
        let Connected { mut ends, sent, server_flight } = self.handshake(Some(session), meter, tap)?;
        self.sessions.check_resumed(server_flight)?;
        self.sessions.next = self.endpoint.session(&mut ends.client).map_err(Stopped::of_session)?;
        self.sessions.left_ns = now_ns();
        Ok((ends, sent))
    }

    fn first_session(&mut self) -> Result<E::Session, Stopped> {
        let Connected { mut ends, server_flight, .. } = self.handshake(None, &mut Silent, &mut ())?;
        self.sessions.check_full(server_flight)?;
        self.sessions.full_bytes = server_flight;
        let session = self.endpoint.session(&mut ends.client).map_err(Stopped::of_session)?;
        session.ok_or_else(|| {
            Stopped::of_session(EndpointError("a full handshake left no session to take up".to_owned()))
        })
    }

    /// One handshake, with a session to take up or from nothing.
    fn handshake<M: Meter, W: Wiretap>(
        &mut self,
        session: Option<E::Session>,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<Connected<E>, Stopped> {
        let Self { endpoint, client: client_context, server: server_context, pipes, .. } = self;
        let Pipes { to_server, to_client, received, .. } = pipes;
        let stop = |side, step| move |error: EndpointError| Stopped { side, step, error: error.0 };
        let mut sent = [0, 0];
        let mut server_flight = 0;
        to_server.clear();
        to_client.clear();

        meter.enter(Side::Client, Phase::Create);
        let made = match session {
            Some(session) => endpoint.resume(client_context, session),
            None => endpoint.create(client_context),
        };
        let mut client = made.map_err(stop(Side::Client, Step::Handshake))?;
        meter.enter(Side::Client, Phase::Handshake);
        let mut client_progress =
            endpoint.handshake(&mut client, &[], to_server).map_err(stop(Side::Client, Step::Handshake))?;
        meter.leave();
        sent[0] += to_server.len() as u64;
        tap.flight(Side::Client, Step::Handshake, to_server);
        meter.enter(Side::Server, Phase::Create);
        let mut server = endpoint.create(server_context).map_err(stop(Side::Server, Step::Handshake))?;
        let mut server_progress = Progress::Continues;

        for _ in 0..MOST_CALLS {
            if !to_server.is_empty() {
                meter.enter(Side::Server, Phase::Handshake);
                server_progress = endpoint
                    .handshake(&mut server, to_server.filled(), to_client)
                    .map_err(stop(Side::Server, Step::Handshake))?;
                meter.leave();
                to_server.clear();
                sent[1] += to_client.len() as u64;
                let step = match client_progress {
                    Progress::Done => Step::PostHandshake,
                    Progress::Continues => {
                        server_flight = sent[1];
                        Step::Handshake
                    }
                };
                tap.flight(Side::Server, step, to_client);
            }
            if client_progress == Progress::Done {
                break;
            }
            if to_client.is_empty() {
                // Both wait, so nothing will ever come.
                return Err(Stopped::waiting(Side::Client));
            }
            meter.enter(Side::Client, Phase::Handshake);
            client_progress = endpoint
                .handshake(&mut client, to_client.filled(), to_server)
                .map_err(stop(Side::Client, Step::Handshake))?;
            meter.leave();
            to_client.clear();
            sent[0] += to_server.len() as u64;
            tap.flight(Side::Client, Step::Handshake, to_server);
        }
        if client_progress != Progress::Done {
            return Err(Stopped::waiting(Side::Client));
        }
        if server_progress != Progress::Done {
            return Err(Stopped::waiting(Side::Server));
        }
        if !to_client.is_empty() {
            received.clear();
            meter.enter(Side::Client, Phase::PostHandshake);
            endpoint
                .receive(&mut client, to_client.filled(), received)
                .map_err(stop(Side::Client, Step::PostHandshake))?;
            meter.leave();
            to_client.clear();
        }
        Ok(Connected { ends: Ends { client, server }, sent, server_flight })
    }

    /// `writes` writes by `sender`, then as many reads by its peer. Returns the bytes on the wire.
    fn transfer<M: Meter>(
        &mut self,
        ends: &mut Ends<E>,
        sender: Side,
        writes: usize,
        meter: &mut M,
    ) -> Result<u64, Stopped> {
        let Pipes { to_server, to_client, plaintext, received, marks } = &mut self.pipes;
        let (from, to, wire) = match sender {
            Side::Client => (&mut ends.client, &mut ends.server, to_server),
            Side::Server => (&mut ends.server, &mut ends.client, to_client),
        };
        let stop = |side| move |error: EndpointError| Stopped { side, step: Step::Data, error: error.0 };
        wire.clear();
        meter.enter(sender, Phase::Send);
        for mark in &mut marks[1..=writes] {
            self.endpoint.send(from, plaintext, wire).map_err(stop(sender))?;
            *mark = wire.len();
        }
        meter.enter(sender.peer(), Phase::Receive);
        for ends in marks[..=writes].windows(2) {
            received.clear();
            self.endpoint
                .receive(to, &wire.filled()[ends[0]..ends[1]], received)
                .map_err(stop(sender.peer()))?;
            if received.len() != plaintext.len() {
                return Err(Stopped::short(sender.peer(), received.len(), plaintext.len()));
            }
        }
        meter.leave();
        Ok(wire.len() as u64)
    }

    /// One write by `sender` off the clock, with every byte compared. Returns how many came through unaltered.
    pub fn transfer_once<W: Wiretap>(
        &mut self,
        ends: &mut Ends<E>,
        sender: Side,
        tap: &mut W,
    ) -> Result<u64, Stopped> {
        let Pipes { to_server, to_client, plaintext, received, .. } = &mut self.pipes;
        let (from, to, wire) = match sender {
            Side::Client => (&mut ends.client, &mut ends.server, to_server),
            Side::Server => (&mut ends.server, &mut ends.client, to_client),
        };
        let stop = |side| move |error: EndpointError| Stopped { side, step: Step::Data, error: error.0 };
        wire.clear();
        received.clear();
        self.endpoint.send(from, plaintext, wire).map_err(stop(sender))?;
        tap.flight(sender, Step::Data, wire);
        self.endpoint.receive(to, wire.filled(), received).map_err(stop(sender.peer()))?;
        let equal =
            received.filled().iter().zip(plaintext.iter()).take_while(|(got, sent)| got == sent).count();
        Ok(equal as u64)
    }
}

impl<E: Endpoint> Sessions<E> {
    /// Sessions live for minutes in some libraries, and between two slices there may be more.
    fn forget_old(&mut self) {
        if self.next.is_some() && now_ns() - self.left_ns > MOST_SESSION_AGE_NS {
            self.next = None;
        }
    }

    /// A server that sends less than its certificate has not authenticated itself with it.
    fn check_full(&self, server_flight: u64) -> Result<(), Stopped> {
        if server_flight >= self.leaf_bytes {
            return Ok(());
        }
        let leaf = self.leaf_bytes;
        Err(Stopped::of_handshake(format!(
            "the server sent {server_flight} bytes, less than its certificate's {leaf}: this was no full handshake"
        )))
    }

    /// Without its certificate a server sends much less than with it.
    fn check_resumed(&self, server_flight: u64) -> Result<(), Stopped> {
        if server_flight + self.leaf_bytes / 2 < self.full_bytes {
            return Ok(());
        }
        let full = self.full_bytes;
        Err(Stopped::of_handshake(format!(
            "the server sent {server_flight} bytes where a full handshake has {full}: no session was taken up"
        )))
    }
}

/// Sees every flight before it is delivered, and may alter it.
pub trait Wiretap {
    /// `wire` is about to be handed to the peer of `from`.
    fn flight(&mut self, from: Side, step: Step, wire: &mut Buffer);
}

impl Wiretap for () {
    #[inline(always)]
    fn flight(&mut self, _: Side, _: Step, _: &mut Buffer) {}
}

/// A connection that stopped.
pub struct Stopped {
    side: Side,
    step: Step,
    error: String,
}

impl Stopped {
    fn waiting(side: Side) -> Self {
        let error = "waits for bytes that never come".to_owned();
        Self { side, step: Step::Handshake, error }
    }

    fn of_session(error: EndpointError) -> Self {
        Self { side: Side::Client, step: Step::PostHandshake, error: error.0 }
    }

    fn of_handshake(error: String) -> Self {
        Self { side: Side::Server, step: Step::Handshake, error }
    }

    fn short(side: Side, got: usize, sent: usize) -> Self {
        Self { side, step: Step::Data, error: format!("received {got} of {sent} bytes") }
    }
}

impl From<Stopped> for Refusal {
    fn from(stopped: Stopped) -> Self {
        Refusal { side: stopped.side, step: stopped.step, error: stopped.error }
    }
}

impl From<Stopped> for String {
    fn from(stopped: Stopped) -> Self {
        let step = match stopped.step {
            Step::Handshake => "in the handshake",
            Step::PostHandshake => "after the handshake",
            Step::Data => "with application data",
        };
        format!("the {} stopped {step}: {}", stopped.side, stopped.error)
    }
}

/// Bytes that are not all alike, the same in every run.
pub fn pattern(len: usize) -> Vec<u8> {
    (0..len as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}
