//! What every way of counting has: a warm-up, and the reply.

use tlslab_protocol::{Counting, Side, Sides};

use super::features::seen;
use super::source::Source;
use super::tally::Tally;
use crate::memory::meter::Fingerprint;

/// Iterations before the first that is counted: what a library sets up once lies in them.
pub(super) const WARM_UP: u64 = 4;

/// What was counted, once the counter has said that nothing disturbed it.
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
