//! The next revision to build. Pure.

use crate::bisect::search::{Known, Next, next as halve};

/// The next step, if the last revision is bad. If no revision is known to be good, it searches backwards and
/// doubles the distance each time. `None`: no revision is left to try.
pub(super) fn next(known: &[Option<Known>]) -> Option<Next> {
    if known.contains(&Some(Known::Good)) {
        return Some(halve(known));
    }
    let last = known.len().saturating_sub(1);
    let oldest_tried = known.iter().position(Option::is_some).unwrap_or(last);
    let back = 2 * (last - oldest_tried).max(1).next_power_of_two();
    let at = match last - oldest_tried {
        0 => last.checked_sub(1)?,
        _ if oldest_tried == 0 || back > FURTHEST => return None,
        _ => last.saturating_sub(back),
    };
    Some(Next::Try(at))
}

/// How far back it searches for a good one.
const FURTHEST: usize = 4096;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn search(count: usize, first_bad: usize) -> (Option<Next>, Vec<usize>) {
        let mut known = vec![None; count];
        known[count - 1] = Some(Known::Bad);
        let mut tried = Vec::new();
        loop {
            match next(&known) {
                Some(Next::Try(at)) => {
                    tried.push(at);
                    known[at] = Some(if at < first_bad { Known::Good } else { Known::Bad });
                }
                end => return (end, tried),
            }
        }
    }

    #[test]
    fn a_good_one_is_looked_for_further_and_further_back() {
        assert_eq!(search(1000, 990), (Some(Next::Found(990)), vec![998, 997, 995, 991, 983, 987, 989, 990]));
        assert_eq!(search(4, 0), (None, vec![2, 1, 0]));
        assert_eq!(search(1, 0), (None, vec![]));
        assert_eq!(search(20_000, 0).1.len(), 13);
    }

    proptest! {
        #[test]
        fn the_first_bad_one_is_found(count in 2_usize..3000, place in 0_usize..3000) {
            let first_bad = 1 + place % (count - 1);
            let (end, tried) = search(count, first_bad);
            prop_assert_eq!(end, Some(Next::Found(first_bad)));
            prop_assert!(tried.len() <= 24);
        }
    }
}
