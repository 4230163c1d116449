//! One stack's layouts; every job draws its own.

use std::cell::RefCell;
use std::path::PathBuf;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use tlslab_lab::compare::Places;

/// Layouts of one program, drawn again for each stage: both stacks of a pair get different ones.
pub(crate) struct Pool {
    layouts: Vec<PathBuf>,
    rng: RefCell<ChaCha8Rng>,
}

impl Pool {
    /// From layouts and a seed. Without layouts both run the stack's own program.
    pub(crate) fn new(layouts: Vec<PathBuf>, seed: u64) -> Self {
        Self { layouts, rng: RefCell::new(ChaCha8Rng::seed_from_u64(seed)) }
    }
}

impl Places for Pool {
    fn layouts(&self, _: u32, count: u32) -> anyhow::Result<Vec<Vec<PathBuf>>> {
        let half = self.layouts.len() / 2;
        let mut dealt = self.layouts.clone();
        dealt.shuffle(&mut *self.rng.borrow_mut());
        let (baseline, candidate) = dealt.split_at(half);
        let take = |hand: &[PathBuf]| {
            hand.iter().cycle().take(if half == 0 { 0 } else { count as usize }).cloned().collect()
        };
        Ok(vec![take(baseline), take(candidate)])
    }

    fn moves(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn both_get_layouts_of_their_own() {
        let all: Vec<PathBuf> = (0..64).map(|at| PathBuf::from(at.to_string())).collect();
        let pool = Pool::new(all, 1);
        let dealt = pool.layouts(0, 16).unwrap();
        let every: HashSet<_> = dealt.iter().flatten().collect();
        assert_eq!((dealt[0].len(), dealt[1].len(), every.len()), (16, 16, 32));
        assert_ne!(dealt, pool.layouts(0, 16).unwrap());
        assert_eq!(Pool::new(vec![], 1).layouts(0, 4).unwrap(), [Vec::<PathBuf>::new(), vec![]]);
    }
}
