//! What of a sample has no column of its own: it is kept as JSON, and a sample without it has none of it.

use serde::{Deserialize, Serialize};
use tlslab_protocol::{Measurement, SideMeasurement};

/// The details of a sample.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Detail {
    pub client: SideDetail,
    pub server: SideDetail,
}

/// One side's share.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SideDetail {
    #[serde(skip_serializing_if = "is_zero")]
    pub operation_ns: u64,
}

impl Detail {
    pub fn of(measurement: &Measurement) -> Self {
        let side = |side: &SideMeasurement| SideDetail { operation_ns: side.phases.operation_ns };
        Self { client: side(&measurement.client), server: side(&measurement.server) }
    }
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}
