//! State and functions that both sides of an open loop share.

use std::io::{self, Read};
use std::net::TcpStream;
use std::sync::Barrier;
use std::time::Duration;

use tlslab_protocol::{Side, SideMeasurement, Step};

use crate::pair::first_stop::FirstStop;
use crate::pair::link::{BLOCKING_WAIT, patient};
use crate::pair::{Place, Stopped};
use crate::timing::clock::now_ns;
use crate::timing::meter::{Booked, Laps, Meter};
use crate::timing::phase::Phase;
use crate::{Buffer, Endpoint, Progress};

/// A flight may come in many parts.
pub(super) const MOST_CALLS: usize = 256;
/// For one direction of a handshake.
pub(super) const BUFFER_BYTES: usize = 128 * 1024;

/// The server's report of a connection, which the client identifies by its port.
pub(super) struct Answer {
    pub port: u16,
    /// Bytes that it sent: in all, and before its last call.
    pub sent: u64,
    pub flight: u64,
}

/// The inputs of both sides.
pub(super) struct Common<'a, E: Endpoint> {
    pub at: Place<'a, E>,
    pub stop: &'a FirstStop,
    /// Passed when both sides are ready.
    pub ready: &'a Barrier,
    /// The number of arrivals that come first and are not counted.
    pub before: u64,
}

impl<E: Endpoint> Clone for Common<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Endpoint> Copy for Common<'_, E> {}

/// One side's end of a connection in progress.
pub(super) struct End<E: Endpoint> {
    pub tls: E::Connection,
    pub stream: TcpStream,
    pub port: u16,
    /// The number of handshake calls.
    pub calls: usize,
    /// This side's own time so far, ns.
    pub own_ns: u64,
}

impl<E: Endpoint> End<E> {
    /// Reads the available input, passes it to the endpoint and writes its output. Returns the number of
    /// bytes read, or `None` without input.
    #[inline(always)]
    pub(super) fn shake_hands(
        &mut self,
        side: Side,
        endpoint: &E,
        laps: &mut Laps,
        input: &mut Buffer,
        output: &mut Buffer,
    ) -> Result<Option<(u64, Progress)>, Stopped> {
        let fault = wire_error(side);
        input.clear();
        output.clear();
        laps.enter(side, Phase::Handshake(self.calls));
        let count = patient((&self.stream).read(input.room())).map_err(&fault)?;
        input.advance(count);
        if count == 0 {
            laps.leave();
            return Ok(None);
        }
        let progress = endpoint
            .handshake(&mut self.tls, input.filled(), output)
            .map_err(Stopped::at(side, Step::Handshake))?;
        write_all(&self.stream, output.filled()).map_err(&fault)?;
        laps.leave();
        Ok(Some((count as u64, progress)))
    }
}

/// One side's share of all connections.
pub(super) struct Share {
    pub laps: Laps,
    /// The bookings before the first counted connection, and when that began; `None` if it never did.
    pub before: Option<(Booked, u64)>,
    /// The first connection's own time, ns.
    pub first_ns: u64,
    /// How long the thread has worked since the first counted connection, ns.
    pub busy_ns: u64,
    /// Bytes sent on counted connections.
    pub sent: u64,
}

impl Share {
    pub(super) fn new() -> Self {
        Self { laps: Laps::start(), before: None, first_ns: 0, busy_ns: 0, sent: 0 }
    }

    /// Marks the beginning of the first counted connection.
    pub(super) fn begin_counting(&mut self, now_ns: u64) {
        self.before = Some((*self.laps.booked(), now_ns));
        self.busy_ns = 0;
        self.sent = 0;
    }

    /// Frees a connection that is done, and counts it as an iteration if `counts`.
    #[inline(always)]
    pub(super) fn end_connection<E: Endpoint>(&mut self, side: Side, end: End<E>, counts: bool) {
        let before_ns = self.laps.booked().total_ns(side);
        self.laps.enter(side, Phase::Free);
        drop(end.tls);
        // A closed socket is no longer watched.
        drop(end.stream);
        self.laps.leave();
        let own_ns = end.own_ns + self.laps.booked().total_ns(side) - before_ns;
        if self.first_ns == 0 {
            self.first_ns = own_ns;
        }
        if counts {
            self.laps.count_iteration(side, own_ns);
        }
    }

    /// The bookings before the first counted connection; all of them if it never began.
    pub(super) fn booked_before(&self) -> Booked {
        self.before.as_ref().map_or(*self.laps.booked(), |(booked, _)| *booked)
    }

    pub(super) fn side(&self, side: Side) -> SideMeasurement {
        let booked = self.laps.booked().since(&self.booked_before());
        SideMeasurement {
            phases: booked.phases(side),
            clock_reads: booked.reads(side),
            wire_bytes: self.sent,
            handshake_calls_ns: booked.handshake_calls_ns(side),
            latencies: self.laps.latencies(side),
            ..SideMeasurement::default()
        }
    }
}

/// Configures the socket of one connection, which never blocks its thread.
pub(super) fn ready(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

/// Writes all bytes, waiting as long as the kernel has no room for them.
pub(super) fn write_all(mut stream: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    use io::Write;

    let mut written = 0;
    let within = within(BLOCKING_WAIT);
    while written < bytes.len() {
        written += patient(stream.write(&bytes[written..]))?;
        within()?;
    }
    Ok(())
}

/// A check that fails once `most` has passed since it was made.
pub(super) fn within(most: Duration) -> impl Fn() -> io::Result<()> {
    let start_ns = now_ns();
    move || match u128::from(now_ns() - start_ns) > most.as_nanos() {
        true => Err(io::ErrorKind::TimedOut.into()),
        false => Ok(()),
    }
}

pub(super) fn wire_error(side: Side) -> impl Fn(io::Error) -> Stopped {
    move |cause| Stopped::on_the_way(side, Step::Handshake, format!("over TCP: {cause}"))
}
