//! Why an estimator gives no number.
//!
//! An estimator that cannot answer says so; it never answers with NaN, infinity or an interval wider than its
//! data.

use thiserror::Error;

/// What was wrong with the values or the question. Indices count from 0 in the order the values were passed.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum Refused {
    /// Fewer values than the question needs.
    #[error("too few values: {n}, and {needed} are needed; measure at least {} more", needed.saturating_sub(*n))]
    TooFew {
        /// How many values there were.
        n: usize,
        /// The smallest number of values that can answer the question.
        needed: usize,
    },
    /// A value is NaN or infinite.
    #[error(
        "value {index} is {value}: only finite values can be summarised; look for the sample that made it"
    )]
    NotFinite {
        /// Its position.
        index: usize,
        /// The value itself.
        value: f64,
    },
    /// A value whose logarithm is needed is zero or negative.
    #[error(
        "value {index} is {value}: a ratio needs values above zero; make the slices longer than the clock's step"
    )]
    NotPositive {
        /// Its position.
        index: usize,
        /// The value itself.
        value: f64,
    },
    /// Paired values do not pair up.
    #[error("{a} values cannot be paired with {b}: pass the same number from each side of the comparison")]
    Unpaired {
        /// How many values the first had.
        a: usize,
        /// How many values the second had.
        b: usize,
    },
    /// A probability, confidence or trimmed fraction lies outside the range in which it has a meaning.
    #[error("{what} is {value}: it must lie {range}")]
    OutOfRange {
        /// The argument's name.
        what: &'static str,
        /// What was passed.
        value: f64,
        /// The range it must lie in, in words.
        range: &'static str,
    },
}

/// Refuses a probability that is not strictly between 0 and 1.
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
