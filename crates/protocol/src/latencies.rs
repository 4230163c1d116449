//! Histogram of the times of single iterations, with buckets that are narrow relative to their values.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Buckets per power of two: none is wider than 1/128 of its lower bound.
const BITS: u32 = 7;

/// Counts per bucket. Below 128 ns every nanosecond has a bucket of its own. Above that, each power of two is
/// divided into 128 buckets of equal width. Buckets are numbered from 0 without gaps.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(transparent)]
pub struct Latencies {
    /// Pairs of a bucket's number and its iterations, in ascending order of the numbers, without empty
    /// buckets.
    pub counts: Vec<(u32, u64)>,
}

impl Latencies {
    /// The number of buckets. They cover every time up to 2^40 ns, 18 minutes; longer times count in the last
    /// one.
    pub const BUCKETS: usize = Self::bucket((1 << 40) - 1) as usize + 1;

    /// The number of the bucket that holds a time, ns.
    pub const fn bucket(ns: u64) -> u32 {
        if ns < 1 << BITS {
            return ns as u32;
        }
        let ns = if ns >= 1 << 40 { (1 << 40) - 1 } else { ns };
        let shift = 63 - ns.leading_zeros() - BITS;
        (shift << BITS) + (ns >> shift) as u32
    }

    /// A bucket's bounds, ns: the smallest time that it holds, and the smallest one above it.
    pub fn bounds(bucket: u32) -> (u64, u64) {
        if bucket < 1 << BITS {
            return (u64::from(bucket), u64::from(bucket) + 1);
        }
        // A number beyond the last bucket is treated as the last.
        let bucket = bucket.min(Self::BUCKETS as u32 - 1);
        let shift = (bucket >> BITS) - 1;
        let from = u64::from(bucket - (shift << BITS)) << shift;
        (from, from + (1 << shift))
    }

    /// Whether the histogram is empty.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The number of iterations counted.
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_have_no_gaps_and_hold_what_is_put_into_them() {
        let mut last = 0;
        for ns in (0..1 << 16)
            .chain((16..40).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + (1 << (bit - 1))]))
        {
            let bucket = Latencies::bucket(ns);
            let (from, to) = Latencies::bounds(bucket);
            assert!((from..to).contains(&ns), "{ns} in {from}..{to}");
            assert!(to - from <= 1.max(from / 128));
            assert!(ns >= 1 << 16 || bucket == last || bucket == last + 1, "{last} then {bucket}");
            last = bucket;
        }
    }

    #[test]
    fn what_is_longer_than_all_buckets_is_in_the_last() {
        assert_eq!(Latencies::bucket(u64::MAX) as usize, Latencies::BUCKETS - 1);
        assert_eq!(Latencies::bounds(u32::MAX), Latencies::bounds(Latencies::BUCKETS as u32 - 1));
        assert_eq!(Latencies::bucket(127), 127);
        assert_eq!(Latencies::bucket(128), 128);
        assert_eq!(Latencies::bucket(257), 256);
        assert_eq!(Latencies::bounds(256), (256, 258));
    }
}
