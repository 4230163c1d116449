//! Series that were cut before: a service reads its history again whenever there is a newer run, and most
//! series have no newer point then.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Options, Point};

/// Series of a generation, each with about a kilobyte; there are two generations.
const MOST: usize = 20_000;

/// Cached results of series; results that are not requested are dropped first.
pub(crate) struct Known<T>(Mutex<Option<Generations<T>>>);

/// The newer results, and those before them.
struct Generations<T> {
    young: HashMap<Key, T>,
    old: HashMap<Key, T>,
}

/// The digest of a result's inputs, in 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key(u64, u64);

impl Key {
    pub(crate) fn of(points: &[Point], options: &Options) -> Self {
        let half = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            salt.hash(&mut hasher);
            let Options { minimum_segment, alpha, new_run_alpha, permutations, persistence, seed } = options;
            (minimum_segment, permutations, persistence, seed).hash(&mut hasher);
            (alpha.to_bits(), new_run_alpha.to_bits()).hash(&mut hasher);
            for Point { value, seen, reference, epoch, definition, label } in points {
                let seen = seen.map(|seen| (seen.lower.to_bits(), seen.upper.to_bits(), seen.n));
                (value.to_bits(), seen, reference.map(f64::to_bits)).hash(&mut hasher);
                (epoch, definition, label).hash(&mut hasher);
            }
            hasher.finish()
        };
        Self(half(0), half(1))
    }
}

impl<T: Clone> Known<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// The cached result for this key, if there is one.
    pub(crate) fn recall(&self, key: Key) -> Option<T> {
        let known = self.locked();
        let known = known.as_ref()?;
        known.young.get(&key).or_else(|| known.old.get(&key)).cloned()
    }

    pub(crate) fn remember(&self, key: Key, found: &T) {
        let mut known = self.locked();
        let empty = || Generations { young: HashMap::new(), old: HashMap::new() };
        let known = known.get_or_insert_with(empty);
        if known.young.len() >= MOST {
            known.old = std::mem::take(&mut known.young);
        }
        known.young.insert(key, found.clone());
    }

    fn locked(&self) -> MutexGuard<'_, Option<Generations<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
