//! The phases of a side's work.

/// The phases that have a time of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    Context,
    Create,
    /// A call of the handshake, by its place among the side's own: 0 is the first.
    Handshake(usize),
    PostHandshake,
    Free,
    Send,
    Receive,
    /// Operations of a primitive.
    Operation,
}

/// Calls of a handshake that are distinguished; those after them are booked with the last.
pub(crate) const CALLS: usize = 4;
/// Phases that are distinguished.
pub(crate) const PHASES: usize = 7 + CALLS;

impl Phase {
    /// Its place among all phases.
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        match self {
            Phase::Context => 0,
            Phase::Create => 1,
            Phase::Handshake(call) => 2 + if call < CALLS { call } else { CALLS - 1 },
            Phase::PostHandshake => 2 + CALLS,
            Phase::Free => 3 + CALLS,
            Phase::Send => 4 + CALLS,
            Phase::Receive => 5 + CALLS,
            Phase::Operation => 6 + CALLS,
        }
    }
}
