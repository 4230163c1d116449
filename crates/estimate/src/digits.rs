//! Significant digits of a figure.
//!
//! The interval decides: the farther bound's distance is written with two significant digits, and the value
//! to the same place. Without an interval a value has three significant digits.

use tlslab_text::number::{decimals, rounded, significant};

use crate::model::Estimated;

/// A value as text, and the ± that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The value.
    pub value: String,
    /// The farther bound's distance, when there is an interval.
    pub plus_minus: Option<String>,
}

impl std::fmt::Display for Written {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.plus_minus {
            Some(plus_minus) => write!(f, "{} ± {plus_minus}", self.value),
            None => f.write_str(&self.value),
        }
    }
}

/// Writes an estimate.
pub fn written(estimated: &Estimated) -> Written {
    let value = estimated.value;
    let Some(interval) = estimated.interval else {
        return Written { value: significant(value, 3), plus_minus: None };
    };
    let distance = (interval.upper - value).max(value - interval.lower);
    if distance <= 0.0 || !distance.is_finite() {
        return Written { value: significant(value, 4), plus_minus: Some("0".to_owned()) };
    }
    let decimals = decimals(distance, 2);
    Written { value: rounded(value, decimals), plus_minus: Some(rounded(distance, decimals)) }
}

/// The bounds, to the place that the interval's width allows.
pub fn bounds(estimated: &Estimated) -> Option<(String, String)> {
    let interval = estimated.interval?;
    let width = interval.upper - interval.lower;
    if width <= 0.0 || !width.is_finite() {
        return Some((significant(interval.lower, 4), significant(interval.upper, 4)));
    }
    let decimals = decimals(width / 2.0, 2);
    Some((rounded(interval.lower, decimals), rounded(interval.upper, decimals)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Interval;

    fn estimated(value: f64, lower: f64, upper: f64) -> Estimated {
        let interval = Some(Interval { lower, upper, confidence: 0.99 });
        Estimated { n: 16, value, interval, no_interval: None }
    }

    #[test]
    fn the_interval_decides_the_digits() {
        assert_eq!(written(&estimated(123.4567, 122.9, 123.9)).to_string(), "123.46 ± 0.56");
        assert_eq!(written(&estimated(81_234.0, 80_922.0, 81_500.0)).to_string(), "81,230 ± 310");
        assert_eq!(written(&estimated(0.82031, 0.8172, 0.8234)).to_string(), "0.8203 ± 0.0031");
        assert_eq!(written(&estimated(5.0, 5.0, 5.0)).to_string(), "5.000 ± 0");
        assert_eq!(written(&estimated(50.0, 49.0, 50.0996)).to_string(), "50.0 ± 1.0");
        assert_eq!(written(&estimated(50.0, 49.99, 59.96)).to_string(), "50 ± 10");
        assert_eq!(bounds(&estimated(0.82031, 0.8172, 0.8234)), Some(("0.8172".into(), "0.8234".into())));
    }

    #[test]
    fn without_an_interval_three_digits_stand() {
        let mut bare = estimated(1_234.5, 0.0, 0.0);
        bare.interval = None;
        assert_eq!(written(&bare).to_string(), "1,230");
    }
}
