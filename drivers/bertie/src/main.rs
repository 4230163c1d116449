//! Drives Bertie: its record-wise API, both sides, on libcrux.
//!
//! Holds the endpoint and nothing else; the loops and the clock are the driver kit's. It may add to Bertie's cost
//! only what the public API demands of every caller: records cut from the wire, and bytes turned into Bertie's type.

mod context;
mod endpoint;
mod error;
mod identity;
mod key;
mod record;

use std::process::ExitCode;

fn main() -> ExitCode {
    tlslab_driver_kit::serve(&endpoint::Bertie)
}
