//! Arrival schedules. They are pure: a schedule depends only on its rate, kind and seed.

use tlslab_protocol::Arrivals;

/// Intended times of arrival, ns from the beginning, ascending and endless.
pub(super) struct Schedule {
    rate: u32,
    arrivals: Arrivals,
    random: SplitMix,
    /// The arrivals so far.
    number: u64,
    /// The time of the last one, if gaps are random.
    last_ns: f64,
}

impl Schedule {
    /// `rate` arrivals per second, at least one.
    pub(super) fn new(rate: u32, arrivals: Arrivals, seed: u64) -> Self {
        Self { rate: rate.max(1), arrivals, random: SplitMix(seed), number: 0, last_ns: 0.0 }
    }

    /// The mean gap, ns.
    pub(super) fn gap_ns(&self) -> f64 {
        1e9 / f64::from(self.rate)
    }
}

impl Iterator for Schedule {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let number = self.number;
        self.number += 1;
        Some(match self.arrivals {
            // Computed from the number, so that rounding errors do not add up.
            Arrivals::Fixed => (u128::from(number) * 1_000_000_000 / u128::from(self.rate)) as u64,
            Arrivals::Poisson => {
                self.last_ns -= self.gap_ns() * self.random.uniform().ln();
                self.last_ns as u64
            }
        })
    }
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
struct SplitMix(u64);

impl SplitMix {
    /// A uniform number above 0 and at most 1.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((mixed >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_gaps_add_up_to_the_rate_exactly() {
        let times: Vec<u64> = Schedule::new(3, Arrivals::Fixed, 0).take(7).collect();
        assert_eq!(
            times,
            [0, 333_333_333, 666_666_666, 1_000_000_000, 1_333_333_333, 1_666_666_666, 2_000_000_000]
        );
    }

    #[test]
    fn random_gaps_are_exponential_and_follow_from_the_seed() {
        let of = |seed| Schedule::new(1_000, Arrivals::Poisson, seed);
        const COUNT: usize = 200_000;
        let times: Vec<u64> = of(7).take(COUNT).collect();
        assert_eq!(times, of(7).take(COUNT).collect::<Vec<_>>());
        assert_ne!(times[0], of(8).next().unwrap());
        let gaps = || times.windows(2).map(|two| (two[1] - two[0]) as f64 / 1e6);
        let count = (COUNT - 1) as f64;
        let mean = gaps().sum::<f64>() / count;
        let variance = gaps().map(|gap| (gap - mean).powi(2)).sum::<f64>() / count;
        // Mean and standard deviation of an exponential distribution are equal; five standard errors are 1.1
        // % and 1.6 %.
        assert!((mean - 1.0).abs() < 0.011, "{mean}");
        assert!((variance.sqrt() - 1.0).abs() < 0.016, "{variance}");
        // One in e is longer than the mean.
        let longer = gaps().filter(|gap| *gap > 1.0).count() as f64 / count;
        assert!((longer - (-1.0_f64).exp()).abs() < 0.006, "{longer}");
    }
}
