//! The releases of one library in one cell, in the order of their versions.

use tlslab_estimate::Quantity;
use tlslab_record::Series;

/// A release with its figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Release {
    /// The version.
    pub label: String,
    /// The further conditions under which two figures are comparable.
    pub epoch: String,
    /// The figure.
    pub figure: Quantity,
}

/// The releases of a series, the oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Releases {
    /// The series.
    pub series: Series,
    /// The releases that have a figure.
    pub releases: Vec<Release>,
}
