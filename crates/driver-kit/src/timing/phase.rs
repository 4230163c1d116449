//! The phases of a side's work.

/// The phases that have a time of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    Context,
    Create,
    /// A call of the handshake, by its index among the side's own: 0 is the first.
    Handshake(usize),
    PostHandshake,
    Free,
    Send,
    Receive,
    Close,
    /// Operations of a primitive.
    Operation,
}

/// The number of handshake calls that are distinguished; later ones count with the last.
pub(crate) const CALLS: usize = 4;
/// The number of phases.
pub(crate) const PHASES: usize = 8 + CALLS;

impl Phase {
    /// Its index among all phases.
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
            Phase::Close => 6 + CALLS,
            Phase::Operation => 7 + CALLS,
        }
    }
}
