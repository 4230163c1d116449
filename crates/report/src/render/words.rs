//! Ratios in words: from twice (or half) on a factor, else a percentage.

use tlslab_estimate::digits::{bounds, written};
use tlslab_estimate::{Estimated, Interval};
use tlslab_text::number::significant;

/// How much more or less something takes than another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relative {
    /// The number: a percentage, or from twice (or half) on a factor.
    value: String,
    is_times: bool,
    is_less: bool,
    /// The interval in the unit of the value: `± 0.7`, or `[4.1, 9.0]` if one side is much longer; empty
    /// without one.
    pub range: String,
}

/// Intervals are written as ± unless the longer side is more than this many times the shorter one.
const LOPSIDED: f64 = 1.6;

impl Relative {
    /// Of a ratio.
    pub fn of(ratio: &Estimated) -> Self {
        let is_less = ratio.value < 1.0;
        let times = if is_less { ratio.inverse() } else { ratio.clone() };
        if times.value >= 2.0 {
            let (value, range) = figure(&times);
            return Self { value, is_times: true, is_less, range };
        }
        Self::percent(ratio)
    }

    fn percent(ratio: &Estimated) -> Self {
        let is_less = ratio.value < 1.0;
        let percent = |value: f64| 100.0 * if is_less { 1.0 - value } else { value - 1.0 };
        let interval = ratio.interval.map(|interval| {
            let (one, other) = (percent(interval.lower), percent(interval.upper));
            Interval { lower: one.min(other), upper: one.max(other), ..interval }
        });
        let (value, range) = figure(&Estimated { value: percent(ratio.value), interval, ..ratio.clone() });
        Self { value, is_times: false, is_less, range }
    }

    /// A ratio of times or rates in a table that a script also writes: from 2 on `3.60×` with `± 0.10×`,
    /// below that a percentage.
    pub fn plain(ratio: &Estimated) -> (String, String) {
        if ratio.value >= 2.0 {
            let (value, range) = figure(ratio);
            let range = if range.is_empty() { range } else { format!("{range}×") };
            return (format!("{value}×"), range);
        }
        let relative = Self::percent(ratio);
        (relative.amount(), relative.range_with_unit())
    }

    /// Of a ratio that is exact.
    pub fn exact(ratio: f64) -> Self {
        Self::of(&Estimated { n: 1, value: ratio, interval: None, no_interval: None })
    }

    /// Of a time, in a cell: `15.2 % less`, `6 % more`, `2.30 times faster`, `3.60 times as long`.
    pub fn amount(&self) -> String {
        match (self.is_times, self.is_less) {
            (false, true) => format!("{} % less", self.value),
            (false, false) => format!("{} % more", self.value),
            (true, true) => format!("{} times faster", self.value),
            (true, false) => format!("{} times as long", self.value),
        }
    }

    /// Of anything: `15.2 % less time`, `3.60 times the peak heap`, `2.30 times fewer instructions`. A noun
    /// in the plural is counted.
    pub fn of_noun(&self, noun: &str) -> String {
        let less = if noun.ends_with('s') { "fewer" } else { "less" };
        match (self.is_times, self.is_less) {
            (false, true) => format!("{} % {less} {noun}", self.value),
            (false, false) => format!("{} % more {noun}", self.value),
            (true, true) => format!("{} times {less} {noun}", self.value),
            (true, false) => format!("{} times the {noun}", self.value),
        }
    }

    /// Relative to a value above it, in a cell: `15.2 % less`, `3.60 times as much`.
    pub fn bare(&self) -> String {
        match (self.is_times, self.is_less) {
            (false, _) => self.cell(),
            (true, true) => format!("{} times less", self.value),
            (true, false) => format!("{} times as much", self.value),
        }
    }

    /// As part of a sentence: `takes 15.2 % less time than openssl`, `is 2.30 times faster than openssl`,
    /// `takes 3.60 times as long as openssl`.
    pub fn sentence(&self, than: &str) -> String {
        match (self.is_times, self.is_less) {
            (false, _) => format!("takes {} time than {than}", self.amount()),
            (true, true) => format!("is {} than {than}", self.amount()),
            (true, false) => format!("takes {} as {than}", self.amount()),
        }
    }

    /// The interval with the unit of the amount.
    pub fn range_with_unit(&self) -> String {
        match (self.range.is_empty(), self.is_times) {
            (true, _) => String::new(),
            (false, true) => self.range.clone(),
            (false, false) => format!("{} %", self.range),
        }
    }

    /// Amount and interval, in a cell: `15.2 % less ± 0.7`, `2.30 times faster [2.1, 2.6]`.
    pub fn cell(&self) -> String {
        format!("{} {}", self.amount(), self.range).trim_end().to_owned()
    }

    /// The same in fewer columns: `−15.2%±0.7`, `2.30× faster±0.2`.
    pub fn tight(&self) -> String {
        let range = self.range.replace("± ", "±");
        let range = if self.is_less && !self.is_times { turned(&range) } else { range };
        match (self.is_times, self.is_less) {
            (false, true) => format!("−{}%{range}", self.value),
            (false, false) => format!("+{}%{range}", self.value),
            (true, true) => format!("{}× faster{range}", self.value),
            (true, false) => format!("{}×{range}", self.value),
        }
    }
}

/// The bounds of how much less, as bounds of a change: `[4.4, 7.8]` becomes `[−7.8, −4.4]`.
fn turned(range: &str) -> String {
    let bounds = range.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let Some((lower, upper)) = bounds.and_then(|bounds| bounds.split_once(", ")) else {
        return range.to_owned();
    };
    let [lower, upper] = [lower, upper].map(|bound| match bound.strip_prefix('−') {
        Some(positive) => positive.to_owned(),
        None => format!("−{bound}"),
    });
    format!("[{upper}, {lower}]")
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
        assert_eq!(words(&relative(3.6, 3.5, 3.7)), "takes 3.60 times as long as x, ± 0.10");
        assert_eq!(words(&relative(0.4, 0.39, 0.41)), "is 2.500 times faster than x, ± 0.064");
        assert_eq!(relative(0.8484, 0.8419, 0.8549).cell(), "15.16 % less ± 0.65");
        // The bounds of a negative change are negative.
        assert_eq!(relative(0.95, 0.90, 0.96).cell(), "5.0 % less [4.0, 10.0]");
        assert_eq!(relative(0.95, 0.90, 0.96).tight(), "−5.0%[−10.0, −4.0]");
        assert_eq!(relative(0.98, 0.97, 1.03).tight(), "−2.0%[−3.0, 3.0]");
        assert_eq!(relative(1.05, 1.04, 1.10).tight(), "+5.0%[4.0, 10.0]");
        let exact = |value| Estimated { n: 1, value, interval: None, no_interval: None };
        assert_eq!(Relative::plain(&exact(3.6)).0, "3.60×");
        assert_eq!(Relative::plain(&exact(0.25)).0, "75.0 % less");
        assert_eq!(Relative::exact(2.0).of_noun("peak heap"), "2.00 times the peak heap");
        assert_eq!(Relative::exact(0.25).of_noun("peak heap"), "4.00 times less peak heap");
        assert_eq!(Relative::exact(1.25).of_noun("peak heap"), "25.0 % more peak heap");
        assert_eq!(Relative::exact(0.75).of_noun("instructions"), "25.0 % fewer instructions");
        assert_eq!(Relative::exact(4.0).bare(), "4.00 times as much");
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
