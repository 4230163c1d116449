//! Who this stack is.

use tlslab_driver_kit::protocol::{
    Capabilities, CipherSuite, Group, KeyType, Library, ProtocolVersion, Verification,
};
use tlslab_driver_kit::{Identity, locked_version};

/// What the crate leads to, with OpenSSL's names.
pub const GROUPS: [(Group, &str); 5] = [
    (Group::X25519, "X25519"),
    (Group::SECP256R1, "P-256"),
    (Group::SECP384R1, "P-384"),
    (Group::X25519MLKEM768, "X25519MLKEM768"),
    (Group::SECP256R1MLKEM768, "SecP256r1MLKEM768"),
];
pub const SUITES: [(CipherSuite, &str); 3] = [
    (CipherSuite::AES_128_GCM, "TLS_AES_128_GCM_SHA256"),
    (CipherSuite::AES_256_GCM, "TLS_AES_256_GCM_SHA384"),
    (CipherSuite::CHACHA20_POLY1305, "TLS_CHACHA20_POLY1305_SHA256"),
];
pub const SIGNATURES: [(KeyType, &str); 6] = [
    (KeyType::EcdsaP256, "ECDSA+SHA256"),
    (KeyType::EcdsaP384, "ECDSA+SHA384"),
    (KeyType::Ed25519, "ed25519"),
    (KeyType::Rsa2048, "RSA-PSS+SHA256"),
    (KeyType::Rsa3072, "RSA-PSS+SHA256"),
    (KeyType::Rsa4096, "RSA-PSS+SHA256"),
];
pub const MOST_TICKETS: u32 = 16;

pub fn identity() -> Identity {
    let version = locked_version(include_str!("../Cargo.lock"), "openssl").unwrap_or("not in the lock file");
    let linked = openssl::version::version();
    Identity {
        driver: "rust-openssl",
        library: Library {
            name: "rust-openssl".to_owned(),
            version: version.to_owned(),
            components: vec![("OpenSSL".to_owned(), linked.trim_start_matches("OpenSSL ").to_owned())],
        },
        capabilities: Capabilities {
            versions: vec![ProtocolVersion::TLS13],
            signatures: SIGNATURES.map(|(key, _)| key).to_vec(),
            groups: GROUPS.map(|(group, _)| group).to_vec(),
            suites: SUITES.map(|(suite, _)| suite).to_vec(),
            verification: vec![Verification::None, Verification::Chain, Verification::ChainAndName],
            max_tickets: MOST_TICKETS,
            works: vec!["handshake".to_owned(), "transfer".to_owned()],
            notes: vec![
                "Without verification OpenSSL still tries to build the chain and then ignores the outcome: the crate has no \
                 way to leave it out. There is no root then, so that the attempt ends early."
                    .to_owned(),
            ],
            details: vec!["What is received is copied once more, as a stream owns what it reads from.".to_owned()],
            // Nothing else is special: no limits, no offers or records of its own.
            ..Capabilities::default()
        },
    }
}
