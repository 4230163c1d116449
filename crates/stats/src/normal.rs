//! The standard normal distribution.

use std::f64::consts::{PI, SQRT_2};

/// The cumulative distribution function: the probability that a standard normal variable is at most `z`.
///
/// Near the centre by the series Φ(z) = ½ + φ(z)·(z + z³/3 + z⁵/(3·5) + …) of Marsaglia, "Evaluating the
/// normal distribution", Journal of Statistical Software 11 (2004); beyond ±3 by Laplace's continued fraction
/// for the tail (Abramowitz & Stegun 26.2.14), which keeps its relative precision. NaN gives NaN.
pub fn normal_cdf(z: f64) -> f64 {
    if z.abs() <= SERIES_REACH {
        0.5 + series(z)
    } else if z < 0.0 {
        upper_tail(-z)
    } else {
        1.0 - upper_tail(z)
    }
}

/// The quantile function: the `z` below which a standard normal variable lies with probability `p`.
///
/// Infinite at 0 and 1, NaN outside. Algorithm AS 241 (PPND16), about 1 part in 10¹⁶: Wichura, "The
/// percentage points of the normal distribution", Applied Statistics 37 (1988).
pub fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * ratio(&CENTRE_NUMERATOR, &CENTRE_DENOMINATOR, r);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail == 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = (-tail.ln()).sqrt();
    let z = if r <= 5.0 {
        ratio(&MIDDLE_NUMERATOR, &MIDDLE_DENOMINATOR, r - 1.6)
    } else {
        ratio(&FAR_NUMERATOR, &FAR_DENOMINATOR, r - 5.0)
    };
    z.copysign(q)
}

fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (SQRT_2 * PI.sqrt())
}

fn series(z: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (z, z, 1.0);
    while sum + term != sum {
        odd += 2.0;
        term *= z * z / odd;
        sum += term;
    }
    sum * density(z)
}

/// P(Z > z) = φ(z) / (z + 1/(z + 2/(z + 3/(z + …)))).
fn upper_tail(z: f64) -> f64 {
    let fraction = (1..=CONTINUED_FRACTION_TERMS).rev().fold(z, |below, k| z + f64::from(k) / below);
    density(z) / fraction
}

fn ratio(numerator: &[f64], denominator: &[f64], x: f64) -> f64 {
    let polynomial = |coefficients: &[f64]| coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
    polynomial(numerator) / polynomial(denominator)
}

const SERIES_REACH: f64 = 3.0;

/// At z = 3 this many terms leave less than 1 part in 10¹⁵.
const CONTINUED_FRACTION_TERMS: u32 = 120;

// The coefficients of AS 241, lowest power first.
const CENTRE_NUMERATOR: [f64; 8] = [
    3.387_132_872_796_366_5,
    133.141_667_891_784_38,
    1_971.590_950_306_551_3,
    13_731.693_765_509_46,
    45_921.953_931_549_87,
    67_265.770_927_008_7,
    33_430.575_583_588_13,
    2_509.080_928_730_122_7,
];
const CENTRE_DENOMINATOR: [f64; 8] = [
    1.0,
    42.313_330_701_600_91,
    687.187_007_492_057_9,
    5_394.196_021_424_751,
    21_213.794_301_586_597,
    39_307.895_800_092_71,
    28_729.085_735_721_943,
    5_226.495_278_852_854,
];
const MIDDLE_NUMERATOR: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    0.241_780_725_177_450_6,
    0.022_723_844_989_269_184,
    7.745_450_142_783_414e-4,
];
const MIDDLE_DENOMINATOR: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    0.689_767_334_985_1,
    0.148_103_976_427_480_08,
    0.015_198_666_563_616_457,
    5.475_938_084_995_345e-4,
    1.050_750_071_644_416_9e-9,
];
const FAR_NUMERATOR: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    0.296_560_571_828_504_87,
    0.026_532_189_526_576_124,
    0.001_242_660_947_388_078_4,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const FAR_DENOMINATOR: [f64; 8] = [
    1.0,
    0.599_832_206_555_888,
    0.136_929_880_922_735_8,
    0.014_875_361_290_850_615,
    7.868_691_311_456_133e-4,
    1.846_318_317_510_054_8e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_8e-15,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_infinite_and_outside_is_nothing() {
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        assert!(
            normal_quantile(-0.1).is_nan() && normal_quantile(1.1).is_nan() && normal_cdf(f64::NAN).is_nan()
        );
        assert_eq!((normal_cdf(f64::NEG_INFINITY), normal_cdf(f64::INFINITY)), (0.0, 1.0));
    }

    #[test]
    fn the_two_undo_each_other() {
        for step in -60..=60 {
            let z = f64::from(step) / 10.0;
            let p = normal_cdf(z);
            // Close to 1, a float cannot represent the tail's digits.
            let precision = if z > 3.0 { 1e-6 } else { 1e-13 };
            assert!((normal_quantile(p) - z).abs() <= precision * z.abs().max(1.0), "{z}");
        }
    }
}
