//! One handshake, step by step, each side's calls attributed to it.
//!
//! The steps are inlined: between two marks there are only the endpoint's own calls, none of the kit's code.

use tlslab_protocol::{Side, Step};

use super::contexts::Place;
use super::ends::Ends;
use super::link::{Leg, Link};
use super::pipes::Pipes;
use super::stopped::Stopped;
use super::tap::Wiretap;
use super::worker::{Connected, Worker};
use crate::memory::connection_buffer::ConnectionBuffer;
use crate::timing::meter::Meter;
use crate::timing::phase::Phase;
use crate::{Endpoint, Progress};

/// A full TLS 1.3 handshake takes two calls per side; a number close to this is an endless loop.
const MOST_CALLS: usize = 16;

/// A handshake in progress.
struct UnderWay<'w, E: Endpoint> {
    endpoint: &'w E,
    pipes: &'w mut Pipes,
    link: Link,
    sends_early: bool,
    /// The calls that the client (without its first) and the server have made.
    calls: [usize; 2],
    /// The bytes that each side has put on the wire.
    sent: [u64; 2],
    /// The server's bytes before the client was done.
    server_flight: u64,
    early_received: u64,
}

impl<E: Endpoint> Worker<E> {
    /// Does one handshake, resumed if there is a session, else full.
    pub(super) fn handshake<M: Meter, W: Wiretap>(
        &mut self,
        at: Place<'_, E>,
        session: Option<E::Session>,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<Connected<E>, Stopped> {
        let Place { endpoint, client: client_context, server: server_context } = at;
        let Self { pipes, meeting, pregenerates, .. } = self;
        // Only a session can carry early data, so the connection that issues the first one has none.
        let sends_early = session.is_some() && !pipes.early_data.is_empty();
        let mut under_way = UnderWay::new(endpoint, pipes, sends_early);
        let stop = Stopped::at;

        meter.enter(Side::Client, Phase::Create);
        under_way.link.client = meeting.dial().map_err(lost(Side::Client))?;
        let made = match session {
            Some(session) => endpoint.resume(client_context, session),
            None => endpoint.create(client_context),
        };
        let mut client = made.map_err(stop(Side::Client, Step::Handshake))?;
        let client_buffer = ConnectionBuffer::new();
        let mut client_progress = under_way.begin(&mut client, meter, tap)?;
        meter.enter(Side::Server, Phase::Create);
        under_way.link.server = meeting.answer().map_err(lost(Side::Server))?;
        let mut server = endpoint.create(server_context).map_err(stop(Side::Server, Step::Handshake))?;
        let buffers = [client_buffer, ConnectionBuffer::new()];
        let mut server_progress = Progress::Continues;
        if *pregenerates {
            meter.leave();
            endpoint.make_key_share(&mut server).map_err(stop(Side::Server, Step::Handshake))?;
        }
        under_way.pipes.received.clear();

        for _ in 0..MOST_CALLS {
            if !under_way.pipes.to_server.is_empty() {
                server_progress = under_way.call_server(&mut server, client_progress, meter, tap)?;
            }
            if client_progress == Progress::Done {
                break;
            }
            client_progress = under_way.call_client(&mut client, meter, tap)?;
        }
        if client_progress != Progress::Done {
            return Err(Stopped::waiting(Side::Client));
        }
        if server_progress != Progress::Done {
            return Err(Stopped::waiting(Side::Server));
        }
        under_way.receive_last(&mut client, meter)?;
        let UnderWay { link, sent, server_flight, early_received, .. } = under_way;
        let ends = Ends { client, server, link, buffers };
        Ok(Connected { ends, sent, server_flight, early_data: early_received })
    }
}

impl<'w, E: Endpoint> UnderWay<'w, E> {
    #[inline(always)]
    fn new(endpoint: &'w E, pipes: &'w mut Pipes, sends_early: bool) -> Self {
        pipes.to_server.clear();
        pipes.to_client.clear();
        let (calls, sent, link) = ([0; 2], [0; 2], Link::default());
        Self { endpoint, pipes, link, sends_early, calls, sent, server_flight: 0, early_received: 0 }
    }

    /// The client's first call.
    #[inline(always)]
    fn begin<M: Meter, W: Wiretap>(
        &mut self,
        client: &mut E::Connection,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<Progress, Stopped> {
        let Pipes { to_server, early_data, .. } = &mut *self.pipes;
        meter.enter(Side::Client, Phase::Handshake(0));
        let begun = match self.sends_early {
            true => self.endpoint.send_early(client, early_data, to_server).map(|()| Progress::Continues),
            false => self.endpoint.handshake(client, &[], to_server),
        };
        let progress = begun.map_err(Stopped::at(Side::Client, Step::Handshake))?;
        meter.leave();
        self.sent[0] += to_server.len() as u64;
        tap.flight(Side::Client, Step::Handshake, to_server);
        Ok(progress)
    }

    /// The server's call for the client's bytes.
    #[inline(always)]
    fn call_server<M: Meter, W: Wiretap>(
        &mut self,
        server: &mut E::Connection,
        client_progress: Progress,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<Progress, Stopped> {
        let Pipes { to_server, to_client, landing, received, early_data, .. } = &mut *self.pipes;
        let leg = handshake_leg(Side::Client, self.calls);
        self.link.carry(leg, meter, to_server, landing)?;
        meter.enter(Side::Server, leg.receives);
        let answered = match self.sends_early {
            true => self.endpoint.handshake_early(server, to_server.filled(), to_client, received),
            false => self.endpoint.handshake(server, to_server.filled(), to_client),
        };
        let progress = answered.map_err(Stopped::at(Side::Server, Step::Handshake))?;
        meter.leave();
        // Later data came with the client's Finished or after it, and are not early.
        if self.sends_early && self.calls[1] == 0 {
            self.early_received = arrived(early_data, received.filled())?;
        }
        self.calls[1] += 1;
        to_server.clear();
        self.sent[1] += to_client.len() as u64;
        let step = match client_progress {
            Progress::Done => Step::PostHandshake,
            Progress::Continues => {
                self.server_flight = self.sent[1];
                Step::Handshake
            }
        };
        tap.flight(Side::Server, step, to_client);
        Ok(progress)
    }

    /// The client's call for the server's bytes.
    #[inline(always)]
    fn call_client<M: Meter, W: Wiretap>(
        &mut self,
        client: &mut E::Connection,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<Progress, Stopped> {
        let Pipes { to_server, to_client, landing, .. } = &mut *self.pipes;
        if to_client.is_empty() {
            // Both wait, so nothing will ever arrive.
            return Err(Stopped::waiting(Side::Client));
        }
        let leg = handshake_leg(Side::Server, self.calls);
        self.link.carry(leg, meter, to_client, landing)?;
        meter.enter(Side::Client, leg.receives);
        let progress = self
            .endpoint
            .handshake(client, to_client.filled(), to_server)
            .map_err(Stopped::at(Side::Client, Step::Handshake))?;
        meter.leave();
        self.calls[0] += 1;
        to_client.clear();
        self.sent[0] += to_server.len() as u64;
        tap.flight(Side::Client, Step::Handshake, to_server);
        Ok(progress)
    }

    /// Processes what the server has sent after the client was done, such as tickets.
    #[inline(always)]
    fn receive_last<M: Meter>(&mut self, client: &mut E::Connection, meter: &mut M) -> Result<(), Stopped> {
        let Pipes { to_client, landing, received, .. } = &mut *self.pipes;
        if to_client.is_empty() {
            return Ok(());
        }
        received.clear();
        let leg = Leg {
            receives: Phase::PostHandshake,
            step: Step::PostHandshake,
            ..handshake_leg(Side::Server, self.calls)
        };
        self.link.carry(leg, meter, to_client, landing)?;
        meter.enter(Side::Client, Phase::PostHandshake);
        self.endpoint
            .receive(client, to_client.filled(), received)
            .map_err(Stopped::at(Side::Client, Step::PostHandshake))?;
        meter.leave();
        to_client.clear();
        Ok(())
    }
}

fn lost(side: Side) -> impl Fn(std::io::Error) -> Stopped {
    move |cause| Stopped::on_the_way(side, Step::Handshake, cause.to_string())
}

/// The number of bytes of early data that arrived unaltered. All of them must arrive.
fn arrived(sent: &[u8], got: &[u8]) -> Result<u64, Stopped> {
    if got.len() != sent.len() {
        let (got, sent) = (got.len(), sent.len());
        return Err(Stopped::of_handshake(format!("received {got} of {sent} bytes of early data")));
    }
    // Compared as a whole, for every connection.
    if got == sent {
        return Ok(sent.len() as u64);
    }
    Ok(got.iter().zip(sent).take_while(|(got, sent)| got == sent).count() as u64)
}

/// A flight of the handshake. `calls` are those that the client (without its first) and the server have made.
fn handshake_leg(from: Side, calls: [usize; 2]) -> Leg {
    let (client, server) = (Phase::Handshake(calls[0]), Phase::Handshake(calls[1]));
    let last_of_server = Phase::Handshake(calls[1].saturating_sub(1));
    let (sends, receives) = match from {
        Side::Client => (client, server),
        Side::Server => (last_of_server, Phase::Handshake(calls[0] + 1)),
    };
    Leg { from, sends, receives, step: Step::Handshake }
}
