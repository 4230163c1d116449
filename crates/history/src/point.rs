//! One run of the series.

use tlslab_stats::Refused;

/// One run's result for the cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The figure, above 0, in any unit that is the same for all points. A count may be 0.
    pub value: f64,
    /// The values of a count over its seeds or processes; none if it was taken once.
    pub seen: Option<Seen>,
    /// The value of a frozen reference in the same job, above 0, in any unit that is the same for all points;
    /// none if it was not measured.
    pub reference: Option<f64>,
    /// The environment: points with different epochs cannot be compared unless both have a reference.
    pub epoch: String,
    /// The digests of work and harness: points of different definitions are never comparable.
    pub definition: String,
    /// The version or revision.
    pub label: String,
}

/// The values that one point saw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// The smallest.
    pub lower: f64,
    /// The largest.
    pub upper: f64,
    /// How many there were.
    pub n: u64,
}

impl Seen {
    /// The standard error of the median of these values, as a share of them, if they are normal; none with
    /// fewer than two.
    pub(crate) fn standard_error(&self) -> Option<f64> {
        let n = usize::try_from(self.n).unwrap_or(usize::MAX).min(MEAN_RANGE.len() + 1);
        let mean_range = *MEAN_RANGE.get(n.checked_sub(2)?)?;
        let range = (self.upper / self.lower).ln();
        (range.is_finite() && range >= 0.0)
            .then(|| range / mean_range * (std::f64::consts::PI / (2.0 * self.n as f64)).sqrt())
    }
}

/// d₂: the mean range of 2, 3, … values of a standard normal distribution. For more values the last one is
/// taken, which makes the error a little larger than it is.
const MEAN_RANGE: [f64; 19] = [
    std::f64::consts::FRAC_2_SQRT_PI,
    1.692_57,
    2.058_75,
    2.325_93,
    2.534_41,
    2.704_36,
    2.847_20,
    2.970_03,
    3.077_51,
    3.172_87,
    3.258_46,
    3.335_98,
    3.406_76,
    3.471_83,
    3.531_98,
    3.587_88,
    3.640_06,
    3.688_96,
    3.734_95,
];

/// Rejects values that no count can have.
pub(crate) fn check_counts(points: &[Point]) -> Result<(), Refused> {
    if points.is_empty() {
        return Err(Refused::TooFew { n: 0, needed: 1 });
    }
    for (index, Point { value, .. }) in points.iter().enumerate() {
        if !value.is_finite() {
            return Err(Refused::NotFinite { index, value: *value });
        }
        if *value < 0.0 {
            return Err(Refused::OutOfRange { what: "a count", value: *value, range: "at 0 or above" });
        }
    }
    Ok(())
}

/// Refuses values and references that have no logarithm.
pub(crate) fn check(points: &[Point]) -> Result<(), Refused> {
    if points.is_empty() {
        return Err(Refused::TooFew { n: 0, needed: 1 });
    }
    for (index, point) in points.iter().enumerate() {
        for value in [Some(point.value), point.reference].into_iter().flatten() {
            if !value.is_finite() {
                return Err(Refused::NotFinite { index, value });
            }
            if value <= 0.0 {
                return Err(Refused::NotPositive { index, value });
            }
        }
    }
    Ok(())
}
