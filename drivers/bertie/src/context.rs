//! A scenario as Bertie takes it: one algorithm of each kind, and what a side knows beforehand.

use bertie::server::ServerDB;
use bertie::tls13crypto::{AeadAlgorithm, Algorithms, HashAlgorithm, KemScheme, SignatureScheme};
use bertie::tls13utils::Bytes;
use tlslab_driver_kit::protocol::{
    CipherSuite, Group, KeyType, ProtocolVersion, Scenario, Side, Verification,
};
use tlslab_driver_kit::{Material, Unready};

use crate::{identity, key};

/// What all connections of one side share.
pub enum Context {
    Client { algorithms: Algorithms, server_name: Bytes },
    Server { algorithms: Algorithms, database: ServerDB },
}

impl Context {
    /// Pins everything that the scenario names, or refuses.
    pub fn new(side: Side, scenario: &Scenario, material: &Material) -> Result<Self, Unready> {
        let algorithms = algorithms(scenario)?;
        let server_name = Bytes::from(material.server_name.as_bytes());
        Ok(match side {
            Side::Client => Context::Client { algorithms, server_name },
            Side::Server => {
                let leaf = material
                    .chain
                    .first()
                    .ok_or_else(|| Unready::Failed("the server's chain is empty".to_owned()))?;
                let secret = key::secret_number(scenario.signature, &material.key)?;
                let database =
                    ServerDB::new(server_name, leaf.as_slice().into(), secret.as_slice().into(), None);
                Context::Server { algorithms, database }
            }
        })
    }
}

fn algorithms(scenario: &Scenario) -> Result<Algorithms, Unready> {
    let unsupported = |reason: String| Err(Unready::Unsupported(reason));
    if scenario.version != ProtocolVersion::TLS13 {
        return unsupported(format!("Bertie speaks TLS 1.3 alone, not {}", scenario.version));
    }
    match scenario.verification {
        Verification::None => {}
        Verification::Chain => return unsupported(identity::NO_CHAIN.to_owned()),
        Verification::ChainAndName => return unsupported(identity::NO_CHAIN_AND_NO_NAME.to_owned()),
    }
    if scenario.tickets > 0 {
        return unsupported(identity::NO_TICKETS.to_owned());
    }
    if !identity::runs_here(scenario.suite) {
        return unsupported(identity::no_such_cipher(scenario.suite));
    }
    let (hash, aead) = match scenario.suite {
        CipherSuite::AES_128_GCM => (HashAlgorithm::SHA256, AeadAlgorithm::Aes128Gcm),
        CipherSuite::AES_256_GCM => (HashAlgorithm::SHA384, AeadAlgorithm::Aes256Gcm),
        CipherSuite::CHACHA20_POLY1305 => (HashAlgorithm::SHA256, AeadAlgorithm::Chacha20Poly1305),
        other => return unsupported(format!("Bertie has no suite {other}")),
    };
    let group = match scenario.group {
        Group::X25519 => KemScheme::X25519,
        Group::SECP256R1 => KemScheme::Secp256r1,
        other => return unsupported(format!("Bertie has no group {other}")),
    };
    let signature = match scenario.signature {
        KeyType::EcdsaP256 => SignatureScheme::EcdsaSecp256r1Sha256,
        KeyType::Rsa2048 | KeyType::Rsa3072 | KeyType::Rsa4096 => SignatureScheme::RsaPssRsaSha256,
        other => return unsupported(identity::no_such_key(other)),
    };
    Ok(Algorithms::new(hash, aead, signature, group, false, false))
}
