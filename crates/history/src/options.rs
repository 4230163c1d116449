//! How readily a change is called one.

use tlslab_stats::Refused;

/// How the series is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How many points there must be on either side of a change; at least 1.
    pub minimum_segment: usize,
    /// The probability that a stretch without a change shows one at one look.
    pub alpha: f64,
    /// How often a new run on the last level may lie beyond the threshold.
    pub new_run_alpha: f64,
    /// Permutations of the test. Values of p below 1/(permutations + 1) come from the tail.
    pub permutations: usize,
    /// Without how many of the last points a change must be found, too.
    pub persistence: usize,
    /// The seed of the RNG.
    pub seed: u64,
}

/// How steps of counts are detected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepOptions {
    /// Smaller steps do not count, as a share.
    pub floor: f64,
    /// How many standard errors of a point a series' band is wide.
    pub band: f64,
    /// How a series of counts that scatter from point to point is cut.
    pub scattered: Options,
}

impl StepOptions {
    pub(crate) fn check(&self) -> Result<(), Refused> {
        self.scattered.check()?;
        for (what, value) in [("the floor", self.floor), ("the band", self.band)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Refused::OutOfRange { what, value, range: "at 0 or above" });
            }
        }
        Ok(())
    }
}

impl Options {
    pub(crate) fn check(&self) -> Result<(), Refused> {
        let refuse = |what, value, range| Err(Refused::OutOfRange { what, value, range });
        for alpha in [self.alpha, self.new_run_alpha] {
            if !(alpha > 0.0 && alpha < 1.0) {
                return refuse("alpha", alpha, "between 0 and 1, both excluded");
            }
        }
        if self.minimum_segment == 0 {
            return refuse("the smallest segment", 0.0, "at 1 or above");
        }
        if self.permutations < LEAST_PERMUTATIONS {
            return refuse("the number of permutations", self.permutations as f64, "at 500 or above");
        }
        Ok(())
    }

    /// How many of the permutations may show a change as large before p can no longer be at or below alpha:
    /// the number that a p of alpha exceeds in only one of 10,000 cases, by the normal bound of the Poisson
    /// distribution.
    pub(crate) fn allowed_exceedances(&self) -> usize {
        let expected = self.alpha * (self.permutations as f64 + 1.0);
        (expected + 4.0 * expected.max(0.1).sqrt()).ceil() as usize
    }
}

/// Fewer do not show a tail.
const LEAST_PERMUTATIONS: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tested::TESTED;

    #[test]
    fn what_cannot_work_is_refused() {
        let good = TESTED;
        // 0.2 are expected.
        assert_eq!((good.check(), good.allowed_exceedances()), (Ok(()), 2));
        for bad in [
            Options { alpha: 0.0, ..good },
            Options { alpha: f64::NAN, ..good },
            Options { minimum_segment: 0, ..good },
            Options { permutations: 499, ..good },
        ] {
            assert!(matches!(bad.check(), Err(Refused::OutOfRange { .. })), "{bad:?}");
        }
        assert_eq!(Options { permutations: 500, ..good }.check(), Ok(()));
    }
}
