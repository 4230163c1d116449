//! The parts that every way of counting shares: a warm-up and the reply.

use tlslab_protocol::{Counting, Side, Sides};

use super::features::seen;
use super::source::Source;
use super::tally::Tally;
use crate::memory::meter::Fingerprint;

/// Uncounted iterations before the first: a library's one-time setup happens in them.
pub(super) const WARM_UP: u64 = 4;

/// The counts, after the counter has confirmed that nothing disturbed it.
pub(super) fn counting(
    iterations: u64,
    counter: &Source,
    tally: Tally<'_>,
    wire: &Fingerprint,
) -> Result<Counting, String> {
    counter.check()?;
    let sides = Sides { client: tally.side(Side::Client), server: tally.side(Side::Server) };
    Ok(Counting { iterations, sides, features: seen(), wire: wire.text() })
}
