//! The next revision to try. Pure.

use serde::{Deserialize, Serialize};

/// The state of a revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Known {
    /// It does not contain the change.
    Good,
    /// It contains the change.
    Bad,
    /// It could not be tried, or its measurements were inconclusive.
    Skipped(String),
}

/// The state of the search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Next {
    /// Try this revision, one of so many candidates.
    Try(usize),
    /// The change came with this revision.
    Found(usize),
    /// It came with one of these; all but the last could not be tried.
    OneOf(std::ops::RangeInclusive<usize>),
}

/// The next step, if revision 0 is good and the last one is bad: the middle one, or if that could not be
/// tried, the nearest to it.
pub(crate) fn next(known: &[Option<Known>]) -> Next {
    let last = known.len().saturating_sub(1);
    let is = |at: usize, wanted: &Known| known[at].as_ref() == Some(wanted);
    let low = (0..=last).rev().find(|at| is(*at, &Known::Good)).unwrap_or(0);
    let high = (low..=last).find(|at| is(*at, &Known::Bad)).unwrap_or(last);
    let middle = (low + high) / 2;
    let untried = (low + 1..high).filter(|at| known[*at].is_none());
    match untried.min_by_key(|at| (at.abs_diff(middle), *at)) {
        Some(at) => Next::Try(at),
        None if high == low + 1 => Next::Found(high),
        None => Next::OneOf(low + 1..=high),
    }
}

/// About how many revisions remain to be tried.
pub(crate) fn steps_left(known: &[Option<Known>]) -> u32 {
    let last = known.len().saturating_sub(1);
    let low = (0..=last).rev().find(|at| known[*at] == Some(Known::Good)).unwrap_or(0);
    let high = (low..=last).find(|at| known[*at] == Some(Known::Bad)).unwrap_or(last);
    let untried = (low + 1..high).filter(|at| known[*at].is_none()).count();
    usize::BITS - untried.leading_zeros()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn search(count: usize, first_bad: usize, skipped: &dyn Fn(usize) -> bool) -> (Next, usize) {
        let mut known = vec![None; count];
        known[0] = Some(Known::Good);
        known[count - 1] = Some(Known::Bad);
        let mut tried = 0;
        loop {
            match next(&known) {
                Next::Try(at) => {
                    tried += 1;
                    known[at] = Some(match skipped(at) {
                        true => Known::Skipped("does not build".to_owned()),
                        false if at < first_bad => Known::Good,
                        false => Known::Bad,
                    });
                }
                end => return (end, tried),
            }
        }
    }

    #[test]
    fn sixty_four_revisions_take_six_steps() {
        for first_bad in 1..=64 {
            let (end, tried) = search(65, first_bad, &|_| false);
            assert_eq!(end, Next::Found(first_bad));
            assert!(tried <= 6, "{tried} for {first_bad}");
        }
        assert_eq!(steps_left(&[Some(Known::Good), None, None, None, Some(Known::Bad)]), 2);
    }

    #[test]
    fn what_does_not_build_leaves_a_range() {
        let (end, _) = search(10, 5, &|at| (4..=5).contains(&at));
        assert_eq!(end, Next::OneOf(4..=6));
        let (end, _) = search(10, 5, &|at| at == 7);
        assert_eq!(end, Next::Found(5));
        let (end, _) = search(3, 1, &|_| true);
        assert_eq!(end, Next::OneOf(1..=2));
    }

    proptest! {
        #[test]
        fn the_answer_always_has_the_first_bad_one(
            count in 2_usize..200, place in 0_usize..200, skipped in proptest::collection::vec(any::<bool>(), 200),
        ) {
            let first_bad = 1 + place % (count - 1);
            let (end, tried) = search(count, first_bad, &|at| skipped[at]);
            prop_assert!(tried < count);
            match end {
                Next::Found(at) => prop_assert_eq!(at, first_bad),
                Next::OneOf(range) => prop_assert!(range.contains(&first_bad)),
                Next::Try(_) => prop_assert!(false),
            }
        }
    }
}
