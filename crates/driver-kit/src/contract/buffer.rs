//! A buffer of fixed capacity, which is allocated before the clock runs.

use std::io::{self, IoSlice, Write};

/// The receiver of flushed bytes.
type Sink = Box<dyn Fn(&[u8]) + Send + Sync>;

/// A buffer that an endpoint appends to. It never grows: the kit sizes it for the scenario, so an overflow is
/// an error.
pub struct Buffer {
    storage: Box<[u8]>,
    len: usize,
    /// The receiver of flushed bytes; `None` if both sides work in turns.
    sink: Option<Sink>,
}

impl Buffer {
    /// An empty buffer of `capacity` bytes. This touches its pages, so that no page fault is timed.
    pub fn with_capacity(capacity: usize) -> Self {
        let mut storage = vec![0; capacity].into_boxed_slice();
        for page in storage.chunks_mut(4096) {
            page[0] = std::hint::black_box(1);
        }
        Self { storage, len: 0, sink: None }
    }

    /// The bytes written so far.
    pub fn filled(&self) -> &[u8] {
        &self.storage[..self.len]
    }

    /// The bytes written so far, mutable.
    pub fn filled_mut(&mut self) -> &mut [u8] {
        &mut self.storage[..self.len]
    }

    /// The number of bytes written so far.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Discards all bytes.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Discards all but the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// The free part, for a library that writes into it. Call [`Buffer::advance`] afterwards.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.storage[self.len..]
    }

    /// Adds `count` bytes that were written into [`Buffer::room`].
    ///
    /// # Panics
    /// Panics if `count` exceeds the free part.
    pub fn advance(&mut self, count: usize) {
        assert!(count <= self.storage.len() - self.len, "more bytes than the buffer has room for");
        self.len += count;
    }

    /// Passes on the bytes written so far, so that the peer can process them at once, and empties the buffer.
    /// If both sides work in turns it does nothing. A library that sends a flight in parts calls it after
    /// each.
    #[inline]
    pub fn flush(&mut self) {
        if let Some(sink) = &self.sink
            && self.len > 0
        {
            sink(&self.storage[..self.len]);
            self.len = 0;
        }
    }

    /// Whether flushed bytes have a receiver.
    #[cfg(any(feature = "c", test))]
    pub(crate) fn is_flushed(&self) -> bool {
        self.sink.is_some()
    }

    /// Sets the receiver of flushed bytes.
    pub(crate) fn flush_to(&mut self, sink: impl Fn(&[u8]) + Send + Sync + 'static) {
        self.len = 0;
        self.sink = Some(Box::new(sink));
    }

    /// Removes the receiver: flushing then does nothing.
    pub(crate) fn flush_to_nobody(&mut self) {
        self.sink = None;
    }

    /// Appends bytes.
    ///
    /// # Panics
    /// Panics if they do not fit. The kit sizes its buffers for the scenario, so the library is at fault.
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
