//! The power of a comparison's whole rule: looks, early stopping, false discovery rate and confirmation.
//!
//! It is lower than that of a test of one cell. The cell competes with all others, measuring may stop early
//! because its change is held negligible, and a change that was found must also be confirmed.
//! negligible before all is measured, and what is found has to be found once more.

use std::f64::consts::SQRT_2;

use crate::minimum_effect::{HODGES_LEHMANN_EFFICIENCY, POWER};
use crate::normal::{normal_cdf, normal_quantile};
use crate::ranks::LARGEST_EXACT_N;
use crate::ranks::untied_tails;
use crate::refused::open_unit;
use crate::{Refused, Sequential};

/// The whole rule, for one cell that changed among others that did not.
#[derive(Clone, Debug)]
pub struct WholeRule {
    /// After how many values each look is, with what it does.
    looks: Vec<Look>,
    /// Samples of the standardised increments of the sum and of the relative error of the interval's width,
    /// two per look at each point.
    gains: Vec<f64>,
    /// Changes up to this do not count, as a log ratio.
    floor: f64,
    /// The square root of the number of confirming values, and how far above the floor their centre must lie,
    /// in standard deviations of one value; `None` without a confirmation.
    confirmation: Option<(f64, f64)>,
}

/// The parameters of a rule; see [`WholeRule::of`].
#[derive(Clone, Copy, Debug)]
pub struct WholeRuleTerms {
    /// The smallest change of interest, as a log ratio.
    pub floor: f64,
    /// A cell whose interval lies within ± this is not measured further, as a log ratio.
    pub negligible: f64,
    /// The confidence of that interval, 0 to 1.
    pub confidence: f64,
    /// The false discovery rate, 0 to 1.
    pub false_discovery_rate: f64,
    /// The number of cells in the comparison.
    pub cells: usize,
    /// The number of values of the confirmation.
    pub confirmation: usize,
    /// The one-sided level of the confirmation, 0 to 1.
    pub confirmation_alpha: f64,
}

#[derive(Clone, Copy, Debug)]
struct Look {
    /// The square root of the effective number of values: n times the efficiency of the Hodges–Lehmann
    /// estimate.
    root_n: f64,
    /// How far above the floor a centre stops the cell, in standard deviations of one value; any, at the last
    /// look.
    stops_at: f64,
    /// The centre from which the cell is flagged if it stops there.
    flags_at: f64,
    /// The distance from 0 within which a centre stops the cell: `negligible` less the interval's half width,
    /// which is given in standard deviations of one value.
    negligible: f64,
    half_width: f64,
    /// The relative standard deviation of that half width.
    width_varies: f64,
}

impl WholeRule {
    /// Combines a sequential design with the steps before and after it.
    ///
    /// A cell that changed alone has the smallest p-value of all and is flagged if p ≤ rate / cells (the
    /// first step of Benjamini and Hochberg's procedure).
    ///
    /// # Errors
    /// Fails with [`Refused::OutOfRange`] for a confidence, rate or level that is not between 0 and 1, and
    /// with [`Refused::TooFew`] if there are no cells.
    pub fn of(design: &Sequential, terms: WholeRuleTerms) -> Result<Self, Refused> {
        let rate = open_unit("the false discovery rate", terms.false_discovery_rate)?;
        let outside = 1.0 - open_unit("confidence", terms.confidence)?;
        let alpha = open_unit("the level of the confirmation", terms.confirmation_alpha)?;
        if terms.cells == 0 {
            return Err(Refused::TooFew { n: 0, needed: 1 });
        }
        let p = rate / terms.cells as f64;
        let last = design.looks().len() - 1;
        let look = |(at, n): (usize, &usize)| Look {
            root_n: (HODGES_LEHMANN_EFFICIENCY * *n as f64).sqrt(),
            stops_at: if at == last { f64::NEG_INFINITY } else { centre_with(*n, design.boundary(at)) },
            flags_at: centre_with(*n, flags_at(design, at, p)),
            negligible: terms.negligible.max(terms.floor),
            half_width: centre_with(*n, -normal_quantile(outside / 2.0)),
            width_varies: 1.0 / (2.0 * *n as f64).sqrt(),
        };
        let confirming = (HODGES_LEHMANN_EFFICIENCY * terms.confirmation as f64).sqrt();
        let confirms_at = centre_with(terms.confirmation, -normal_quantile(alpha));
        Ok(Self {
            looks: design.looks().iter().enumerate().map(look).collect(),
            gains: evenly_spread_normals(2 * design.looks().len()),
            floor: terms.floor,
            confirmation: (terms.confirmation > 0).then_some((confirming, confirms_at)),
        })
    }

    /// The probability (0 to 1) that a change of `effect` (a log ratio) is found and confirmed if values have
    /// the standard deviation `deviation`.
    ///
    /// The centre of n values is taken as normal with variance deviation² / (n·3/π), its increments between
    /// looks as independent, and the test's statistic as its expectation given that centre. The result is the
    /// mean over the points of a lattice that fill the unit cube evenly (Roberts, "The unreasonable
    /// effectiveness of quasirandom sequences", 2018), so that it is deterministic.
    ///
    /// # Errors
    /// Fails with [`Refused::OutOfRange`] for a `deviation` that is not finite and above 0.
    pub fn power(&self, effect: f64, deviation: f64) -> Result<f64, Refused> {
        if !(deviation > 0.0 && deviation.is_finite()) {
            let range = "above 0, and finite";
            return Err(Refused::OutOfRange { what: "the standard deviation", value: deviation, range });
        }
        let points = self.gains.chunks_exact(2 * self.looks.len());
        let found = points.filter(|gains| self.finds(effect, deviation, gains)).count();
        let confirmed = self
            .confirmation
            .map_or(1.0, |(root_n, reach)| normal_cdf(((effect - self.floor) / deviation - reach) * root_n));
        Ok(found as f64 / POINTS as f64 * confirmed)
    }

    /// The smallest change that is found and confirmed with a power of 80 %, as a share (0.01 is 1 %); `None`
    /// if no change can be flagged.
    pub fn detectable_share(&self, deviation: f64) -> Option<f64> {
        self.detectable(deviation).ok().filter(|effect| effect.is_finite()).map(f64::exp_m1)
    }

    /// The smallest change that is found and confirmed with a power of 80 %, as a log ratio; infinite if no
    /// change can be flagged. A `deviation` of 0 is allowed: any change above the floor is then found.
    ///
    /// # Errors
    /// Fails as [`WholeRule::power`] does, except for a `deviation` of 0.
    pub fn detectable(&self, deviation: f64) -> Result<f64, Refused> {
        if deviation == 0.0 {
            return Ok(self.floor);
        }
        let (mut low, mut high) = (self.floor, self.floor + FARTHEST * deviation);
        if self.power(high, deviation)? < POWER {
            return Ok(f64::INFINITY);
        }
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(low, high);
            if self.power(middle, deviation)? < POWER { low = middle } else { high = middle }
        }
        Ok(high)
    }

    fn finds(&self, effect: f64, deviation: f64, gains: &[f64]) -> bool {
        // The sum of what was seen, in standard deviations, with as much variance as root_n².
        let (mut sum, mut seen) = (0.0, 0.0);
        for (look, drawn) in self.looks.iter().zip(gains.chunks_exact(2)) {
            let [gain, width] = [drawn[0], drawn[1]];
            let information = look.root_n * look.root_n;
            sum += (information - seen).sqrt() * gain;
            seen = information;
            let estimate = effect + deviation * sum / information;
            let above = (estimate - self.floor) / deviation;
            let below = (-estimate - self.floor) / deviation;
            // As wide as the values happen to scatter: σ̂/σ has a deviation of about 1/√(2n).
            let half_width = look.half_width * deviation * (1.0 + width * look.width_varies);
            let is_negligible = estimate.abs() + half_width < look.negligible;
            if above.max(below) >= look.stops_at || is_negligible {
                return above >= look.flags_at;
            }
        }
        false
    }
}

/// The z at which a look's p-value is `p`; infinite where it is never so small.
fn flags_at(design: &Sequential, look: usize, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, LARGEST_Z);
    if design.p_value(look, high) > p {
        return f64::INFINITY;
    }
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        if design.p_value(look, middle) > p { low = middle } else { high = middle }
    }
    high
}

/// Where the centre of `n` normal values lies, in their standard deviations, if the signed-rank test gives
/// them this `z`; infinite where it gives so much to none.
///
/// The statistic T grows less than in proportion to the centre: E T = n(n−1)/2·Φ(√2·θ) + n·Φ(θ). Source:
/// Lehmann, "Nonparametrics" (1975), section 4.2.
fn centre_with(n: usize, z: f64) -> f64 {
    let count = n as f64;
    let expected =
        |centre: f64| count * (count - 1.0) / 2.0 * normal_cdf(SQRT_2 * centre) + count * normal_cdf(centre);
    let needed = if n <= LARGEST_EXACT_N {
        let p = normal_cdf(-z);
        untied_tails(n).partition_point(|tail| *tail > p) as f64 - 0.5
    } else {
        let deviation = (count * (count + 1.0) * (2.0 * count + 1.0) / 24.0).sqrt();
        count * (count + 1.0) / 4.0 + z * deviation
    };
    let (mut low, mut high) = (-LARGEST_CENTRE, LARGEST_CENTRE);
    if z == f64::INFINITY || expected(high) < needed {
        return f64::INFINITY;
    }
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        if expected(middle) < needed { low = middle } else { high = middle }
    }
    high
}

/// Standard normal values at the points of a lattice, so many for each.
fn evenly_spread_normals(dimensions: usize) -> Vec<f64> {
    // The root above 1 of x^(d + 1) = x + 1.
    let root = (0..64).fold(2.0_f64, |x, _| (1.0 + x).powf(1.0 / (dimensions as f64 + 1.0)));
    let value = |point: usize, axis: i32| {
        let place = (0.5 + point as f64 * root.powi(-axis)).fract();
        normal_quantile(place.clamp(1e-12, 1.0 - 1e-12))
    };
    (1..=POINTS).flat_map(|point| (1..=dimensions as i32).map(move |axis| value(point, axis))).collect()
}

const POINTS: usize = 2_048;
const BISECTIONS: u32 = 40;
/// Beyond which z no p-value is asked for.
const LARGEST_Z: f64 = 8.5;
/// Where every value has the same sign, in deviations.
const LARGEST_CENTRE: f64 = 6.0;
/// In deviations of one value: what is not found there is never flagged.
const FARTHEST: f64 = 40.0;

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: WholeRuleTerms = WholeRuleTerms {
        floor: 0.0,
        negligible: 0.0,
        confidence: 0.99,
        false_discovery_rate: 0.05,
        cells: 1,
        confirmation: 0,
        confirmation_alpha: 0.05,
    };

    #[test]
    fn one_look_at_one_cell_is_the_plain_test() {
        for (n, within) in [(32, 0.06), (500, 0.006)] {
            let design = Sequential::obrien_fleming(&[n], 0.05).unwrap();
            let rule = WholeRule::of(&design, TERMS).unwrap();
            let plain = crate::minimum_detectable_effect_of(1.0, n, 0.05).unwrap();
            // The plain formula takes the statistic to grow in proportion, which it does the better the smaller the effect is.
            let more = rule.detectable(1.0).unwrap() / plain - 1.0;
            assert!(0.0 < more && more < within, "{n}: {more}");
            assert!((rule.power(0.0, 1.0).unwrap() - 0.025).abs() < 8e-3);
        }
    }

    #[test]
    fn a_centre_has_the_statistic_that_it_is_found_by() {
        // n = 2: of the four patterns one has T = 3, p = 1/4 and z = 0.674; T ≥ 2.5 is expected from Φ(√2·θ) + 2Φ(θ) = 2.5 on.
        let centre = centre_with(2, 0.674);
        assert!((normal_cdf(SQRT_2 * centre) + 2.0 * normal_cdf(centre) - 2.5).abs() < 1e-9, "{centre}");
        assert_eq!(centre_with(2, 1.0), f64::INFINITY, "no pattern is rarer than one in four");
        let (exact, approximate) = (centre_with(LARGEST_EXACT_N, 2.5), centre_with(LARGEST_EXACT_N + 1, 2.5));
        assert!((exact / approximate - 1.0).abs() < 0.02, "{exact} {approximate}");
    }

    #[test]
    fn a_floor_is_added_and_a_scale_scales() {
        let design = Sequential::obrien_fleming(&[32, 64], 0.005).unwrap();
        let of = |floor: f64| WholeRule::of(&design, WholeRuleTerms { floor, ..TERMS }).unwrap();
        let (without, with) = (of(0.0).detectable(1.0).unwrap(), of(0.5).detectable(1.0).unwrap());
        assert!((with - without - 0.5).abs() < 5e-3, "{without} {with}");
        assert!((of(0.0).detectable(0.01).unwrap() * 100.0 - without).abs() < 1e-6);
        assert_eq!(of(0.5).detectable(0.0), Ok(0.5));
    }

    #[test]
    fn more_cells_and_a_confirmation_need_a_larger_change() {
        let design = Sequential::obrien_fleming(&[32, 64], 0.005).unwrap();
        let of = |cells, confirmation| {
            let terms = WholeRuleTerms { cells, confirmation, false_discovery_rate: 0.02, ..TERMS };
            WholeRule::of(&design, terms).unwrap().detectable(1.0).unwrap()
        };
        assert!(of(1, 0) < of(1, 32) && of(1, 32) < of(16, 32) && of(16, 32) < of(64, 32));
        // Fourteen confirming values need more than 64 of the first do: 0.8 = Φ(e·√(0.955·14) − 1.645) is e = 0.68.
        assert!(of(1, 14) > 0.68);
    }

    #[test]
    fn awkward_terms_are_refused() {
        let design = Sequential::obrien_fleming(&[32], 0.05).unwrap();
        assert!(WholeRule::of(&design, WholeRuleTerms { cells: 0, ..TERMS }).is_err());
        assert!(WholeRule::of(&design, WholeRuleTerms { false_discovery_rate: 1.5, ..TERMS }).is_err());
        let rule = WholeRule::of(&design, TERMS).unwrap();
        for deviation in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(rule.power(0.1, deviation).is_err());
        }
        let never = WholeRule::of(&design, WholeRuleTerms { false_discovery_rate: 1e-20, ..TERMS }).unwrap();
        assert_eq!(never.detectable(1.0), Ok(f64::INFINITY));
    }
}
