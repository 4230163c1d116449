//! Observers of the bytes on the wire.

use tlslab_protocol::{Side, Step};

use crate::Buffer;

/// Sees every flight before it is delivered, and may alter it.
pub(crate) trait Wiretap {
    /// `wire` is about to be handed to the peer of `from`.
    fn flight(&mut self, from: Side, step: Step, wire: &mut Buffer);
}

impl Wiretap for () {
    #[inline(always)]
    fn flight(&mut self, _: Side, _: Step, _: &mut Buffer) {}
}
