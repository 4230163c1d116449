//! A short connection: handshake, request, response, and each side's closing alert.

use tlslab_protocol::{Measurement, Side, Step};

use super::contexts::Place;
use super::ends::{Ends, free};
use super::link::Leg;
use super::pipes::Pipes;
use super::stopped::Stopped;
use super::tap::Wiretap;
use super::worker::Worker;
use crate::timing::meter::{Laps, Meter};
use crate::timing::phase::Phase;
use crate::timing::turn::Turn;
use crate::{Endpoint, Progress};

impl<E: Endpoint> Worker<E> {
    /// Makes short connections as a turn requests.
    pub(super) fn requests(&mut self, at: Place<'_, E>, turn: Turn) -> Result<Vec<Measurement>, String> {
        let mut laps = Laps::start();
        let done = turn.run(1, &mut laps, |_, laps| self.request(at, laps, &mut ()))?;
        let [request, response] = [&self.pipes.plaintext, &self.pipes.response]
            .map(|plaintext| turn.iterations * plaintext.len() as u64);
        Ok(turn.measurements(done, &laps, [[request, response], [response, request]]))
    }

    /// Makes one short connection, from the creation of both ends until they are freed. Returns the bytes
    /// that each side put on the wire, the client's first.
    pub(super) fn request<M: Meter, W: Wiretap>(
        &mut self,
        at: Place<'_, E>,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<[u64; 2], Stopped> {
        let (mut ends, mut sent) = self.connect(at, meter, tap)?;
        for sender in Side::BOTH {
            sent[sender as usize] += self.transfer(at.endpoint, &mut ends, sender, 1, meter)?;
            let wire = match sender {
                Side::Client => &mut self.pipes.to_server,
                Side::Server => &mut self.pipes.to_client,
            };
            tap.flight(sender, Step::Data, wire);
        }
        let alerts = self.close(at.endpoint, &mut ends, meter, tap)?;
        meter.done();
        free(ends, meter);
        Ok([sent[0] + alerts[0], sent[1] + alerts[1]])
    }

    /// Closes a connection: the client sends its alert, the server takes it and answers with its own, which
    /// the client takes. Returns the bytes that each side put on the wire, the client's first.
    pub(super) fn close<M: Meter, W: Wiretap>(
        &mut self,
        endpoint: &E,
        ends: &mut Ends<E>,
        meter: &mut M,
        tap: &mut W,
    ) -> Result<[u64; 2], Stopped> {
        let Pipes { to_server, to_client, landing, .. } = &mut self.pipes;
        let fault = |side| Stopped::at(side, Step::Close);
        to_server.clear();
        to_client.clear();
        meter.enter(Side::Client, Phase::Close);
        let first = endpoint.close(&mut ends.client, &[], to_server).map_err(fault(Side::Client))?;
        meter.leave();
        check(Side::Client, first == Progress::Continues, WITHOUT_PEER)?;
        check(Side::Client, !to_server.is_empty(), NO_ALERT)?;
        tap.flight(Side::Client, Step::Close, to_server);
        ends.link.carry(leg(Side::Client), meter, to_server, landing)?;
        meter.enter(Side::Server, Phase::Close);
        let second =
            endpoint.close(&mut ends.server, to_server.filled(), to_client).map_err(fault(Side::Server))?;
        meter.leave();
        check(Side::Server, second == Progress::Done, NOT_SEEN)?;
        check(Side::Server, !to_client.is_empty(), NO_ALERT)?;
        let sent = [to_server.len() as u64, to_client.len() as u64];
        tap.flight(Side::Server, Step::Close, to_client);
        ends.link.carry(leg(Side::Server), meter, to_client, landing)?;
        to_server.clear();
        meter.enter(Side::Client, Phase::Close);
        let third =
            endpoint.close(&mut ends.client, to_client.filled(), to_server).map_err(fault(Side::Client))?;
        meter.leave();
        check(Side::Client, third == Progress::Done, NOT_SEEN)?;
        check(Side::Client, to_server.is_empty(), ANSWERED)?;
        Ok(sent)
    }
}

const WITHOUT_PEER: &str = "it reports its peer's closing alert before that was sent";
const NO_ALERT: &str = "it sent no closing alert";
const NOT_SEEN: &str = "it has not seen its peer's closing alert";
const ANSWERED: &str = "it sent more after its closing alert";

fn check(side: Side, holds: bool, otherwise: &str) -> Result<(), Stopped> {
    if holds { Ok(()) } else { Err(Stopped::unclosed(side, otherwise)) }
}

fn leg(from: Side) -> Leg {
    Leg { from, sends: Phase::Close, receives: Phase::Close, step: Step::Close }
}
