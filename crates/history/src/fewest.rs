//! How many points it takes to see a step at all.

use crate::divisive::{LOOSER, arrangements};
use crate::stretch::comparable;
use crate::{Options, Point};

/// The number of comparable points from which a step can be found in a series that scatters. Random order
/// puts the values in the order of a step once in so many orders; that must not be more often than
/// `options.alpha`, nor without the last `options.persistence` points more often than ten times that. A step
/// that is not in the middle takes more points.
#[must_use]
pub fn fewest_points(options: &Options) -> usize {
    let is_rare = |n: usize, alpha: f64| {
        let is_long =
            |before: usize| before >= options.minimum_segment && n - before >= options.minimum_segment;
        // The middle has the most orders.
        is_long(n / 2) && 1.0 / arrangements(n, n / 2) <= alpha
    };
    let looser = (options.alpha * LOOSER).min(0.5);
    let is_enough = |n: &usize| {
        is_rare(*n, options.alpha)
            && (options.persistence == 0 || is_rare(n.saturating_sub(options.persistence), looser))
    };
    (1..MOST).find(is_enough).unwrap_or(MOST)
}

/// The number of points in the longest comparable part of a series.
#[must_use]
pub fn most_comparable(points: &[Point]) -> usize {
    points.chunk_by(comparable).map(<[Point]>::len).max().unwrap_or(0)
}

/// Points with more orders than any alpha above 0 requires.
const MOST: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segments;
    use crate::tested::TESTED;

    fn points(n: usize) -> Vec<Point> {
        let point = |at: usize| Point {
            value: if at < n / 2 { 100.0 } else { 200.0 } + 0.01 * (at * 7 % 5) as f64,
            seen: None,
            reference: None,
            epoch: String::new(),
            definition: String::new(),
            label: String::new(),
        };
        (0..n).map(point).collect()
    }

    #[test]
    fn no_step_is_found_with_fewer_points_and_the_clearest_with_a_few_more() {
        for alpha in [0.01, 0.001, 0.0001] {
            let options = Options { alpha, persistence: 1, ..TESTED };
            let has_step = |n: &usize| !segments(&points(*n), &options).unwrap().changes.is_empty();
            let (needed, found) = (fewest_points(&options), (2..40).find(has_step).unwrap());
            assert!((needed..=needed + 3).contains(&found), "{alpha}: {needed} are needed, {found} found it");
        }
    }

    #[test]
    fn worked_by_hand() {
        // 16 values have 12,870 orders of eight and eight; 15 have 6,435.
        let options = Options { alpha: 0.0001, minimum_segment: 3, persistence: 1, ..TESTED };
        assert_eq!(fewest_points(&options), 16);
        assert_eq!(fewest_points(&Options { minimum_segment: 20, ..options }), 41);
        assert_eq!(fewest_points(&Options { alpha: 1e-300, ..options }), 1_000);
    }

    #[test]
    fn points_of_other_epochs_do_not_count() {
        let mut all = points(9);
        all[3].epoch = "other".to_owned();
        assert_eq!(most_comparable(&all), 5);
        assert_eq!(most_comparable(&[]), 0);
    }
}
