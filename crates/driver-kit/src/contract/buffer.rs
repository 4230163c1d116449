//! A buffer that is allocated once, before the clock runs, and never grows.

use std::io::{self, IoSlice, Write};

/// Takes what is flushed.
type Sink = Box<dyn Fn(&[u8]) + Send + Sync>;

/// Bytes that an endpoint appends to. Writing more than fits is an error of the kit's sizing, not a
/// reallocation.
pub struct Buffer {
    storage: Box<[u8]>,
    len: usize,
    /// Who takes what is flushed; nobody where both sides work in turns.
    sink: Option<Sink>,
}

impl Buffer {
    /// An empty buffer for `capacity` bytes. Its pages are touched here, so that no page fault lies in the
    /// clock.
    pub fn with_capacity(capacity: usize) -> Self {
        let mut storage = vec![0; capacity].into_boxed_slice();
        for page in storage.chunks_mut(4096) {
            page[0] = std::hint::black_box(1);
        }
        Self { storage, len: 0, sink: None }
    }

    /// What has been written.
    pub fn filled(&self) -> &[u8] {
        &self.storage[..self.len]
    }

    /// What has been written, to be altered in place.
    pub fn filled_mut(&mut self) -> &mut [u8] {
        &mut self.storage[..self.len]
    }

    /// How much has been written.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Forgets what was written.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Forgets all but the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// The free room, for a library that writes into it; [`Buffer::advance`] then takes what it wrote.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.storage[self.len..]
    }

    /// Takes `count` bytes that were written into [`Buffer::room`].
    ///
    /// # Panics
    /// When `count` is more than the room.
    pub fn advance(&mut self, count: usize) {
        assert!(count <= self.storage.len() - self.len, "more bytes than the buffer has room for");
        self.len += count;
    }

    /// Hands over what has been written so far, so that the peer can begin to work on it. Where both sides
    /// work in turns it does nothing. A library that sends a flight in parts calls it after each.
    #[inline]
    pub fn flush(&mut self) {
        if let Some(sink) = &self.sink
            && self.len > 0
        {
            sink(&self.storage[..self.len]);
            self.len = 0;
        }
    }

    /// Whether somebody takes what is flushed.
    #[cfg(any(feature = "c", test))]
    pub(crate) fn is_flushed(&self) -> bool {
        self.sink.is_some()
    }

    /// From here on, what is flushed goes there.
    pub(crate) fn flush_to(&mut self, sink: impl Fn(&[u8]) + Send + Sync + 'static) {
        self.len = 0;
        self.sink = Some(Box::new(sink));
    }

    /// From here on, flushing does nothing.
    pub(crate) fn flush_to_nobody(&mut self) {
        self.sink = None;
    }

    /// Appends bytes.
    ///
    /// # Panics
    /// When they do not fit: the kit sizes its buffers for the scenario, so that is a library gone wrong.
    pub fn append(&mut self, bytes: &[u8]) {
        let room = self.room();
        assert!(bytes.len() <= room.len(), "{} bytes do not fit a room of {}", bytes.len(), room.len());
        room[..bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.room();
        let count = bytes.len().min(room.len());
        room[..count].copy_from_slice(&bytes[..count]);
        self.len += count;
        Ok(count)
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let before = self.len;
        for part in parts {
            if self.write(part)? < part.len() {
                break;
            }
        }
        Ok(self.len - before)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
