//! Drives rustls: its buffered connections, with one cryptography provider chosen at build time.
//!
//! Holds the endpoint and nothing else; the loops and the clock are the driver kit's.

mod endpoint;
mod identity;
mod latest;
mod locked;
mod point;
#[cfg(has_group_versions)]
mod primitive;
#[cfg(not(has_group_versions))]
#[path = "primitive_none.rs"]
mod primitive;
mod provider;
mod sessions;
mod transport;
mod verifier;

use std::process::ExitCode;

fn main() -> ExitCode {
    tlslab_driver_kit::serve(&endpoint::Rustls)
}
