//! Drives the pre-release of rustls 0.24, whose connections take and give plain byte buffers, with one cryptography
//! provider chosen at build time.
//!
//! Holds the endpoint and nothing else; the loops and the clock are the driver kit's. `drivers/rustls` is its
//! counterpart for the released API.

mod connection;
mod context;
mod endpoint;
mod identity;
#[path = "../../rustls/src/latest.rs"]
mod latest;
mod prepared;
mod primitive;
mod provider;
mod sessions;
mod verifier;

use std::process::ExitCode;

fn main() -> ExitCode {
    tlslab_driver_kit::serve(&endpoint::Rustls)
}
