//! A buffer that a program has for each side of a connection, and frees with it.
//!
//! The kit's own buffers are made once, so that nothing but the library allocates while it is measured. A
//! program's buffers come and go with its connections, and a large block at the heap's end decides whether
//! the C library gives the end back. With `TLSLAB_CONNECTION_BUFFER=BYTES` each side of a connection has such
//! a block, which is made after the library's connection and freed after it, in the side's phases.

use std::sync::OnceLock;

/// The size of each buffer, bytes.
static BYTES: OnceLock<usize> = OnceLock::new();

const NAME: &str = "TLSLAB_CONNECTION_BUFFER";
/// The largest buffer, bytes.
const MOST: usize = 1 << 24;

/// Reads the size that this process was started with, if any.
///
/// # Errors
/// Fails if the variable is not a number of bytes.
pub(crate) fn begin() -> Result<(), String> {
    let Some(text) = std::env::var_os(NAME) else { return Ok(()) };
    let bytes = text.to_str().and_then(|text| text.parse().ok()).filter(|bytes| (1..=MOST).contains(bytes));
    let wrong = || format!("{NAME} is {}, not 1 to {MOST} bytes", text.to_string_lossy());
    let _ = BYTES.set(bytes.ok_or_else(wrong)?);
    Ok(())
}

/// One side's buffer; none without the variable.
pub(crate) struct ConnectionBuffer(*mut libc::c_void);

impl ConnectionBuffer {
    /// A new buffer. Its first byte is written, as a program's flight would be.
    #[inline]
    pub(crate) fn new() -> Self {
        let Some(bytes) = BYTES.get() else { return Self(std::ptr::null_mut()) };
        // SAFETY: a block is allocated, which may fail; only a block of at least one byte is written to. The
        // compiler must not remove an allocation that nothing reads.
        unsafe {
            let block = std::hint::black_box(libc::malloc(*bytes));
            if !block.is_null() {
                block.cast::<u8>().write_volatile(0);
            }
            Self(block)
        }
    }
}

impl Drop for ConnectionBuffer {
    #[inline]
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the block came from `malloc`.
            unsafe { libc::free(self.0) }
        }
    }
}

// SAFETY: the block belongs to the value alone.
unsafe impl Send for ConnectionBuffer {}
