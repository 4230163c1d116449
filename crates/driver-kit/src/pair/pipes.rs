//! The buffers between the ends.

use tlslab_protocol::{Scenario, Side, Work};

use crate::Buffer;
use crate::memory::placement;

/// Buffers, allocated once per scenario and thread.
pub(crate) struct Pipes {
    pub to_server: Buffer,
    pub to_client: Buffer,
    /// The destination of bytes that pass through the kernel.
    pub landing: Buffer,
    /// The plaintext of a write; in short connections of the client's.
    pub plaintext: Vec<u8>,
    /// The plaintext of the server's write in short connections; empty in others.
    pub response: Vec<u8>,
    pub received: Buffer,
    /// The client's early data; empty in most scenarios.
    pub early_data: Vec<u8>,
    /// The offsets at which each write of a burst begins in the wire buffer, and the end of the last one.
    pub marks: Vec<usize>,
    /// The same for the other direction.
    pub other_marks: Vec<usize>,
}

impl Pipes {
    /// Buffers that fit a scenario.
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let (work, early_data) = (&scenario.proven_work(), &scenario.early_data);
        let response_bytes = match work {
            Work::Request { response_bytes, .. } => *response_bytes as usize,
            _ => 0,
        };
        let (write_bytes, burst) = (work.write_bytes().unwrap_or(0) as usize, work.burst() as usize);
        let early_bytes = *early_data as usize;
        // A record adds at most 256 bytes, and some libraries fill records only partly: 50 % more is ample.
        let wire = 128 * 1024 + burst * (512 + write_bytes + write_bytes / 2);
        Self {
            to_server: placed_buffer(wire),
            to_client: placed_buffer(wire),
            landing: placed_buffer(wire),
            plaintext: placed_pattern(
                work.sent_bytes(Side::Client).map_or(write_bytes, |bytes| bytes as usize),
            ),
            response: placed_pattern(response_bytes),
            received: placed_buffer(write_bytes.max(early_bytes) + 16 * 1024),
            early_data: placed_pattern(early_bytes),
            marks: vec![0; burst + 1],
            other_marks: vec![0; burst + 1],
        }
    }
}

/// The plaintext that a side writes.
pub(crate) fn written_by<'p>(sender: Side, plaintext: &'p [u8], response: &'p [u8]) -> &'p [u8] {
    if sender == Side::Server && !response.is_empty() { response } else { plaintext }
}

/// A buffer at a random offset, if placement is randomised.
pub(crate) fn placed_buffer(capacity: usize) -> Buffer {
    placement::move_heap();
    Buffer::with_capacity(capacity)
}

/// The [`pattern`] at a random offset, if placement is randomised.
fn placed_pattern(len: usize) -> Vec<u8> {
    placement::move_heap();
    pattern(len)
}

/// Varied bytes, the same in every run.
pub(crate) fn pattern(len: usize) -> Vec<u8> {
    (0..len as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}
