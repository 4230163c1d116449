//! The places that instructions are attributed to: one for each phase of each side, and one for everything
//! else.

use tlslab_protocol::Side;

use super::counter::BUCKETS;
use crate::timing::phase::{CALLS, PHASES, Phase};

/// The place of everything that belongs to no side.
pub(crate) const OFF: usize = 0;
/// The number of places, including that of no side.
pub(crate) const PLACES: usize = 1 + 2 * PHASES;
const _: () = assert!(PLACES as u64 <= BUCKETS);

/// Every place except that of no side, with the name of its file: `server.handshake.1`, `client.send`.
pub(crate) fn places() -> Vec<(usize, String)> {
    let calls = (0..CALLS).map(|call| (Phase::Handshake(call), format!("handshake.{}", call + 1)));
    let others = [
        (Phase::Context, "context"),
        (Phase::Create, "create"),
        (Phase::PostHandshake, "post_handshake"),
        (Phase::Free, "free"),
        (Phase::Send, "send"),
        (Phase::Receive, "receive"),
        (Phase::Close, "close"),
        (Phase::Operation, "operation"),
    ];
    let phases: Vec<(Phase, String)> =
        calls.chain(others.map(|(phase, name)| (phase, name.to_owned()))).collect();
    Side::BOTH
        .into_iter()
        .flat_map(|side| {
            phases.iter().map(move |(phase, name)| (place(side, *phase), format!("{side}.{name}")))
        })
        .collect()
}

/// A side's first place.
pub(super) fn first(side: Side) -> usize {
    1 + side as usize * PHASES
}

/// The place of a side's phase.
#[inline(always)]
pub(crate) fn place(side: Side, phase: Phase) -> usize {
    first(side) + phase.index()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_a_bucket_and_a_name_of_its_own() {
        let places = places();
        let mut numbers: Vec<usize> = places.iter().map(|(place, _)| *place).collect();
        let mut names: Vec<&String> = places.iter().map(|(_, name)| name).collect();
        numbers.sort_unstable();
        names.sort_unstable();
        names.dedup();
        assert_eq!(numbers, (1..PLACES).collect::<Vec<_>>());
        assert_eq!(names.len(), numbers.len());
    }
}
