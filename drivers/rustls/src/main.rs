//! Drives rustls with one cryptography provider chosen at build time. `api_*` have what differs between releases, each by the first
//! release with its interface; the rest is the same for all of them.
//!
//! Holds the endpoint and nothing else; the loops and the clock are the driver kit's.

#[cfg_attr(api = "0.20", path = "api_0_20/mod.rs")]
#[cfg_attr(api = "0.22", path = "api_0_22/mod.rs")]
#[cfg_attr(api = "0.24", path = "api_0_24/mod.rs")]
mod api;
mod context;
mod endpoint;
mod identity;
mod latest;
mod locked;
mod point;
#[cfg_attr(not(has_group_versions), path = "primitive_none.rs")]
mod primitive;
mod provider;
#[cfg(not(api = "0.20"))]
mod roots;
#[cfg_attr(not(has_session_values), path = "sessions_of_bytes.rs")]
mod sessions;
#[cfg_attr(has_message_handler, path = "of_bytes/mod.rs")]
#[cfg_attr(all(api = "0.24", not(has_message_handler)), path = "transport_of_sides.rs")]
mod transport;

use std::process::ExitCode;

fn main() -> ExitCode {
    tlslab_driver_kit::serve(&endpoint::Rustls)
}
