//! Student's t distribution, for thresholds from a few replicates.

use std::f64::consts::PI;

use crate::normal::normal_cdf;

/// The cumulative distribution function: the probability that a Student variable with `degrees` of freedom
/// (above 0) is at most `t`.
///
/// The tail beyond |t| is ½·I(ν/2, ½) at ν/(ν + t²), with I the regularised incomplete beta function by its
/// continued fraction (Abramowitz & Stegun 26.7.1 and 26.5.8), about 1 part in 10¹¹; above 10⁸ degrees it is
/// the normal one. NaN for a NaN and for degrees that are not finite and above 0.
pub fn student_cdf(t: f64, degrees: f64) -> f64 {
    if t.is_nan() || !(degrees > 0.0 && degrees.is_finite()) {
        f64::NAN
    } else if t > 0.0 {
        1.0 - tail(t, degrees)
    } else {
        tail(-t, degrees)
    }
}

/// The quantile function: the t below which a Student variable with `degrees` of freedom lies with
/// probability `p`, by bisection.
///
/// Infinite at 0 and 1, NaN outside and for degrees that are not finite and above 0.
pub fn student_quantile(p: f64, degrees: f64) -> f64 {
    let outside = if p < 0.5 { p } else { 1.0 - p };
    if !(outside >= 0.0 && degrees > 0.0 && degrees.is_finite()) {
        return f64::NAN;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while tail(high, degrees) > outside {
        (low, high) = (high, 2.0 * high);
    }
    if outside == 0.0 {
        high = f64::INFINITY;
    }
    while high.is_finite() {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if tail(middle, degrees) > outside { low = middle } else { high = middle }
    }
    let t = if outside == 0.5 { 0.0 } else { high };
    if p < 0.5 { -t } else { t }
}

/// The probability of more than `t`, which is 0 or above.
fn tail(t: f64, degrees: f64) -> f64 {
    if degrees > NORMAL {
        return normal_cdf(-t);
    }
    let (half, square) = (degrees / 2.0, t * t);
    // Each fraction converges fast on its own side of the mean of the beta distribution.
    if square > 1.0 {
        0.5 * incomplete_beta(half, 0.5, degrees / (degrees + square), square / (degrees + square))
    } else {
        0.5 - 0.5 * incomplete_beta(0.5, half, square / (degrees + square), degrees / (degrees + square))
    }
}

/// The regularised incomplete beta function of `a` and `b`, one of which is ½, at `x` = 1 − `rest`.
fn incomplete_beta(a: f64, b: f64, x: f64, rest: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    // 1/B(h, ½) = Γ(h + ½)/(Γ(h)·√π), where h is the one that is not ½.
    let scale = half_step(if b == 0.5 { a } else { b }) / PI.sqrt();
    scale * (a * log(x, rest) + b * log(rest, x)).exp() / (a * continued_fraction(a, b, x))
}

/// ln x for x = 1 − `rest`, by whichever of the two is small.
fn log(x: f64, rest: f64) -> f64 {
    if x < 0.5 { x.ln() } else { (-rest).ln_1p() }
}

/// 1 + d₁/(1 + d₂/(1 + …)) of Abramowitz & Stegun 26.5.8, from the end.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    let pairs = 100 + (4.0 * a.max(b).sqrt()) as u32;
    (1..=pairs).rev().map(f64::from).fold(1.0, |below, m| {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let k = m - 1.0;
        let odd = -(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0));
        1.0 + odd / (1.0 + even / below)
    })
}

/// Γ(x + ½)/Γ(x) by its asymptotic series (Tricomi & Erdélyi, Pacific Journal of Mathematics 1, 1951), to
/// which Γ(x + 1) = x·Γ(x) leads small arguments.
fn half_step(x: f64) -> f64 {
    if x < ASYMPTOTIC {
        return half_step(x + 1.0) * x / (x + 0.5);
    }
    let series = [1.0, -1.0 / 8.0, 1.0 / 128.0, 5.0 / 1024.0, -21.0 / 32_768.0];
    x.sqrt() * series.iter().rev().fold(0.0, |sum, coefficient| sum / x + coefficient)
}

const ASYMPTOTIC: f64 = 200.0;

/// Degrees above which the normal distribution is used.
const NORMAL: f64 = 1e8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_two_degrees_have_closed_forms() {
        for t in [-1e6_f64, -40.0, -3.0, -1.0, -0.2, 0.0, 0.7, 1.0, 2.5] {
            let cauchy = if t < -1.0 { (-1.0 / t).atan() / PI } else { 0.5 + t.atan() / PI };
            let two = 1.0 / (2.0 + t * t + t.abs() * (2.0 + t * t).sqrt());
            let two = if t > 0.0 { 1.0 - two } else { two };
            assert!(
                (student_cdf(t, 1.0) / cauchy - 1.0).abs() < 1e-12,
                "{t}: {} {cauchy}",
                student_cdf(t, 1.0)
            );
            assert!((student_cdf(t, 2.0) / two - 1.0).abs() < 1e-12, "{t}: {} {two}", student_cdf(t, 2.0));
        }
    }

    /// The standard textbook table.
    #[test]
    fn the_table() {
        for (degrees, t) in [(1.0, 12.706_205), (4.0, 2.776_445), (9.0, 2.262_157), (30.0, 2.042_272)] {
            assert!((student_quantile(0.975, degrees) - t).abs() < 1e-6, "{degrees}");
        }
    }

    #[test]
    fn the_two_undo_each_other() {
        for degrees in [0.5, 1.0, 3.0, 4.5, 30.0, 1000.0, 1e6, 1e9] {
            for p in [1e-12, 0.001, 0.0025, 0.2, 0.49, 0.5, 0.7, 0.975, 0.999] {
                let t = student_quantile(p, degrees);
                assert!((student_cdf(t, degrees) / p - 1.0).abs() < 1e-11, "{degrees} {p} {t}");
                assert_eq!(p < 0.5, t < 0.0);
            }
        }
    }

    #[test]
    fn the_ends_are_infinite_and_outside_is_nothing() {
        assert_eq!(student_quantile(0.0, 4.0), f64::NEG_INFINITY);
        assert_eq!(student_quantile(1.0, 4.0), f64::INFINITY);
        assert_eq!((student_cdf(f64::NEG_INFINITY, 4.0), student_cdf(f64::INFINITY, 4.0)), (0.0, 1.0));
        for (p, degrees) in [(-0.1, 4.0), (1.1, 4.0), (f64::NAN, 4.0), (0.5, 0.0), (0.5, f64::NAN)] {
            assert!(student_quantile(p, degrees).is_nan());
        }
        assert!(student_cdf(f64::NAN, 4.0).is_nan() && student_cdf(1.0, -1.0).is_nan());
    }
}
