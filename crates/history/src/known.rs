//! Series that were cut before: a service reads its history again whenever there is a newer run, and most
//! series have no newer point then.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{History, Options, Point};

/// Series of a generation, each with about a kilobyte; there are two generations.
const MOST: usize = 20_000;

static KNOWN: Mutex<Option<Generations>> = Mutex::new(None);

/// The newer results, and those before: results that are still asked for stay.
#[derive(Default)]
struct Generations {
    young: HashMap<Key, History>,
    old: HashMap<Key, History>,
}

/// What a result follows from, in 128 bits.
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

    /// What was found, if it was asked before.
    pub(crate) fn recall(self) -> Option<History> {
        let known = locked();
        let known = known.as_ref()?;
        known.young.get(&self).or_else(|| known.old.get(&self)).cloned()
    }

    pub(crate) fn remember(self, history: &History) {
        let mut known = locked();
        let known = known.get_or_insert_default();
        if known.young.len() >= MOST {
            known.old = std::mem::take(&mut known.young);
        }
        known.young.insert(self, history.clone());
    }
}

fn locked() -> MutexGuard<'static, Option<Generations>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tested::TESTED;

    #[test]
    fn a_result_is_remembered_for_its_very_input() {
        let point = |at: usize| Point {
            value: 100.0 + (at * 7 % 11) as f64 + if at < 20 { 0.0 } else { 50.0 },
            seen: None,
            reference: None,
            epoch: "e".to_owned(),
            definition: "d".to_owned(),
            label: at.to_string(),
        };
        let points: Vec<Point> = (0..40).map(point).collect();
        let key = Key::of(&points, &TESTED);
        let found = crate::segments(&points, &TESTED).unwrap();
        assert!(key.recall() == Some(found.clone()) && found.segments.len() == 2, "{found:?}");
        // What is remembered is the answer.
        let marked = History { threshold: Some(17.0), ..found.clone() };
        key.remember(&marked);
        assert_eq!(crate::segments(&points, &TESTED).unwrap(), marked);
        key.remember(&found);
        let mut others = vec![points[..39].to_vec()];
        for change in [
            |point: &mut Point| point.value += 1e-9,
            |point: &mut Point| point.reference = Some(1.0),
            |point: &mut Point| point.epoch.push('x'),
            |point: &mut Point| point.definition.push('x'),
            |point: &mut Point| point.label.push('x'),
            |point: &mut Point| point.seen = Some(crate::Seen { lower: 1.0, upper: 2.0, n: 3 }),
        ] {
            let mut other = points.clone();
            change(&mut other[7]);
            others.push(other);
        }
        assert!(others.iter().all(|other| Key::of(other, &TESTED) != key));
        for options in [Options { seed: TESTED.seed + 1, ..TESTED }, Options { alpha: 0.5, ..TESTED }] {
            assert!(Key::of(&points, &options) != key);
        }
    }
}
