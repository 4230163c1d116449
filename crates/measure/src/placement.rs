//! The memory placement of one timed process.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tlslab_record::Placement;

/// The memory placement of one timed process. A run derives it from its seed, the round and the stack: the
/// first number of ChaCha8 with the key (seed, round, 2^64 - 2, stack), 64 bits each, little-endian. For
/// several processes of one visit, each one's number is drawn from that of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryPlacement {
    number: u64,
    /// Whether the process runs a copy of its program.
    pub(crate) copies_program: bool,
}

/// The variable from which the kit draws the places of heap and buffers.
const NUMBER: &str = "TLSLAB_PLACEMENT";
/// The variable that only occupies space above the stack.
const PADDING: &str = "TLSLAB_PADDING";
/// The kernel has the stack begin at a multiple of this, bytes.
const STEP: u64 = 16;
/// The number of places of the stack: those of a page.
const PLACES: u64 = 256;

impl MemoryPlacement {
    /// The placement of a number, if a plan has processes placed at random.
    pub(crate) fn drawn(placement: Placement, number: u64) -> Option<Self> {
        match placement {
            Placement::Fixed => None,
            Placement::Randomised => Some(Self { number, copies_program: false }),
            Placement::RandomisedWithProgram => Some(Self { number, copies_program: true }),
        }
    }

    /// The placement of the next process, if several are started one after the other.
    pub(crate) fn next(self) -> Self {
        Self { number: ChaCha8Rng::seed_from_u64(self.number).next_u64(), ..self }
    }

    /// The length of the padding, bytes.
    fn padding_bytes(self) -> usize {
        // The kit mixes the number before it draws from it, so the two are independent.
        ((self.number >> 32) % PLACES * STEP) as usize
    }

    /// The variables of a process: the number, and the padding of the environment that moves its stack.
    pub(crate) fn variables(self) -> BTreeMap<String, String> {
        let padding = "x".repeat(self.padding_bytes());
        [(NUMBER.to_owned(), format!("{:016x}", self.number)), (PADDING.to_owned(), padding)].into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::schedule::Schedule;

    fn drawn(seed: u64, round: u32, stack: usize) -> MemoryPlacement {
        Schedule::new(seed).placement(Placement::Randomised, round, stack).unwrap()
    }

    #[test]
    fn a_process_has_a_number_and_padding_of_a_length_of_its_own() {
        let number = 0x0000_0101_0000_00ff;
        assert_eq!(MemoryPlacement::drawn(Placement::Fixed, number), None);
        let placement = MemoryPlacement::drawn(Placement::Randomised, number).unwrap();
        let variables = placement.variables();
        assert_eq!(variables[NUMBER], "00000101000000ff");
        assert_eq!(variables[PADDING], "x".repeat(16));
        assert_ne!(placement.next(), placement);
    }

    #[test]
    fn every_place_is_drawn_and_the_same_process_has_the_same() {
        let lengths: HashSet<usize> = (0..4_000).map(|round| drawn(1, round, 0).padding_bytes()).collect();
        assert_eq!(lengths.len(), 256);
        assert!(lengths.iter().all(|length| length.is_multiple_of(16) && *length < 4096));
        assert_eq!(drawn(1, 3, 1), drawn(1, 3, 1));
        let numbers: HashSet<_> = (0..100)
            .flat_map(|round| (0..4).map(|stack| drawn(1, round, stack)).collect::<Vec<_>>())
            .chain([drawn(2, 0, 0)])
            .collect();
        assert_eq!(numbers.len(), 401, "each round, stack and seed has its own");
    }

    #[test]
    fn processes_one_after_the_other_reach_every_length() {
        let mut placement = drawn(1, 0, 0);
        let mut lengths = HashSet::new();
        for _ in 0..4_000 {
            lengths.insert(placement.padding_bytes());
            placement = placement.next();
        }
        assert_eq!(lengths.len(), 256);
    }
}
