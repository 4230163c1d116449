//! The transport between the two ends of a connection: memory, or TCP over the loopback interface.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::time::Duration;

use tlslab_protocol::{Side, Step, Transport};

use super::stopped::Stopped;
use crate::Buffer;
use crate::timing::clock::now_ns;
use crate::timing::meter::Meter;
use crate::timing::phase::Phase;

/// The longest time that bytes may take through the kernel, ns.
const MOST_WAIT_NS: u64 = 5_000_000_000;

/// The place where a scenario's two ends connect.
pub(crate) enum Meeting {
    /// In memory.
    Memory,
    /// At a listening socket.
    Loopback(TcpListener),
}

impl Meeting {
    /// Opens the place.
    pub(crate) fn of(transport: Transport) -> io::Result<Self> {
        match transport {
            Transport::Memory => Ok(Self::Memory),
            Transport::Loopback => Ok(Self::Loopback(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?)),
        }
    }

    /// The same place, for the server's thread.
    pub(crate) fn share(&self) -> io::Result<Self> {
        match self {
            Self::Memory => Ok(Self::Memory),
            Self::Loopback(listener) => Ok(Self::Loopback(listener.try_clone()?)),
        }
    }

    /// The client's end of a new connection.
    pub(crate) fn dial(&self) -> io::Result<Option<TcpStream>> {
        match self {
            Self::Memory => Ok(None),
            Self::Loopback(listener) => {
                let stream = TcpStream::connect(listener.local_addr()?)?;
                // Closed with a reset: thousands of connections per second would otherwise use up the port
                // numbers.
                close_at_once(&stream)?;
                ready(stream).map(Some)
            }
        }
    }

    /// The server's end of a connection that the client has opened.
    pub(crate) fn answer(&self) -> io::Result<Option<TcpStream>> {
        match self {
            Self::Memory => Ok(None),
            Self::Loopback(listener) => ready(listener.accept()?.0).map(Some),
        }
    }
}

fn ready(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

/// Makes a socket send a reset when it is closed, so that its port is free at once.
pub(super) fn close_at_once(stream: &TcpStream) -> io::Result<()> {
    let linger = libc::linger { l_onoff: 1, l_linger: 0 };
    // SAFETY: the descriptor is open, and the structure is the one that the option needs.
    let result = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_LINGER,
            (&raw const linger).cast(),
            size_of::<libc::linger>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The sockets of one connection, if it has any: the client's and the server's.
#[derive(Default)]
pub(crate) struct Link {
    pub client: Option<TcpStream>,
    pub server: Option<TcpStream>,
}

/// The sender of a flight, both sides' phases, and the flight's step.
#[derive(Clone, Copy)]
pub(crate) struct Leg {
    pub from: Side,
    pub sends: Phase,
    pub receives: Phase,
    pub step: Step,
}

impl Link {
    /// Carries the bytes in `wire` to the other side; `wire` then holds what arrived there. In memory there
    /// is nothing to do.
    #[inline(always)]
    pub(crate) fn carry<M: Meter>(
        &mut self,
        leg: Leg,
        meter: &mut M,
        wire: &mut Buffer,
        landing: &mut Buffer,
    ) -> Result<(), Stopped> {
        let (Some(client), Some(server)) = (&mut self.client, &mut self.server) else { return Ok(()) };
        let ends = match leg.from {
            Side::Client => (client, server),
            Side::Server => (server, client),
        };
        let carried = through_the_kernel(leg, ends, meter, wire, landing);
        carried.map_err(|cause| Stopped::on_the_way(leg.from, leg.step, format!("over TCP: {cause}")))
    }
}

/// Writes and reads in turn, because a large write does not fit the kernel's buffers.
fn through_the_kernel<M: Meter>(
    leg: Leg,
    (out, into): (&mut TcpStream, &mut TcpStream),
    meter: &mut M,
    wire: &mut Buffer,
    landing: &mut Buffer,
) -> io::Result<()> {
    landing.clear();
    let mut written = 0;
    let mut last_ns = 0;
    while landing.len() < wire.len() {
        let mut moved = 0;
        if written < wire.len() {
            meter.enter(leg.from, leg.sends);
            moved += patient(out.write(&wire.filled()[written..]))?;
            written += moved;
        }
        meter.enter(leg.from.peer(), leg.receives);
        let read = patient(into.read(landing.room()))?;
        landing.advance(read);
        moved += read;
        meter.leave();
        if moved > 0 {
            last_ns = 0;
        } else if last_ns == 0 {
            last_ns = now_ns();
        } else if now_ns() - last_ns > MOST_WAIT_NS {
            return Err(ErrorKind::TimedOut.into());
        }
    }
    std::mem::swap(wire, landing);
    Ok(())
}

/// The number of bytes moved; 0 if the kernel is not ready.
pub(super) fn patient(moved: io::Result<usize>) -> io::Result<usize> {
    match moved {
        Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
        Err(cause) if cause.kind() == ErrorKind::WouldBlock => Ok(0),
        other => other,
    }
}

/// How long a blocking socket waits before it gives up.
pub(super) const BLOCKING_WAIT: Duration = Duration::from_nanos(MOST_WAIT_NS);
