//! The distribution of one stack's samples of one scenario and side, as compact as a plot needs.

use serde::Serialize;
use tlslab_protocol::Side;
use tlslab_stats::Histogram;

/// The spread of µs per iteration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distribution {
    /// The scenario's name.
    pub scenario: String,
    /// The stack's name.
    pub stack: String,
    /// The side of the calls.
    pub side: Side,
    /// One value per complete visit, in the order of the rounds.
    pub visits: Vec<VisitValue>,
    /// All slices of complete visits.
    pub slices: Spread,
    /// All iterations of complete visits.
    pub iterations: Latency,
}

/// Single iterations in bars of equal width on a logarithmic axis, sixteen to each doubling.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// The number of iterations; 0 if the clock is read once for several.
    pub n: u64,
    /// From, to, µs, and the number of iterations; empty bars are omitted.
    pub bars: Vec<(f64, f64, u64)>,
}

/// One visit's value: the trimmed mean of its slices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct VisitValue {
    /// The round.
    pub round: u32,
    /// µs per iteration.
    pub value: f64,
}

/// Slices in bins. Bins reach no further than three interquartile ranges beyond the quartiles, so that one
/// slice that an interrupt hit does not squeeze all others into one bin; those beyond are counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// How many slices.
    pub n: usize,
    /// The shortest slice, µs per iteration.
    pub minimum: f64,
    /// The middle.
    pub median: f64,
    /// The longest slice.
    pub maximum: f64,
    /// Slices below the first bin.
    pub below: usize,
    /// Slices above the last bin.
    pub above: usize,
    /// The bins.
    pub histogram: Histogram,
}
