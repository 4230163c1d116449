//! Every random order of a run, from its seed alone, so that a resumed run follows the same plan.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tlslab_record::Placement;

use crate::placement::MemoryPlacement;

/// The random orders of one run.
#[derive(Clone, Copy)]
pub(crate) struct Schedule {
    seed: u64,
}

impl Schedule {
    /// The orders of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The order in which a round visits the scenarios `0..count`.
    pub(crate) fn scenarios(self, round: u32, count: usize) -> Vec<usize> {
        shuffled(count, &mut self.rng([u64::from(round), u64::MAX, 0]))
    }

    /// The order in which a round makes its visits of the scenarios `0..count`: those of a group in one, the
    /// others each in its own. A group takes the place of the first of its scenarios.
    pub(crate) fn visits(self, round: u32, count: usize, groups: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let mut visits: Vec<Vec<usize>> = Vec::new();
        for scenario in self.scenarios(round, count) {
            match groups.iter().find(|group| group.contains(&scenario)) {
                None => visits.push(vec![scenario]),
                Some(group) if visits.contains(group) => {}
                Some(group) => visits.push(group.clone()),
            }
        }
        visits
    }

    /// The order in which a round's processes are started.
    pub(crate) fn starts(self, round: u32, count: usize) -> Vec<usize> {
        shuffled(count, &mut self.rng([u64::from(round), u64::MAX, 1]))
    }

    /// The memory placement of a round's process of a stack, if it is drawn. A process that is started again
    /// in the same round has the same placement.
    pub(crate) fn placement(self, of: Placement, round: u32, stack: usize) -> Option<MemoryPlacement> {
        MemoryPlacement::drawn(of, self.rng([u64::from(round), u64::MAX - 1, stack as u64]).next_u64())
    }

    /// The seed of the gaps between a visit's arrivals, if its scenario has a rate.
    pub(crate) fn arrivals(self, round: u32, scenario: usize, attempt: u32) -> u64 {
        let attempt = u64::MAX - 2 - u64::from(attempt);
        self.rng([u64::from(round), scenario as u64, attempt]).next_u64()
    }

    /// A number for each visit, for the iterations before its first turn.
    pub(crate) fn phase(self, round: u32, scenario: usize, attempt: u32) -> u32 {
        let attempt = u64::MAX / 2 - u64::from(attempt);
        self.rng([u64::from(round), scenario as u64, attempt]).next_u32()
    }

    /// The order of the stacks `0..count` in each block of a visit.
    pub(crate) fn blocks(
        self,
        round: u32,
        scenario: usize,
        attempt: u32,
        count: usize,
    ) -> impl FnMut() -> Vec<usize> {
        let mut rng = self.rng([u64::from(round), scenario as u64, u64::from(attempt)]);
        move || shuffled(count, &mut rng)
    }

    /// Each purpose has its own generator, so that no order depends on the use of another.
    fn rng(self, purpose: [u64; 3]) -> ChaCha8Rng {
        let mut key = [0; 32];
        for (bytes, word) in key.chunks_exact_mut(8).zip([self.seed, purpose[0], purpose[1], purpose[2]]) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        ChaCha8Rng::from_seed(key)
    }
}

fn shuffled(count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.shuffle(rng);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_stands_for_one_order_and_another_seed_for_another() {
        let order = |seed| Schedule::new(seed).scenarios(3, 20);
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let mut sorted = order(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn a_round_visits_every_scenario_once_and_a_group_in_one_visit() {
        let groups = [vec![4, 1], vec![0, 5, 2]];
        let visits = |seed, round| Schedule::new(seed).visits(round, 7, &groups);
        for round in 0..20 {
            let visits = visits(3, round);
            assert!(groups.iter().all(|group| visits.contains(group)), "{visits:?}");
            let mut all: Vec<usize> = visits.into_iter().flatten().collect();
            all.sort_unstable();
            assert_eq!(all, (0..7).collect::<Vec<_>>());
        }
        assert_eq!(visits(3, 0), visits(3, 0));
        let orders: std::collections::HashSet<_> = (0..20).map(|seed| visits(seed, 0)).collect();
        assert!(orders.len() > 5, "{orders:?}");
        // Without groups the order is unchanged.
        let alone = Schedule::new(3).visits(2, 7, &[]);
        assert_eq!(alone.concat(), Schedule::new(3).scenarios(2, 7));
    }

    #[test]
    fn phases_differ_from_visit_to_visit_and_follow_from_the_seed() {
        let phases = |seed: u64| -> std::collections::BTreeSet<u32> {
            (0..8)
                .flat_map(|round| (0..4).map(move |scenario| Schedule::new(seed).phase(round, scenario, 0)))
                .collect()
        };
        assert_eq!(phases(1), phases(1));
        assert_eq!(phases(1).len(), 32);
        assert_ne!(Schedule::new(1).phase(0, 0, 0), Schedule::new(1).phase(0, 0, 1));
    }

    #[test]
    fn every_stack_stands_in_every_place_about_equally_often() {
        let mut counts = [[0_u32; 3]; 3];
        let mut next = Schedule::new(7).blocks(0, 0, 0, 3);
        for _ in 0..3_000 {
            for (place, stack) in next().into_iter().enumerate() {
                counts[stack][place] += 1;
            }
        }
        // 1,000 expected; five standard deviations are 129.
        assert!(counts.iter().flatten().all(|count| (871..=1129).contains(count)), "{counts:?}");
    }
}
