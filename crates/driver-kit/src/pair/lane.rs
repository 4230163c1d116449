//! Connections one after the other, in one thread, each side's calls booked to itself.

use tlslab_protocol::{Scenario, Side, Step};

use super::link::{Leg, Link, Meeting};
use super::pipes::Pipes;
use super::sessions::Sessions;
use super::stopped::Stopped;
use super::tap::Wiretap;
use super::{Ends, Place};
use crate::meter::{Meter, Phase, Silent};
use crate::{Endpoint, EndpointError, Progress};

/// A full TLS 1.3 handshake takes two calls a side; anything near this is a loop without end.
const MOST_CALLS: usize = 16;

/// What one thread needs for its connections besides the contexts.
pub struct Lane<E: Endpoint> {
    /// A connection that is kept. It and the sessions may not outlive their contexts.
    pub warm: Option<Ends<E>>,
    pub sessions: Sessions<E>,
    pub pipes: Pipes,
    pub meeting: Meeting,
}

/// A connection that has come about.
struct Connected<E: Endpoint> {
    ends: Ends<E>,
    /// The bytes that each side has put on the wire.
    sent: [u64; 2],
    /// Of the server's, those before the client was done.
    server_flight: u64,
}

impl<E: Endpoint> Lane<E> {
    /// Buffers for a scenario's work, and no connection yet.
    pub fn new(scenario: &Scenario, leaf_bytes: u64) -> std::io::Result<Self> {
        let wanted = scenario.resumption != tlslab_protocol::Resumption::None;
        Ok(Self {
            warm: None,
            sessions: Sessions::new(wanted, leaf_bytes),
            pipes: Pipes::for_work(&scenario.work),
            meeting: Meeting::of(scenario.transport)?,
        })
    }

    /// One handshake as the scenario has it. Returns both ends and how many bytes each has put on the wire.
    pub fn connect<M: Meter, W: Wiretap>(
        &mut self,
        at: Place<'_, E>,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<(Ends<E>, [u64; 2]), Stopped> {
        if !self.sessions.wanted {
            let Connected { ends, sent, server_flight } = self.handshake(at, None, meter, tap)?;
            self.sessions.check_full(server_flight)?;
            return Ok((ends, sent));
        }
        let session = self.session(at)?;
        let Connected { mut ends, sent, server_flight } = self.handshake(at, Some(session), meter, tap)?;
        self.sessions.check_resumed(server_flight)?;
        self.sessions.keep(at.endpoint.session(&mut ends.client).map_err(Stopped::of_session)?);
        Ok((ends, sent))
    }

    /// The session to take up next. Where the connection before has left nothing, a full handshake off the clock does.
    pub fn session(&mut self, at: Place<'_, E>) -> Result<E::Session, Stopped> {
        match self.sessions.next.take() {
            Some(session) => Ok(session),
            None => self.first_session(at),
        }
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
    fn handshake<M: Meter, W: Wiretap>(
        &mut self,
        at: Place<'_, E>,
        session: Option<E::Session>,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<Connected<E>, Stopped> {
        let Place { endpoint, client: client_context, server: server_context } = at;
        let Self { pipes: Pipes { to_server, to_client, landing, received, .. }, meeting, .. } = self;
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
        let mut client_progress =
            endpoint.handshake(&mut client, &[], to_server).map_err(stop(Side::Client, Step::Handshake))?;
        meter.leave();
        sent[0] += to_server.len() as u64;
        tap.flight(Side::Client, Step::Handshake, to_server);
        meter.enter(Side::Server, Phase::Create);
        link.server = meeting.answer().map_err(tcp(Side::Server))?;
        let mut server = endpoint.create(server_context).map_err(stop(Side::Server, Step::Handshake))?;
        let mut server_progress = Progress::Continues;

        for _ in 0..MOST_CALLS {
            if !to_server.is_empty() {
                let leg = handshake_leg(Side::Client, calls);
                link.carry(leg, meter, to_server, landing)?;
                meter.enter(Side::Server, leg.receives);
                server_progress = endpoint
                    .handshake(&mut server, to_server.filled(), to_client)
                    .map_err(stop(Side::Server, Step::Handshake))?;
                meter.leave();
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
        Ok(Connected { ends: Ends { client, server, link }, sent, server_flight })
    }

    /// `writes` writes by `sender`, then as many reads by its peer. Returns the bytes on the wire.
    pub fn transfer<M: Meter>(
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
    pub fn exchange<M: Meter>(
        &mut self,
        endpoint: &E,
        ends: &mut Ends<E>,
        writes: usize,
        meter: &mut M,
    ) -> Result<[u64; 2], Stopped> {
        let Pipes { to_server, to_client, landing, plaintext, received, marks, other_marks } =
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
    pub fn transfer_once<W: Wiretap>(
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
