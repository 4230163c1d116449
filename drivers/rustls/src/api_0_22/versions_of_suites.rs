//! The version of TLS, which is that of the provider's suites. A version without suites is not offered.

use rustls::{ClientConfig, ConfigBuilder, ConfigSide, Error, WantsVerifier};
use tlslab_driver_kit::Unready;
use tlslab_driver_kit::protocol::Scenario;

/// Nothing: the suites were kept.
pub fn keep<S: ConfigSide>(
    builder: ConfigBuilder<S, WantsVerifier>,
    _: &Scenario,
) -> Result<ConfigBuilder<S, WantsVerifier>, Unready> {
    Ok(builder)
}

/// The configuration: its provider is checked with it.
pub fn checked(config: Result<ClientConfig, Error>) -> Result<ClientConfig, Unready> {
    Ok(config?)
}
