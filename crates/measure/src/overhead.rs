//! Harness overhead.

use std::time::{Duration, Instant};

use tlslab_protocol::{Reply, Request};
use tlslab_record::Overhead;

use crate::requests::wrong_reply;
use crate::{DriverFailure, Talk};

/// How often the pipe is timed; the median counts.
const TRIPS: usize = 5;

/// The harness's costs in this process: a trip through the pipe, and the process's own report.
pub(crate) fn calibrated(
    talk: &mut dyn Talk,
    stack: usize,
    round: u32,
    timeout: Duration,
) -> Result<Overhead, DriverFailure> {
    let mut trips_ns: Vec<f64> = Vec::new();
    for _ in 0..TRIPS {
        // The fastest possible answer: nothing is prepared, so nothing can be measured.
        let start = Instant::now();
        match talk.ask(&Request::Measure { iterations: 0, slices: 1, warm_up: None, seed: None }, timeout) {
            Ok(_) | Err(DriverFailure::Refused { .. }) => trips_ns.push(start.elapsed().as_nanos() as f64),
            Err(failure) => return Err(failure),
        }
    }
    trips_ns.sort_by(f64::total_cmp);
    match talk.ask(&Request::Calibrate {}, timeout)? {
        Reply::Calibrated(calibration) => {
            Ok(Overhead { stack, round, calibration, round_trip_ns: trips_ns[TRIPS / 2] })
        }
        other => Err(wrong_reply("calibrate", &other)),
    }
}
