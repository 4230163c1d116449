//! Drives rustls 0.20 and 0.21: its buffered connections, with ring, which is a part of these releases.

mod endpoint;
mod identity;
#[path = "../../rustls/src/latest.rs"]
mod latest;
#[path = "../../rustls/src/locked.rs"]
mod locked;
#[path = "../../rustls/src/point.rs"]
mod point;
#[cfg_attr(has_session_values, path = "sessions.rs")]
#[cfg_attr(not(has_session_values), path = "sessions_of_bytes.rs")]
mod sessions;
#[path = "../../rustls/src/transport.rs"]
mod transport;
mod verifier;

use std::process::ExitCode;

fn main() -> ExitCode {
    tlslab_driver_kit::serve(&endpoint::Rustls)
}
