//! Harness overhead.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

/// The harness overhead, measured by running the same loops over empty endpoints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overheads {
    /// In one line, for people.
    pub summary: String,
    /// Over all stacks and cells; `null` without calibration.
    pub harness: Option<Harness>,
    /// Per stack, medians over its processes.
    pub stacks: Vec<StackOverhead>,
    /// Per measured cell.
    pub cells: Vec<CellOverhead>,
}

/// The worst over all stacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Harness {
    /// One reading of the clock, ns.
    pub clock_read_ns: f64,
    /// One request and its reply, ns. It lies outside every clock.
    pub round_trip_ns: f64,
    /// The largest share of a handshake cell, %.
    pub handshake_percent: Option<f64>,
    /// The largest share of a transfer cell, per size of write.
    pub transfers: Vec<TransferOverhead>,
}

/// The largest share of any cell with this size of write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransferOverhead {
    /// Bytes of one write.
    pub write_bytes: u32,
    /// The share, %.
    pub percent: f64,
}

/// One stack's processes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StackOverhead {
    /// The stack's name.
    pub stack: String,
    /// Processes that were calibrated.
    pub processes: usize,
    /// One reading of the clock, ns.
    pub clock_read_ns: f64,
    /// The smallest step of the clock, ns.
    pub clock_step_ns: f64,
    /// One request and its reply, ns.
    pub round_trip_ns: f64,
}

/// One cell's share.
///
/// A handshake carries `handshake_client_ns` or `handshake_server_ns` of the calibration. A write of a
/// transfer carries (burst_ns + burst · write_ns) / burst, with the sender's or the receiver's figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellOverhead {
    /// The scenario's name.
    pub scenario: String,
    /// The stack's name.
    pub stack: String,
    /// The side of the clock.
    pub side: Side,
    /// Harness work on this clock per iteration, ns. It is contained in the cell's time.
    pub overhead_ns: f64,
    /// Its share of the cell's time, %.
    pub percent: f64,
    /// Readings of the clock per iteration.
    pub clock_reads: f64,
}
