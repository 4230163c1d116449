//! A group sequential design: looks at a comparison before it is complete, without more false alarms.
//!
//! Four uncorrected looks would more than double the rate of false alarms. Here each look has a boundary, and
//! the probability of crossing any of them without a change is alpha.

use crate::Refused;
use crate::brownian::Paths;
use crate::normal::{normal_cdf, normal_quantile};
use crate::refused::open_unit;

/// The looks of a design, and the |z| from which each stops.
///
/// z is that of a statistic whose information grows with n, such as [`crate::EffectTest::z`] of all values so
/// far. Only crossing a boundary stops for a change. Stopping early for another reason only makes false
/// alarms rarer.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequential {
    looks: Vec<usize>,
    stages: Vec<Stage>,
}

/// One look.
#[derive(Clone, Debug, PartialEq)]
struct Stage {
    /// The |z| from which it stops.
    boundary: f64,
    /// The probability that an earlier look has stopped although nothing has changed.
    spent_before: f64,
    /// The paths that no earlier look has stopped.
    paths: Paths,
}

impl Sequential {
    /// The two-sided design at level `alpha` that looks after each n in `looks` (ascending, above 0).
    ///
    /// Until n it spends 2 − 2·Φ(z(1 − alpha/2)/√t) with t = n over the last n, which gives about the
    /// boundaries of O'Brien and Fleming and the whole of alpha at the end. A look at which less than
    /// alpha/10 000 would be spent does not stop (its boundary is infinite) and leaves that to the next: so
    /// far out no statistic is normal enough. Sources: Lan & DeMets, "Discrete sequential boundaries for
    /// clinical trials", Biometrika 70 (1983); O'Brien & Fleming, "A multiple testing procedure for clinical
    /// trials", Biometrics 35 (1979).
    ///
    /// # Errors
    /// Fails with [`Refused::TooFew`] if there are no looks, and with [`Refused::OutOfRange`] for looks that
    /// do not ascend, or an `alpha` that is not between 0 and 1.
    pub fn obrien_fleming(looks: &[usize], alpha: f64) -> Result<Self, Refused> {
        open_unit("alpha", alpha)?;
        ascending(looks)?;
        let end = looks.len() - 1;
        let reach = normal_quantile(1.0 - alpha / 2.0);
        let share = |n: usize| n as f64 / looks[end] as f64;
        let (mut stages, mut spent_before) = (Vec::with_capacity(looks.len()), 0.0);
        let mut paths = Paths::to_first_look(share(looks[0]));
        for (look, &n) in looks.iter().enumerate() {
            let until_now = if look == end { alpha } else { 2.0 * normal_cdf(-reach / share(n).sqrt()) };
            let now = until_now - spent_before;
            let boundary =
                if look < end && now < alpha * SMALLEST_SHARE { f64::INFINITY } else { paths.boundary(now) };
            let spent = spent_before + paths.crossing(boundary);
            let onwards = looks.get(look + 1).map(|&next| paths.to_next_look(boundary, share(next)));
            stages.push(Stage { boundary, spent_before, paths });
            let Some(onwards) = onwards else { break };
            (paths, spent_before) = (onwards, spent);
        }
        Ok(Self { looks: looks.to_vec(), stages })
    }

    /// The number of values at each look, ascending.
    pub fn looks(&self) -> &[usize] {
        &self.looks
    }

    /// |z| at or above which look `look` (counted from 0) stops; infinite for a look that never does.
    ///
    /// # Panics
    /// Panics if there is no such look.
    pub fn boundary(&self, look: usize) -> f64 {
        self.stages[look].boundary
    }

    /// The two-sided p-value of a comparison that ended at look `look` (counted from 0) with `z`.
    ///
    /// Uses the stagewise ordering: a comparison that stopped at an earlier look is more extreme, and at the
    /// same look one with a larger |z|. It is at most alpha exactly if a boundary was reached. Sources:
    /// Armitage, "Restricted sequential procedures", Biometrika 44 (1957); Fairbanks & Madsen, "P values for
    /// tests using a repeated significance test design", Biometrika 69 (1982). NaN gives NaN.
    ///
    /// # Panics
    /// Panics if there is no such look.
    pub fn p_value(&self, look: usize, z: f64) -> f64 {
        let stage = &self.stages[look];
        let p = stage.spent_before + stage.paths.crossing(z.abs());
        if p > 1.0 { 1.0 } else { p }
    }
}

fn ascending(looks: &[usize]) -> Result<(), Refused> {
    if looks.is_empty() {
        return Err(Refused::TooFew { n: 0, needed: 1 });
    }
    let mut before = 0;
    for &look in looks {
        if look <= before {
            let range = "above 0 and above the look before it";
            return Err(Refused::OutOfRange { what: "a look", value: look as f64, range });
        }
        before = look;
    }
    Ok(())
}

/// The share of alpha below which a look spends nothing.
const SMALLEST_SHARE: f64 = 1e-4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_looks_that_double() {
        let design = Sequential::obrien_fleming(&[20, 40, 80, 160], 0.005).unwrap();
        assert_eq!(design.looks(), [20, 40, 80, 160]);
        assert_eq!([design.boundary(0), design.boundary(1)], [f64::INFINITY; 2]);
        // z(0.9975)/√½ = 3.9697 for the first that spends; the last is a little above z(0.9975) = 2.8070.
        assert!((design.boundary(2) - 3.9697).abs() < 1e-4, "{}", design.boundary(2));
        assert!((2.807..2.811).contains(&design.boundary(3)), "{}", design.boundary(3));
    }

    #[test]
    fn one_look_is_a_plain_test() {
        let design = Sequential::obrien_fleming(&[32], 0.05).unwrap();
        assert!((design.boundary(0) - 1.959_963_984_540_054).abs() < 1e-9);
        assert!((design.p_value(0, -1.0) - 2.0 * normal_cdf(-1.0)).abs() < 1e-12);
    }

    #[test]
    fn p_is_alpha_at_the_last_boundary_and_what_is_spent_at_the_first() {
        let design = Sequential::obrien_fleming(&[16, 32], 0.05).unwrap();
        let first = 2.0 * normal_cdf(-normal_quantile(0.975) / 0.5_f64.sqrt());
        assert!((design.p_value(0, design.boundary(0)) - first).abs() < 1e-9);
        assert!((design.p_value(1, design.boundary(1)) - 0.05).abs() < 1e-9);
        assert!((design.p_value(1, f64::INFINITY) - first).abs() < 1e-9, "an earlier stop is more extreme");
        assert!((design.p_value(1, 0.0) - 1.0).abs() < 1e-7);
        assert!(design.p_value(1, f64::NAN).is_nan());
    }

    #[test]
    fn awkward_designs_are_refused() {
        assert_eq!(Sequential::obrien_fleming(&[], 0.05), Err(Refused::TooFew { n: 0, needed: 1 }));
        for looks in [[0, 1], [3, 3], [4, 2]] {
            assert!(matches!(Sequential::obrien_fleming(&looks, 0.05), Err(Refused::OutOfRange { .. })));
        }
        for alpha in [0.0, 1.0, f64::NAN] {
            assert!(matches!(Sequential::obrien_fleming(&[1], alpha), Err(Refused::OutOfRange { .. })));
        }
    }
}
