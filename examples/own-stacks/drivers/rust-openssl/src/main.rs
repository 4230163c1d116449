//! Drives OpenSSL through the safe interface of the `openssl` crate: `SslStream` over memory.

mod endpoint;
mod identity;
mod wire;

use std::process::ExitCode;

fn main() -> ExitCode {
    tlslab_driver_kit::serve(&endpoint::RustOpenSsl)
}
