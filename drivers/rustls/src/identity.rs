//! Who this stack is. rustls cannot report its version at run time, so it is read from the lock file of this build.

use tlslab_driver_kit::protocol::{Capabilities, KeyType, Library, ProtocolVersion, Verification};
use tlslab_driver_kit::{Identity, locked_version};

use crate::provider;

/// The stack's name, versions and capabilities.
pub fn identity() -> Identity {
    Identity {
        driver: "rustls",
        library: Library {
            name: "rustls".to_owned(),
            version: version("rustls"),
            components: provider::PACKAGES.iter().map(|name| ((*name).to_owned(), version(name))).collect(),
        },
        capabilities: Capabilities {
            versions: vec![ProtocolVersion::TLS13],
            signatures: KeyType::ALL.to_vec(),
            groups: provider::groups(),
            suites: provider::suites(),
            verification: vec![Verification::None, Verification::Chain, Verification::ChainAndName],
            max_tickets: 16,
            works: vec!["handshake".to_owned(), "transfer".to_owned()],
            limits: vec![],
            offers_more: vec![],
            notes: vec![],
            details: vec![],
        },
    }
}

fn version(package: &str) -> String {
    locked_version(include_str!("../Cargo.lock"), package).unwrap_or("not in the lock file").to_owned()
}
