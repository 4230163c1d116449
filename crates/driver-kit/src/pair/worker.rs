//! Consecutive connections in one thread, each side's calls attributed to it.

use tlslab_protocol::{Scenario, ServerKeyShare, Side, Step};

use super::contexts::Place;
use super::ends::Ends;
use super::link::{Leg, Meeting};
use super::pipes::{Pipes, written_by};
use super::sessions::Sessions;
use super::stopped::Stopped;
use super::tap::Wiretap;
use crate::timing::meter::{Meter, Silent};
use crate::timing::phase::Phase;
use crate::{Endpoint, EndpointError};

/// The state of one thread for its connections, besides the contexts.
pub(crate) struct Worker<E: Endpoint> {
    /// The warm connection. It and the sessions must not outlive their contexts.
    pub warm: Option<Ends<E>>,
    pub sessions: Sessions<E>,
    pub pipes: Pipes,
    pub meeting: Meeting,
    /// Whether a server's key share is generated before its handshake.
    pub pregenerates: bool,
}

/// An established connection.
pub(crate) struct Connected<E: Endpoint> {
    pub ends: Ends<E>,
    /// The bytes that each side has put on the wire.
    pub sent: [u64; 2],
    /// The server's bytes before the client was done.
    pub server_flight: u64,
    /// Bytes of early data that the server returned unaltered before the client's Finished.
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

    /// Does one handshake as the scenario specifies. Returns both ends, and the bytes that each side put on
    /// the wire.
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

    /// The same, with all observations.
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

    /// The session to resume next. If the previous connection has left none, a full handshake off the clock
    /// provides one.
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

    /// `writes` writes by `sender`, then as many reads by its peer. Returns the bytes on the wire.
    pub(crate) fn transfer<M: Meter>(
        &mut self,
        endpoint: &E,
        ends: &mut Ends<E>,
        sender: Side,
        writes: usize,
        meter: &mut M,
    ) -> Result<u64, Stopped> {
        let Pipes { to_server, to_client, landing, plaintext, response, received, marks, .. } =
            &mut self.pipes;
        let plaintext = written_by(sender, plaintext, response);
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

    /// `writes` writes by each side, then as many reads by each. Returns the bytes on the wire, the client's
    /// and the server's.
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

    /// One write by `sender` off the clock, with every byte compared. Returns the number of bytes that were
    /// sent, and of those that arrived unaltered.
    pub(crate) fn transfer_once<W: Wiretap>(
        &mut self,
        endpoint: &E,
        ends: &mut Ends<E>,
        sender: Side,
        tap: &mut W,
    ) -> Result<(u64, u64), Stopped> {
        let Pipes { to_server, to_client, landing, plaintext, response, received, .. } = &mut self.pipes;
        let plaintext = written_by(sender, plaintext, response);
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
        Ok((plaintext.len() as u64, equal as u64))
    }
}

fn data_leg(from: Side) -> Leg {
    Leg { from, sends: Phase::Send, receives: Phase::Receive, step: Step::Data }
}
