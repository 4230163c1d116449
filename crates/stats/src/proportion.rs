//! The Clopper–Pearson interval for a proportion, such as a rate of false alarms.

use crate::Refused;
use crate::refused::open_unit;

/// An interval for a probability; both ends are probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProportionInterval {
    /// Lower bound.
    pub lower: f64,
    /// Upper bound.
    pub upper: f64,
}

/// The interval for the probability behind `successes` in `trials`, at `confidence` or more.
///
/// The lower bound is the probability at which `successes` or more occur with (1 − confidence)/2, the upper
/// bound the one at which `successes` or fewer do. Source: Clopper & Pearson, "The use of confidence or
/// fiducial limits illustrated in the case of the binomial", Biometrika 26 (1934). Time grows with `trials`.
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are no trials, and with [`Refused::OutOfRange`] for a `confidence`
/// that is not between 0 and 1, or more successes than trials.
pub fn clopper_pearson(successes: u64, trials: u64, confidence: f64) -> Result<ProportionInterval, Refused> {
    let tail = (1.0 - open_unit("confidence", confidence)?) / 2.0;
    if trials == 0 {
        return Err(Refused::TooFew { n: 0, needed: 1 });
    }
    if successes > trials {
        let range = "at or below the number of trials";
        return Err(Refused::OutOfRange { what: "the number of successes", value: successes as f64, range });
    }
    let upper = upper_bound(successes, trials, tail);
    // In terms of failures, the lower bound is an upper bound.
    let lower = 1.0 - upper_bound(trials - successes, trials, tail);
    Ok(ProportionInterval { lower, upper })
}

/// The probability at which `successes` or fewer in `trials` have probability `tail`, by bisection.
fn upper_bound(successes: u64, trials: u64, tail: f64) -> f64 {
    if successes == trials {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        if at_most(successes, trials, middle) > tail { low = middle } else { high = middle }
    }
    high
}

/// The binomial probability of at most `successes`, each term from the one before it, in logarithms.
fn at_most(successes: u64, trials: u64, p: f64) -> f64 {
    let log_odds = p.ln() - (-p).ln_1p();
    let mut log_term = trials as f64 * (-p).ln_1p();
    let mut sum = log_term.exp();
    for k in 1..=successes {
        log_term += ((trials - k + 1) as f64 / k as f64).ln() + log_odds;
        sum += log_term.exp();
    }
    sum
}

const BISECTIONS: u32 = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // No success in n: the upper bound solves (1 − p)ⁿ = 0.025.
        let interval = clopper_pearson(0, 10, 0.95).unwrap();
        assert_eq!(interval.lower, 0.0);
        assert!((interval.upper - (1.0 - 0.025_f64.powf(0.1))).abs() < 1e-14);
        assert_eq!(clopper_pearson(10, 10, 0.95).unwrap().upper, 1.0);
    }

    #[test]
    fn awkward_counts_are_refused() {
        assert_eq!(clopper_pearson(0, 0, 0.95), Err(Refused::TooFew { n: 0, needed: 1 }));
        assert!(matches!(clopper_pearson(2, 1, 0.95), Err(Refused::OutOfRange { .. })));
        assert!(matches!(clopper_pearson(1, 2, 1.0), Err(Refused::OutOfRange { .. })));
    }
}
