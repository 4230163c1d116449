//! A pyramid of aggregates, from which a plot reads a long series at any zoom.

use std::ops::Range;

/// The number of values per node of the lowest level. Shorter windows read the values themselves.
const LOWEST: usize = 4;

/// An aggregate of consecutive values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// The index of the first value, counted from 0.
    pub first: usize,
    /// The number of values.
    pub count: usize,
    /// The minimum.
    pub least: f64,
    /// The mean.
    pub mean: f64,
    /// The maximum.
    pub most: f64,
}

#[derive(Clone, Copy)]
struct Node {
    least: f64,
    sum: f64,
    most: f64,
}

impl Node {
    fn of(values: &[f64]) -> Self {
        let start = Self { least: f64::INFINITY, sum: 0.0, most: f64::NEG_INFINITY };
        values.iter().fold(start, |node, &value| Self {
            least: node.least.min(value),
            sum: node.sum + value,
            most: node.most.max(value),
        })
    }

    fn with(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            sum: self.sum + other.sum,
            most: self.most.max(other.most),
        }
    }
}

/// Values with the minimum, sum and maximum of each 4, 8, 16, … of them. The time to read a window therefore
/// depends only on the number of points requested.
pub struct Pyramid {
    values: Vec<f64>,
    /// Each level has half as many nodes as the one before.
    levels: Vec<Vec<Node>>,
}

impl Pyramid {
    /// A pyramid of values in time order.
    #[must_use]
    pub fn new(values: Vec<f64>) -> Self {
        let mut levels: Vec<Vec<Node>> = Vec::new();
        let mut level: Vec<Node> = values.chunks(LOWEST).map(Node::of).collect();
        while level.len() > 1 {
            let above =
                level.chunks(2).map(|pair| pair.iter().copied().reduce(Node::with).unwrap_or(pair[0]));
            let above = above.collect();
            levels.push(std::mem::replace(&mut level, above));
        }
        levels.push(level);
        Self { values, levels }
    }

    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The memory that it uses, bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let nodes: usize = self.levels.iter().map(Vec::len).sum();
        self.values.len() * size_of::<f64>() + nodes * size_of::<Node>()
    }

    /// Reads a window as at most `most` points (at least one), in order. If the window has no more values,
    /// they are returned singly, else as buckets of equal length, a power of two. The first and the last
    /// bucket are whole, so they may reach beyond the window.
    #[must_use]
    pub fn window(&self, window: Range<usize>, most: usize) -> Vec<Bucket> {
        let (start, end) = (window.start.min(self.len()), window.end.min(self.len()));
        if start >= end {
            return Vec::new();
        }
        let most = most.max(1);
        if end - start <= most {
            let values = self.values[start..end].iter().enumerate();
            return values
                .map(|(at, &value)| Bucket {
                    first: start + at,
                    count: 1,
                    least: value,
                    mean: value,
                    most: value,
                })
                .collect();
        }
        let nodes_at = |level: usize| {
            let length = LOWEST << level;
            start / length..end.div_ceil(length)
        };
        // The highest level has one node.
        let level = (0..self.levels.len()).find(|&level| nodes_at(level).len() <= most);
        let level = level.unwrap_or(self.levels.len() - 1);
        let length = LOWEST << level;
        let bucket = |at: usize| {
            let (first, node) = (at * length, self.levels[level][at]);
            let count = length.min(self.len() - first);
            Bucket { first, count, least: node.least, mean: node.sum / count as f64, most: node.most }
        };
        nodes_at(level).map(bucket).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn few_values_are_themselves_and_many_are_buckets() {
        let pyramid = Pyramid::new((0..10).map(f64::from).collect());
        let all = pyramid.window(0..10, 10);
        assert_eq!(all.len(), 10);
        assert_eq!(all[3], Bucket { first: 3, count: 1, least: 3.0, mean: 3.0, most: 3.0 });
        let buckets = pyramid.window(0..10, 4);
        assert_eq!(
            buckets,
            [
                Bucket { first: 0, count: 4, least: 0.0, mean: 1.5, most: 3.0 },
                Bucket { first: 4, count: 4, least: 4.0, mean: 5.5, most: 7.0 },
                Bucket { first: 8, count: 2, least: 8.0, mean: 8.5, most: 9.0 },
            ]
        );
        assert_eq!(pyramid.window(0..10, 0), pyramid.window(0..10, 1));
        assert_eq!(
            pyramid.window(0..10, 1),
            [Bucket { first: 0, count: 10, least: 0.0, mean: 4.5, most: 9.0 }]
        );
        assert_eq!(pyramid.window(5..5, 9), []);
        assert_eq!(pyramid.window(20..30, 9), []);
        assert!(Pyramid::new(Vec::new()).window(0..1, 1).is_empty());
    }

    proptest! {
        /// Every value of the window is in exactly one bucket, and each bucket has its values' minimum, mean
        /// and maximum.
        #[test]
        fn buckets_are_what_their_values_say(
            values in proptest::collection::vec(-1e9..1e9f64, 1..3000),
            ends in (0usize..3000, 0usize..3000),
            most in 1usize..700,
        ) {
            let pyramid = Pyramid::new(values.clone());
            let window = ends.0.min(ends.1)..ends.0.max(ends.1);
            let buckets = pyramid.window(window.clone(), most);
            let window = window.start.min(values.len())..window.end.min(values.len());
            prop_assert!(buckets.len() <= most);
            // Never coarser than twice what is necessary, and one bucket at each end.
            prop_assert!(window.len() <= most || buckets.len() + 2 >= most / 2 || window.len() < most * LOWEST);
            let mut next = None;
            for bucket in &buckets {
                prop_assert!(next.is_none_or(|next| next == bucket.first));
                let of = &values[bucket.first..bucket.first + bucket.count];
                next = Some(bucket.first + bucket.count);
                prop_assert_eq!(bucket.least, of.iter().copied().fold(f64::INFINITY, f64::min));
                prop_assert_eq!(bucket.most, of.iter().copied().fold(f64::NEG_INFINITY, f64::max));
                let mean = of.iter().sum::<f64>() / of.len() as f64;
                prop_assert!((bucket.mean - mean).abs() <= 1e-3);
            }
            if !window.is_empty() {
                prop_assert!(buckets[0].first <= window.start);
                prop_assert!(next.unwrap() >= window.end);
            }
        }
    }
}
