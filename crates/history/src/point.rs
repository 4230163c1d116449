//! One run of the series.

use tlslab_stats::Refused;

/// What one run said of the cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The figure, above 0, in any unit that is the same for all points.
    pub value: f64,
    /// What a frozen reference took in the same job, above 0, in any unit that is the same for all points; none where it
    /// was not measured.
    pub reference: Option<f64>,
    /// The environment: points with different epochs cannot be compared unless both have a reference.
    pub epoch: String,
    /// What was measured and by which harness: points of different definitions cannot be compared by anything.
    pub definition: String,
    /// What was measured, such as a revision.
    pub label: String,
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
