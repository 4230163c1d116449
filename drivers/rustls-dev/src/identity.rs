//! Who this stack is. rustls cannot report its version at run time, so it is read from the lock file of this build.

use tlslab_driver_kit::protocol::{
    Capabilities, CipherSuite, Group, KeyType, Library, Limit, ProtocolVersion, Records, ResumptionKind,
    Verification,
};
use tlslab_driver_kit::{Identity, locked_version};

use crate::provider;

const SUITES: [CipherSuite; 9] = [
    CipherSuite::AES_128_GCM,
    CipherSuite::AES_256_GCM,
    CipherSuite::CHACHA20_POLY1305,
    CipherSuite::ECDHE_ECDSA_AES_128_GCM,
    CipherSuite::ECDHE_ECDSA_AES_256_GCM,
    CipherSuite::ECDHE_ECDSA_CHACHA20_POLY1305,
    CipherSuite::ECDHE_RSA_AES_128_GCM,
    CipherSuite::ECDHE_RSA_AES_256_GCM,
    CipherSuite::ECDHE_RSA_CHACHA20_POLY1305,
];
const GROUPS: [Group; 5] =
    [Group::X25519, Group::SECP256R1, Group::SECP384R1, Group::X25519MLKEM768, Group::SECP256R1MLKEM768];
/// Plaintext in a full record: the library counts the content type and the tag into the 16,384 bytes that plaintext
/// alone may have, and takes no greater limit.
const RECORD_BYTES: u32 = 16_384 - 1 - 16;

const NO_PRIMITIVES: &str =
    "this driver calls the pre-release of rustls alone, and not its provider by itself";

/// The stack's name, versions and capabilities.
pub fn identity() -> Identity {
    Identity {
        driver: "rustls-dev",
        library: Library {
            name: "rustls".to_owned(),
            version: version("rustls"),
            components: provider::PACKAGES.iter().map(|name| ((*name).to_owned(), version(name))).collect(),
        },
        capabilities: capabilities(),
    }
}

fn capabilities() -> Capabilities {
    let (suites, no_suites): (Vec<_>, Vec<_>) =
        SUITES.into_iter().partition(|suite| provider::has_suite(*suite));
    let (groups, no_groups): (Vec<_>, Vec<_>) =
        GROUPS.into_iter().partition(|group| provider::has_group(*group));
    let mut limits = vec![limit("work", "primitive", NO_PRIMITIVES.to_owned())];
    limits.extend(no_suites.iter().map(|suite| limit("suite", &suite.short_name(), provider::lacks(suite))));
    limits.extend(no_groups.iter().map(|group| limit("group", &group.short_name(), provider::lacks(group))));
    Capabilities {
        versions: vec![ProtocolVersion::TLS12, ProtocolVersion::TLS13],
        signatures: KeyType::ALL.to_vec(),
        groups,
        suites,
        verification: vec![Verification::None, Verification::Chain, Verification::ChainAndName],
        resumption: ResumptionKind::ALL.to_vec(),
        renews_no_tickets: false,
        mutual_authentication: true,
        max_tickets: 16,
        works: vec![],
        primitives: vec![],
        limits,
        offers_more: vec![],
        threads: true,
        flushes: false,
        protects_nothing: false,
        records: Records { plaintext_bytes: RECORD_BYTES, ..Records::default() },
        notes: vec![
            "It is a pre-release of rustls. A record holds at most 16,367 bytes of plaintext, so a write of 16,384 bytes \
             makes two."
                .to_owned(),
        ],
        details: vec![
            "Wire bytes are copied into a buffer that the library decrypts in place, and copied from the one that it \
             encrypts to: one copy each way, as many as the released library makes by itself."
                .to_owned(),
        ],
    }
}

fn limit(axis: &str, value: &str, reason: String) -> Limit {
    Limit { axis: axis.to_owned(), value: value.to_owned(), reason }
}

fn version(package: &str) -> String {
    locked_version(include_str!("../Cargo.lock"), package).unwrap_or("not in the lock file").to_owned()
}
