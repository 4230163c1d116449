//! Errors of estimators.
//!
//! An estimator that cannot answer returns an error; it never returns NaN, infinity or an interval wider than
//! its
//! data.

use thiserror::Error;

/// What is wrong with the values or arguments. Indices count from 0 in the order in which the values were
/// passed.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum Refused {
    /// There are too few values.
    #[error("too few values: {n}, and {needed} are needed; measure at least {} more", needed.saturating_sub(*n))]
    TooFew {
        /// The number of values.
        n: usize,
        /// The smallest number of values that suffices.
        needed: usize,
    },
    /// A value is NaN or infinite.
    #[error(
        "value {index} is {value}: only finite values can be summarised; look for the sample that made it"
    )]
    NotFinite {
        /// Its index.
        index: usize,
        /// The value itself.
        value: f64,
    },
    /// A value whose logarithm is needed is zero or negative.
    #[error(
        "value {index} is {value}: a ratio needs values above zero; make the slices longer than the clock's step"
    )]
    NotPositive {
        /// Its index.
        index: usize,
        /// The value itself.
        value: f64,
    },
    /// Paired samples differ in length.
    #[error("{a} values cannot be paired with {b}: pass the same number from each side of the comparison")]
    Unpaired {
        /// The number of values in the first.
        a: usize,
        /// The number of values in the second.
        b: usize,
    },
    /// A probability, confidence or trimmed fraction is outside its range.
    #[error("{what} is {value}: it must lie {range}")]
    OutOfRange {
        /// The argument's name.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The allowed range, in words.
        range: &'static str,
    },
}

/// Rejects a probability that is not strictly between 0 and 1.
pub(crate) fn open_unit(what: &'static str, value: f64) -> Result<f64, Refused> {
    if value > 0.0 && value < 1.0 {
        Ok(value)
    } else {
        Err(Refused::OutOfRange { what, value, range: "between 0 and 1, both excluded" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_names_the_thing_the_cause_and_the_next_step() {
        let all = [
            Refused::TooFew { n: 5, needed: 8 },
            Refused::NotFinite { index: 3, value: f64::NAN },
            Refused::NotPositive { index: 0, value: 0.0 },
            Refused::Unpaired { a: 3, b: 4 },
            open_unit("confidence", 1.0).unwrap_err(),
        ];
        insta::assert_snapshot!(all.map(|refused| refused.to_string()).join("\n"));
    }
}
