//! Consecutive connections in one thread, each side's calls attributed to it.

use tlslab_protocol::{Scenario, ServerKeyShare, Side, Step};

use super::contexts::Place;
use super::ends::Ends;
use super::link::{Leg, Link, Meeting};
use super::pipes::Pipes;
use super::sessions::Sessions;
use super::stopped::Stopped;
use super::tap::Wiretap;
use crate::meter::{Meter, Phase, Silent};
use crate::{Endpoint, EndpointError, Progress};

/// A full TLS 1.3 handshake takes two calls a side; anything near this is a loop without end.
const MOST_CALLS: usize = 16;

/// What one thread needs for its connections besides the contexts.
pub(crate) struct Worker<E: Endpoint> {
    /// A connection that is kept. It and the sessions may not outlive their contexts.
    pub warm: Option<Ends<E>>,
    pub sessions: Sessions<E>,
    pub pipes: Pipes,
    pub meeting: Meeting,
    /// Whether a server's key share is made before its handshake.
    pub pregenerates: bool,
}

/// A connection that has come about.
pub(crate) struct Connected<E: Endpoint> {
    pub ends: Ends<E>,
    /// The bytes that each side has put on the wire.
    sent: [u64; 2],
    /// Of the server's, those before the client was done.
    server_flight: u64,
    /// Early data that the server gave back before the client's Finished, byte for byte as sent.
    pub early_data: u64,
}

impl<E: Endpoint> Worker<E> {
    /// Buffers for a scenario's work, and no connection yet.
    pub(crate) fn new(scenario: &Scenario, leaf_bytes: u64) -> std::io::Result<Self> {
        Ok(Self {
            warm: None,
            sessions: Sessions::new(scenario.resumption, leaf_bytes),
            pipes: Pipes::of(scenario),
            meeting: Meeting::of(scenario.transport)?,
            pregenerates: scenario.server_key_share == ServerKeyShare::Pregenerated,
        })
    }

    /// One handshake as the scenario has it. Returns both ends and how many bytes each has put on the wire.
    pub(crate) fn connect<M: Meter, W: Wiretap>(
        &mut self,
        at: Place<'_, E>,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<(Ends<E>, [u64; 2]), Stopped> {
        let Connected { ends, sent, early_data, .. } = self.connected(at, meter, tap)?;
        if early_data != self.pipes.early_data.len() as u64 {
            return Err(Stopped::of_handshake("the early data was altered on its way".to_owned()));
        }
        Ok((ends, sent))
    }

    /// The same with all that is known of it.
    pub(crate) fn connected<M: Meter, W: Wiretap>(
        &mut self,
        at: Place<'_, E>,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<Connected<E>, Stopped> {
        if !self.sessions.wanted {
            let connected = self.handshake(at, None, meter, tap)?;
            self.sessions.check_full(connected.server_flight)?;
            return Ok(connected);
        }
        let session = self.session(at)?;
        let mut connected = self.handshake(at, Some(session), meter, tap)?;
        self.sessions.check_resumed(connected.server_flight)?;
        self.sessions.keep(at.endpoint.session(&mut connected.ends.client).map_err(Stopped::of_session)?);
        Ok(connected)
    }

    /// The session to take up next. Where the connection before has left nothing, a full handshake off the clock does.
    pub(crate) fn session(&mut self, at: Place<'_, E>) -> Result<E::Session, Stopped> {
        if self.sessions.next.is_none() {
            let first = self.first_session(at)?;
            self.sessions.leave(Some(first));
        }
        let none = || Stopped::of_session(EndpointError("there is no session".to_owned()));
        self.sessions.take(at.endpoint)?.ok_or_else(none)
    }

    fn first_session(&mut self, at: Place<'_, E>) -> Result<E::Session, Stopped> {
        let Connected { mut ends, server_flight, .. } = self.handshake(at, None, &mut Silent, &mut ())?;
        self.sessions.check_full(server_flight)?;
        self.sessions.full_bytes = server_flight;
        let session = at.endpoint.session(&mut ends.client).map_err(Stopped::of_session)?;
        session.ok_or_else(|| {
            Stopped::of_session(EndpointError("a full handshake left no session to take up".to_owned()))
        })
    }

    /// One handshake, with a session to take up or from nothing.
    #[expect(clippy::too_many_lines, reason = "the order of a timed connection is read best in one piece")]
    fn handshake<M: Meter, W: Wiretap>(
        &mut self,
        at: Place<'_, E>,
        session: Option<E::Session>,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<Connected<E>, Stopped> {
        let Place { endpoint, client: client_context, server: server_context } = at;
        let Self { pipes, meeting, pregenerates, .. } = self;
        let Pipes { to_server, to_client, landing, received, early_data, .. } = pipes;
        // Only a session can carry early data, so the connection that gives the first one has none.
        let sends_early = session.is_some() && !early_data.is_empty();
        let mut early_received = 0;
        let stop = Stopped::at;
        let tcp =
            |side| move |cause: std::io::Error| Stopped::on_the_way(side, Step::Handshake, cause.to_string());
        let mut link = Link::default();
        let mut sent = [0, 0];
        let mut server_flight = 0;
        let mut calls = [0, 0];
        to_server.clear();
        to_client.clear();

        meter.enter(Side::Client, Phase::Create);
        link.client = meeting.dial().map_err(tcp(Side::Client))?;
        let made = match session {
            Some(session) => endpoint.resume(client_context, session),
            None => endpoint.create(client_context),
        };
        let mut client = made.map_err(stop(Side::Client, Step::Handshake))?;
        meter.enter(Side::Client, Phase::Handshake(0));
        let begun = match sends_early {
            true => endpoint.send_early(&mut client, early_data, to_server).map(|()| Progress::Continues),
            false => endpoint.handshake(&mut client, &[], to_server),
        };
        let mut client_progress = begun.map_err(stop(Side::Client, Step::Handshake))?;
        meter.leave();
        sent[0] += to_server.len() as u64;
        tap.flight(Side::Client, Step::Handshake, to_server);
        meter.enter(Side::Server, Phase::Create);
        link.server = meeting.answer().map_err(tcp(Side::Server))?;
        let mut server = endpoint.create(server_context).map_err(stop(Side::Server, Step::Handshake))?;
        let mut server_progress = Progress::Continues;
        if *pregenerates {
            meter.leave();
            endpoint.make_key_share(&mut server).map_err(stop(Side::Server, Step::Handshake))?;
        }
        received.clear();

        for _ in 0..MOST_CALLS {
            if !to_server.is_empty() {
                let leg = handshake_leg(Side::Client, calls);
                link.carry(leg, meter, to_server, landing)?;
                meter.enter(Side::Server, leg.receives);
                let answered = match sends_early {
                    true => endpoint.handshake_early(&mut server, to_server.filled(), to_client, received),
                    false => endpoint.handshake(&mut server, to_server.filled(), to_client),
                };
                server_progress = answered.map_err(stop(Side::Server, Step::Handshake))?;
                meter.leave();
                // What comes later came with the client's Finished or after it, and is not early.
                if sends_early && calls[1] == 0 {
                    early_received = arrived(early_data, received.filled())?;
                }
                calls[1] += 1;
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
            let leg = handshake_leg(Side::Server, calls);
            link.carry(leg, meter, to_client, landing)?;
            meter.enter(Side::Client, leg.receives);
            client_progress = endpoint
                .handshake(&mut client, to_client.filled(), to_server)
                .map_err(stop(Side::Client, Step::Handshake))?;
            meter.leave();
            calls[0] += 1;
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
            let leg = Leg {
                receives: Phase::PostHandshake,
                step: Step::PostHandshake,
                ..handshake_leg(Side::Server, calls)
            };
            link.carry(leg, meter, to_client, landing)?;
            meter.enter(Side::Client, Phase::PostHandshake);
            endpoint
                .receive(&mut client, to_client.filled(), received)
                .map_err(stop(Side::Client, Step::PostHandshake))?;
            meter.leave();
            to_client.clear();
        }
        let ends = Ends { client, server, link };
        Ok(Connected { ends, sent, server_flight, early_data: early_received })
    }

    /// `writes` writes by `sender`, then as many reads by its peer. Returns the bytes on the wire.
    pub(crate) fn transfer<M: Meter>(
        &mut self,
        endpoint: &E,
        ends: &mut Ends<E>,
        sender: Side,
        writes: usize,
        meter: &mut M,
    ) -> Result<u64, Stopped> {
        let Pipes { to_server, to_client, landing, plaintext, received, marks, .. } = &mut self.pipes;
        let (from, to, wire) = match sender {
            Side::Client => (&mut ends.client, &mut ends.server, to_server),
            Side::Server => (&mut ends.server, &mut ends.client, to_client),
        };
        wire.clear();
        meter.enter(sender, Phase::Send);
        for mark in &mut marks[1..=writes] {
            endpoint.send(from, plaintext, wire).map_err(Stopped::at(sender, Step::Data))?;
            *mark = wire.len();
        }
        ends.link.carry(data_leg(sender), meter, wire, landing)?;
        meter.enter(sender.peer(), Phase::Receive);
        for ends in marks[..=writes].windows(2) {
            received.clear();
            endpoint
                .receive(to, &wire.filled()[ends[0]..ends[1]], received)
                .map_err(Stopped::at(sender.peer(), Step::Data))?;
            if received.len() != plaintext.len() {
                return Err(Stopped::short(sender.peer(), received.len(), plaintext.len()));
            }
        }
        meter.leave();
        Ok(wire.len() as u64)
    }

    /// `writes` writes by each side, then as many reads by each. Returns the bytes on the wire, the client's and the
    /// server's.
    pub(crate) fn exchange<M: Meter>(
        &mut self,
        endpoint: &E,
        ends: &mut Ends<E>,
        writes: usize,
        meter: &mut M,
    ) -> Result<[u64; 2], Stopped> {
        let Pipes { to_server, to_client, landing, plaintext, received, marks, other_marks, .. } =
            &mut self.pipes;
        for (side, from, wire, marks) in [
            (Side::Client, &mut ends.client, &mut *to_server, &mut *marks),
            (Side::Server, &mut ends.server, &mut *to_client, &mut *other_marks),
        ] {
            wire.clear();
            meter.enter(side, Phase::Send);
            for mark in &mut marks[1..=writes] {
                endpoint.send(from, plaintext, wire).map_err(Stopped::at(side, Step::Data))?;
                *mark = wire.len();
            }
        }
        ends.link.carry(data_leg(Side::Client), meter, to_server, landing)?;
        ends.link.carry(data_leg(Side::Server), meter, to_client, landing)?;
        for (side, to, wire, marks) in [
            (Side::Client, &mut ends.client, &*to_client, &*other_marks),
            (Side::Server, &mut ends.server, &*to_server, &*marks),
        ] {
            meter.enter(side, Phase::Receive);
            for ends in marks[..=writes].windows(2) {
                received.clear();
                endpoint
                    .receive(to, &wire.filled()[ends[0]..ends[1]], received)
                    .map_err(Stopped::at(side, Step::Data))?;
                if received.len() != plaintext.len() {
                    return Err(Stopped::short(side, received.len(), plaintext.len()));
                }
            }
        }
        meter.leave();
        Ok([to_server.len() as u64, to_client.len() as u64])
    }

    /// One write by `sender` off the clock, with every byte compared. Returns how many came through unaltered.
    pub(crate) fn transfer_once<W: Wiretap>(
        &mut self,
        endpoint: &E,
        ends: &mut Ends<E>,
        sender: Side,
        tap: &mut W,
    ) -> Result<u64, Stopped> {
        let Pipes { to_server, to_client, landing, plaintext, received, .. } = &mut self.pipes;
        let (from, to, wire) = match sender {
            Side::Client => (&mut ends.client, &mut ends.server, to_server),
            Side::Server => (&mut ends.server, &mut ends.client, to_client),
        };
        wire.clear();
        received.clear();
        endpoint.send(from, plaintext, wire).map_err(Stopped::at(sender, Step::Data))?;
        tap.flight(sender, Step::Data, wire);
        ends.link.carry(data_leg(sender), &mut Silent, wire, landing)?;
        endpoint.receive(to, wire.filled(), received).map_err(Stopped::at(sender.peer(), Step::Data))?;
        let equal =
            received.filled().iter().zip(plaintext.iter()).take_while(|(got, sent)| got == sent).count();
        Ok(equal as u64)
    }
}

/// How much of what was sent as early data came out unaltered. All of it must have come.
fn arrived(sent: &[u8], got: &[u8]) -> Result<u64, Stopped> {
    if got.len() != sent.len() {
        let (got, sent) = (got.len(), sent.len());
        return Err(Stopped::of_handshake(format!("received {got} of {sent} bytes of early data")));
    }
    // The whole at once: every connection is compared.
    if got == sent {
        return Ok(sent.len() as u64);
    }
    Ok(got.iter().zip(sent).take_while(|(got, sent)| got == sent).count() as u64)
}

/// A flight of the handshake. `calls` are those that the client, beyond its first, and the server have made.
fn handshake_leg(from: Side, calls: [usize; 2]) -> Leg {
    let (client, server) = (Phase::Handshake(calls[0]), Phase::Handshake(calls[1]));
    let last_of_server = Phase::Handshake(calls[1].saturating_sub(1));
    let (sends, receives) = match from {
        Side::Client => (client, server),
        Side::Server => (last_of_server, Phase::Handshake(calls[0] + 1)),
    };
    Leg { from, sends, receives, step: Step::Handshake }
}

fn data_leg(from: Side) -> Leg {
    Leg { from, sends: Phase::Send, receives: Phase::Receive, step: Step::Data }
}
