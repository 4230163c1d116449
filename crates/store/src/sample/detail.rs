//! The fields of a sample outside of its columns.

use serde::{Deserialize, Serialize};
use tlslab_protocol::{Latencies, Measurement, OpenLoop, SideMeasurement, ThreadMeasurement, WarmUp};

/// As JSON in the column `detail`. Missing fields are empty, so that samples of older databases have none.
#[derive(Serialize, Deserialize)]
pub(super) struct Detail {
    #[serde(default)]
    pub client: SideDetail,
    #[serde(default)]
    pub server: SideDetail,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadMeasurement>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoop>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faults: u64,
}

/// One side's fields.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct SideDetail {
    #[serde(default, skip_serializing_if = "is_zero")]
    pub context_ns: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub operation_ns: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub close_ns: u64,
    #[serde(default, rename = "calls_ns", skip_serializing_if = "Vec::is_empty")]
    pub handshake_calls_ns: Vec<u64>,
    #[serde(default, skip_serializing_if = "Latencies::is_empty")]
    pub latencies: Latencies,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Detail {
    /// From a measurement.
    pub(super) fn of(measurement: &Measurement) -> Self {
        let side = |side: &SideMeasurement| SideDetail {
            context_ns: side.phases.context_ns,
            operation_ns: side.phases.operation_ns,
            close_ns: side.phases.close_ns,
            handshake_calls_ns: side.handshake_calls_ns.clone(),
            latencies: side.latencies.clone(),
        };
        let threads = measurement.threads.clone();
        let (warm_up, open_loop) = (measurement.warm_up, measurement.open_loop.clone());
        let (client, server) = (side(&measurement.client), side(&measurement.server));
        Self { client, server, threads, warm_up, open_loop, faults: measurement.faults }
    }
}
