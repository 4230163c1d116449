//! Samples, and the visits to which they belong.

use serde::{Deserialize, Serialize};
use tlslab_protocol::Measurement;

/// One scenario in one round: a fresh process per stack, and slices of all stacks in turn.
///
/// A visit that was cut short, by a kill or by a driver's end, keeps its samples but is not used for
/// estimates: the scenario is visited again under the next `attempt`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// The round.
    pub round: u32,
    /// The scenario, as an index into the plan's.
    pub scenario: usize,
    /// 0 for the first attempt.
    pub attempt: u32,
    /// Whether it is complete.
    pub complete: bool,
}

/// One slice: one reply of one driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The visit's round.
    pub round: u32,
    /// The visit's scenario, as an index into the plan's.
    pub scenario: usize,
    /// The visit's attempt.
    pub attempt: u32,
    /// The block within the visit. In a block every stack has one slice, in random order.
    pub block: u32,
    /// The slice's place in its block.
    pub place: u32,
    /// The stack, as an index into the plan's.
    pub stack: usize,
    /// The measurement.
    pub measurement: Measurement,
}
