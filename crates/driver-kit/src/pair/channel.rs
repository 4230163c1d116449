//! One side's end of the channel between two threads.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::link::BLOCKING_WAIT;
use super::pipe::Pipe;
use crate::Buffer;

/// The destination of a side's bytes, and the source of its peer's.
pub(super) enum Channel {
    Memory { out: Arc<Pipe>, into: Arc<Pipe> },
    Socket(TcpStream),
}

impl Channel {
    /// A socket whose side sleeps until bytes come.
    pub(super) fn socket(stream: TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(BLOCKING_WAIT))?;
        Ok(Self::Socket(stream))
    }

    /// Sends all bytes.
    pub(super) fn push(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Memory { out, .. } => {
                out.push(bytes);
                Ok(())
            }
            Self::Socket(stream) => (&*stream).write_all(bytes),
        }
    }

    /// Waits for bytes. Returns false if none came, as the connection is over.
    pub(super) fn wait(&self, into: &mut Buffer, over: &AtomicBool) -> io::Result<bool> {
        match self {
            Self::Memory { into: pipe, .. } => Ok(pipe.wait(into, over)),
            Self::Socket(stream) => {
                let count = (&*stream).read(into.room())?;
                into.advance(count);
                Ok(count > 0)
            }
        }
    }
}
