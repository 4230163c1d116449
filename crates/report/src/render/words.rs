//! Times relative to another time, in words.

use tlslab_estimate::digits::{bounds, written};
use tlslab_estimate::{Estimated, Interval};
use tlslab_text::number::significant;

/// How much more or less time something takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relative {
    /// Below 2 a percentage, from 2 on a factor: `15.2 % less`, `6 % more`, `3.60×`.
    pub amount: String,
    /// The interval in the unit of the amount: `± 0.7`, or `[4.1, 9.0]` where one side is much longer; empty
    /// without one.
    pub range: String,
}

/// Intervals are written as ± unless the longer side is more than this many times the shorter one.
const LOPSIDED: f64 = 1.6;

impl Relative {
    /// Of a ratio of times.
    pub fn of(ratio: &Estimated) -> Self {
        if ratio.value >= 2.0 {
            let (value, range) = figure(ratio);
            return Self { amount: format!("{value}×"), range };
        }
        let is_less = ratio.value < 1.0;
        let percent = |value: f64| 100.0 * if is_less { 1.0 - value } else { value - 1.0 };
        let interval = ratio.interval.map(|interval| {
            let (one, other) = (percent(interval.lower), percent(interval.upper));
            Interval { lower: one.min(other), upper: one.max(other), ..interval }
        });
        let (value, range) = figure(&Estimated { value: percent(ratio.value), interval, ..ratio.clone() });
        Self { amount: format!("{value} % {}", if is_less { "less" } else { "more" }), range }
    }

    /// As part of a sentence: `takes 15.2 % less time than openssl`, `takes 3.60× the time of openssl`.
    pub fn sentence(&self, than: &str) -> String {
        match self.amount.strip_suffix('×') {
            Some(_) => format!("takes {} the time of {than}", self.amount),
            None => format!("takes {} time than {than}", self.amount),
        }
    }

    /// The interval with the unit of the amount.
    pub fn range_with_unit(&self) -> String {
        match (self.range.is_empty(), self.amount.ends_with('×')) {
            (true, _) => String::new(),
            (false, true) => format!("{}×", self.range),
            (false, false) => format!("{} %", self.range),
        }
    }
}

/// An estimate and its interval, which is a range where ± would hide how lopsided it is.
pub fn figure(estimated: &Estimated) -> (String, String) {
    let Some(interval) = estimated.interval else {
        return (significant(estimated.value, 3), String::new());
    };
    let plain = written(estimated);
    let (below, above) = (estimated.value - interval.lower, interval.upper - estimated.value);
    let range = match bounds(estimated) {
        Some((lower, upper)) if below.max(above) > LOPSIDED * below.min(above).max(1e-12) => {
            format!("[{lower}, {upper}]")
        }
        _ => plain.plus_minus.map(|distance| format!("± {distance}")).unwrap_or_default(),
    };
    (plain.value, range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relative(value: f64, lower: f64, upper: f64) -> Relative {
        let interval = Some(Interval { lower, upper, confidence: 0.99 });
        Relative::of(&Estimated { n: 9, value, interval, no_interval: None })
    }

    #[test]
    fn below_two_are_percentages_and_from_two_on_factors() {
        let words = |ratio: &Relative| format!("{}, {}", ratio.sentence("x"), ratio.range_with_unit());
        assert_eq!(words(&relative(0.8484, 0.8419, 0.8549)), "takes 15.16 % less time than x, ± 0.65 %");
        assert_eq!(words(&relative(1.06, 1.05, 1.07)), "takes 6.0 % more time than x, ± 1.0 %");
        assert_eq!(words(&relative(3.6, 3.5, 3.7)), "takes 3.60× the time of x, ± 0.10×");
    }

    #[test]
    fn a_lopsided_interval_is_a_range() {
        assert_eq!(relative(1.9, 1.15, 3.12).range, "[15, 212]");
        assert_eq!(relative(0.98, 0.95, 0.99).range, "[1.0, 5.0]");
        assert_eq!(relative(0.99, 0.97, 1.001).range, "[−0.1, 3.0]");
        assert_eq!(
            figure(&Estimated { n: 1, value: 1234.5, interval: None, no_interval: None }),
            ("1,230".to_owned(), String::new())
        );
    }
}
