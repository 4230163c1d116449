//! The thread of the server: processes connections that have input, and sleeps without any.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::Sender;

use tlslab_protocol::{Side, Step};

use super::common::{Answer, BUFFER_BYTES, Common, End, MOST_CALLS, Share, ready, wire_error};
use super::pace::MOST_OPEN;
use super::readiness::Readiness;
use crate::memory::placement::Gap;
use crate::pair::Stopped;
use crate::timing::clock::now_ns;
use crate::timing::meter::Meter;
use crate::timing::phase::Phase;
use crate::{Buffer, Endpoint, Progress};

const ME: Side = Side::Server;
const LISTENER: u64 = u64::MAX;
/// The token of the socket that is closed when there is nothing more to do.
const LEASH: u64 = u64::MAX - 1;

/// A connection in progress.
struct Open<E: Endpoint> {
    end: End<E>,
    sent: u64,
    flight: u64,
    counts: bool,
}

struct Server<'a, E: Endpoint> {
    common: Common<'a, E>,
    answers: &'a Sender<Answer>,
    readiness: Readiness,
    open: Vec<Option<Open<E>>>,
    free: Vec<usize>,
    accepted: u64,
    /// When the thread woke up.
    woke_ns: u64,
    share: Share,
    input: Buffer,
    output: Buffer,
}

/// Serves until the other end of `leash` is closed.
pub(super) fn serve<'a, E: Endpoint>(
    common: Common<'a, E>,
    listener: &TcpListener,
    leash: &UnixStream,
    answers: &'a Sender<Answer>,
) -> Result<Share, Stopped> {
    let fault = wire_error(ME);
    // A thread has a heap of its own, which the gaps shift as long as the thread runs.
    let _gap = Gap::here();
    let input = Buffer::with_capacity(BUFFER_BYTES);
    let _gap = Gap::here();
    let output = Buffer::with_capacity(BUFFER_BYTES);
    let set = || {
        let readiness = Readiness::new(MOST_OPEN + 2)?;
        readiness.watch(listener, LISTENER)?;
        readiness.watch(leash, LEASH)?;
        Ok(readiness)
    };
    let readiness = set();
    common.ready.wait();
    let mut server = Server {
        common,
        answers,
        readiness: readiness.map_err(&fault)?,
        open: (0..MOST_OPEN).map(|_| None).collect(),
        free: (0..MOST_OPEN).rev().collect(),
        accepted: 0,
        woke_ns: now_ns(),
        share: Share::new(),
        input,
        output,
    };
    let mut ready = Vec::with_capacity(MOST_OPEN + 2);
    loop {
        server.share.busy_ns += now_ns() - server.woke_ns;
        server.readiness.wait(-1, &mut ready).map_err(&fault)?;
        server.woke_ns = now_ns();
        if ready.contains(&LEASH) {
            return Ok(server.share);
        }
        for token in &ready {
            match *token {
                LISTENER => server.accept(listener)?,
                place => server.step(place as usize)?,
            }
        }
    }
}

impl<E: Endpoint> Server<'_, E> {
    /// Accepts every waiting connection.
    fn accept(&mut self, listener: &TcpListener) -> Result<(), Stopped> {
        let fault = wire_error(ME);
        while let Some(place) = self.free.pop() {
            let before_ns = self.share.laps.booked().total_ns(ME);
            self.share.laps.enter(ME, Phase::Create);
            let (stream, peer) = match listener.accept() {
                Ok(accepted) => accepted,
                Err(cause) if cause.kind() == ErrorKind::WouldBlock => {
                    self.share.laps.leave();
                    self.free.push(place);
                    return Ok(());
                }
                Err(cause) => return Err(fault(cause)),
            };
            let counts = self.accepted >= self.common.before;
            if self.accepted == self.common.before {
                self.share.laps.leave();
                self.woke_ns = now_ns();
                self.share.begin_counting(self.woke_ns);
                self.share.laps.enter(ME, Phase::Create);
            }
            self.accepted += 1;
            let stream = ready(stream).map_err(&fault)?;
            let made = self.common.at.endpoint.create(self.common.at.server);
            let tls = made.map_err(Stopped::at(ME, Step::Handshake))?;
            self.share.laps.leave();
            let own_ns = self.share.laps.booked().total_ns(ME) - before_ns;
            self.readiness.watch(&stream, place as u64).map_err(&fault)?;
            let end = End { tls, stream, port: peer.port(), calls: 0, own_ns };
            self.open[place] = Some(Open { end, sent: 0, flight: 0, counts });
        }
        Ok(())
    }

    /// Continues a connection that has input.
    fn step(&mut self, place: usize) -> Result<(), Stopped> {
        let Self { common, share, input, output, open, .. } = self;
        let Some(connection) = &mut open[place] else { return Ok(()) };
        let before_ns = share.laps.booked().total_ns(ME);
        let endpoint = common.at.endpoint;
        let called = connection.end.shake_hands(ME, endpoint, &mut share.laps, input, output)?;
        let Some((_, progress)) = called else { return Ok(()) };
        connection.end.own_ns += share.laps.booked().total_ns(ME) - before_ns;
        connection.end.calls += 1;
        connection.flight = connection.sent;
        connection.sent += output.len() as u64;
        if connection.counts {
            share.sent += output.len() as u64;
        }
        match progress {
            Progress::Done => self.end(place),
            Progress::Continues if connection.end.calls < MOST_CALLS => Ok(()),
            Progress::Continues => Err(Stopped::waiting(ME)),
        }
    }

    /// Frees a connection whose handshake is done.
    fn end(&mut self, place: usize) -> Result<(), Stopped> {
        let Some(connection) = self.open[place].take() else { return Ok(()) };
        let Open { end, sent, flight, counts } = connection;
        let port = end.port;
        self.share.end_connection(ME, end, counts);
        self.free.push(place);
        // If the client is gone, it has stopped for a reason of its own.
        let _ = self.answers.send(Answer { port, sent, flight });
        Ok(())
    }
}
