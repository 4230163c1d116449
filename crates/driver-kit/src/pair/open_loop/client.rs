//! The clients' thread: starts each connection when it is due, and continues those whose server has answered.

use std::collections::HashMap;
use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::Receiver;

use tlslab_protocol::{Side, Step};

use super::common::{
    Answer, BUFFER_BYTES, Common, End, MOST_CALLS, Share, ready, wire_error, within, write_all,
};
use super::pace::{MOST_OPEN, Pace};
use super::readiness::Readiness;
use crate::memory::placement::Gap;
use crate::pair::Stopped;
use crate::pair::link::{BLOCKING_WAIT, close_at_once, patient};
use crate::pair::sessions::Sessions;
use crate::timing::clock::now_ns;
use crate::timing::meter::Meter;
use crate::timing::phase::Phase;
use crate::{Buffer, Endpoint, Progress};

const ME: Side = Side::Client;

/// The inputs of the thread.
pub(super) struct Dialler<'a, E: Endpoint> {
    pub common: Common<'a, E>,
    pub address: SocketAddr,
    pub pace: Pace,
    pub answered: Receiver<Answer>,
}

/// The results of the thread.
pub(super) struct Done<E: Endpoint> {
    pub share: Share,
    pub pace: Pace,
    /// When the schedule began.
    pub origin_ns: u64,
    /// Connections still open when the time was up. The server must end before they are closed, or it would
    /// treat that as a failure.
    pub open: Vec<Option<Open<E>>>,
}

/// A connection in progress.
pub(super) struct Open<E: Endpoint> {
    arrival: usize,
    /// Relative to the beginning of the schedule.
    begun_ns: u64,
    end: End<E>,
    got: u64,
    is_done: bool,
    answer: Option<Answer>,
}

struct Client<'a, E: Endpoint> {
    common: Common<'a, E>,
    address: SocketAddr,
    sessions: &'a Sessions<E>,
    pace: Pace,
    origin_ns: u64,
    readiness: Readiness,
    open: Vec<Option<Open<E>>>,
    free: Vec<usize>,
    places: HashMap<u16, usize>,
    share: Share,
    input: Buffer,
    output: Buffer,
}

impl<E: Endpoint> Dialler<'_, E> {
    /// Runs until every arrival is served, or the time is up.
    pub(super) fn run(self, sessions: &Sessions<E>) -> Result<Done<E>, Stopped> {
        let Self { common, address, pace, answered } = self;
        let fault = wire_error(ME);
        let _gap = Gap::here();
        let input = Buffer::with_capacity(BUFFER_BYTES);
        let _gap = Gap::here();
        let output = Buffer::with_capacity(BUFFER_BYTES);
        let readiness = Readiness::new(MOST_OPEN);
        common.ready.wait();
        let mut client = Client {
            common,
            address,
            sessions,
            pace,
            origin_ns: now_ns(),
            readiness: readiness.map_err(&fault)?,
            open: (0..MOST_OPEN).map(|_| None).collect(),
            free: (0..MOST_OPEN).rev().collect(),
            places: HashMap::with_capacity(4 * MOST_OPEN),
            share: Share::new(),
            input,
            output,
        };
        let mut ready = Vec::with_capacity(MOST_OPEN);
        let mut now = client.origin_ns;
        while !client.pace.is_over(now - client.origin_ns) {
            if common.stop.is_over() {
                // The other side reports the reason.
                return Err(Stopped::waiting(ME));
            }
            let worked = client.turn(now, &answered, &mut ready)?;
            let then = std::mem::replace(&mut now, now_ns());
            if worked {
                // Work on connections before the first counted one is excluded.
                let since = client.share.before.as_ref().map_or(then, |(_, start_ns)| then.max(*start_ns));
                client.share.busy_ns += now.saturating_sub(since);
            }
        }
        let Client { share, pace, origin_ns, open, .. } = client;
        Ok(Done { share, pace, origin_ns, open })
    }
}

impl<E: Endpoint> Client<'_, E> {
    /// Starts due connections; if no connection is due, continues those with input. Returns whether there was
    /// anything to do.
    fn turn(&mut self, now: u64, answered: &Receiver<Answer>, ready: &mut Vec<u64>) -> Result<bool, Stopped> {
        if let Some(arrival) = self.pace.due(now - self.origin_ns) {
            self.begin(arrival)?;
            return Ok(true);
        }
        self.readiness.wait(0, ready).map_err(wire_error(ME))?;
        let mut worked = !ready.is_empty();
        for place in ready.iter() {
            self.step(*place as usize)?;
        }
        while let Ok(answer) = answered.try_recv() {
            worked = true;
            let Some(&place) = self.places.get(&answer.port) else { return Err(Stopped::waiting(ME)) };
            if let Some(open) = &mut self.open[place] {
                open.answer = Some(answer);
            }
            self.end_if_done(place)?;
        }
        if !worked {
            std::hint::spin_loop();
        }
        Ok(worked)
    }

    fn begin(&mut self, arrival: usize) -> Result<(), Stopped> {
        let fault = wire_error(ME);
        let begun = now_ns();
        if self.pace.counts(arrival) && self.share.before.is_none() {
            self.share.begin_counting(begun);
        }
        let Self { common, share, output, .. } = self;
        let before_ns = share.laps.booked().total_ns(ME);
        output.clear();
        share.laps.enter(ME, Phase::Create);
        let stream = TcpStream::connect(self.address).map_err(&fault)?;
        // Closed with a reset: thousands of connections per second would otherwise use up the port numbers.
        close_at_once(&stream).map_err(&fault)?;
        let stream = ready(stream).map_err(&fault)?;
        let made = common.at.endpoint.create(common.at.client);
        let mut tls = made.map_err(Stopped::at(ME, Step::Handshake))?;
        share.laps.enter(ME, Phase::Handshake(0));
        common.at.endpoint.handshake(&mut tls, &[], output).map_err(Stopped::at(ME, Step::Handshake))?;
        write_all(&stream, output.filled()).map_err(&fault)?;
        share.laps.leave();
        let own_ns = share.laps.booked().total_ns(ME) - before_ns;
        if self.pace.counts(arrival) {
            share.sent += output.len() as u64;
        }
        let port = stream.local_addr().map_err(&fault)?.port();
        // As many places as connections that can be open.
        let Some(place) = self.free.pop() else { return Err(Stopped::waiting(ME)) };
        self.readiness.watch(&stream, place as u64).map_err(&fault)?;
        self.places.insert(port, place);
        let begun_ns = begun - self.origin_ns;
        let end = End { tls, stream, port, calls: 1, own_ns };
        self.open[place] = Some(Open { arrival, begun_ns, end, got: 0, is_done: false, answer: None });
        Ok(())
    }

    /// Continues a connection that has input.
    fn step(&mut self, place: usize) -> Result<(), Stopped> {
        let Self { common, share, input, output, open, pace, .. } = self;
        let Some(connection) = &mut open[place] else { return Ok(()) };
        let before_ns = share.laps.booked().total_ns(ME);
        let endpoint = common.at.endpoint;
        let called = connection.end.shake_hands(ME, endpoint, &mut share.laps, input, output)?;
        let Some((count, progress)) = called else { return Ok(()) };
        let done_ns = now_ns() - self.origin_ns;
        connection.end.own_ns += share.laps.booked().total_ns(ME) - before_ns;
        connection.end.calls += 1;
        connection.got += count;
        if pace.counts(connection.arrival) {
            share.sent += output.len() as u64;
        }
        if progress == Progress::Done {
            pace.served(connection.arrival, connection.begun_ns, done_ns);
            connection.is_done = true;
            // The rest is read when the server has reported its length.
            self.readiness.forget(&connection.end.stream).map_err(wire_error(ME))?;
            return self.end_if_done(place);
        }
        if connection.end.calls < MOST_CALLS { Ok(()) } else { Err(Stopped::waiting(ME)) }
    }

    /// Ends a connection whose handshake is done on both sides.
    fn end_if_done(&mut self, place: usize) -> Result<(), Stopped> {
        let is_both = |open: &mut Open<E>| open.is_done && open.answer.is_some();
        let Some(Open { arrival, mut end, mut got, answer, .. }) = self.open[place].take_if(is_both) else {
            return Ok(());
        };
        let port = end.port;
        let (sent, flight) = answer.map_or((0, 0), |answer| (answer.sent, answer.flight));
        let Self { common, share, input, output, .. } = self;
        if got < sent {
            // Tickets, which are passed to the library as whole records.
            let before_ns = share.laps.booked().total_ns(ME);
            let fault = wire_error(ME);
            input.clear();
            let within = within(BLOCKING_WAIT);
            share.laps.enter(ME, Phase::PostHandshake);
            while got < sent {
                let count = patient((&end.stream).read(input.room())).map_err(&fault)?;
                input.advance(count);
                got += count as u64;
                within().map_err(&fault)?;
            }
            output.clear();
            common
                .at
                .endpoint
                .receive(&mut end.tls, input.filled(), output)
                .map_err(Stopped::at(ME, Step::PostHandshake))?;
            share.laps.leave();
            end.own_ns += share.laps.booked().total_ns(ME) - before_ns;
        }
        self.sessions.check_full(flight)?;
        share.end_connection(ME, end, self.pace.counts(arrival));
        self.places.remove(&port);
        self.free.push(place);
        self.pace.closed();
        Ok(())
    }
}
