//! Memory in place of a socket.

use std::io::{Error, ErrorKind, Read, Result, Write};

use tlslab_driver_kit::Buffer;

/// What a stream owns: input is copied in, and the kit's buffer is swapped in for the time of a call.
pub struct Wire {
    pub input: Vec<u8>,
    pub read: usize,
    pub output: Buffer,
}

impl Wire {
    pub fn new() -> Self {
        Self { input: Vec::new(), read: 0, output: Buffer::with_capacity(0) }
    }

    pub fn receive(&mut self, input: &[u8]) {
        self.input.clear();
        self.input.extend_from_slice(input);
        self.read = 0;
    }

    pub fn is_drained(&self) -> bool {
        self.read == self.input.len()
    }
}

impl Read for Wire {
    fn read(&mut self, room: &mut [u8]) -> Result<usize> {
        if self.is_drained() {
            return Err(ErrorKind::WouldBlock.into());
        }
        let count = (&self.input[self.read..]).read(room)?;
        self.read += count;
        Ok(count)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self.output.write(bytes)? {
            count if count == bytes.len() => Ok(count),
            _ => Err(Error::other("no room for what is to be sent")),
        }
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
