//! A scenario as Bertie takes it: one algorithm of each kind, and what a side knows beforehand.

use bertie::server::ServerDB;
use bertie::tls13crypto::{AeadAlgorithm, Algorithms, HashAlgorithm, KemScheme, SignatureScheme};
use bertie::tls13utils::Bytes;
use tlslab_driver_kit::protocol::{CipherSuite, Group, KeyType, Scenario, Side};
use tlslab_driver_kit::{Ability, Material, Unready};

use crate::{identity, key};

/// State shared by all connections of one side.
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
    let wanted = [
        Ability::Version(scenario.version),
        Ability::Verification(scenario.verification),
        Ability::Suite(scenario.suite),
        Ability::Group(scenario.group),
        Ability::Signature(scenario.signature),
    ];
    wanted.into_iter().try_for_each(identity::check)?;
    if scenario.tickets > 0 {
        identity::check(Ability::Tickets(scenario.tickets))?;
    }
    let all = suite(scenario.suite).zip(group(scenario.group)).zip(signature(scenario.signature));
    let (((hash, aead), group), signature) =
        all.ok_or_else(|| Unready::Failed("what is claimed has no name of Bertie's".to_owned()))?;
    Ok(Algorithms::new(hash, aead, signature, group, false, false))
}

/// A suite as Bertie has it.
pub fn suite(suite: CipherSuite) -> Option<(HashAlgorithm, AeadAlgorithm)> {
    Some(match suite {
        CipherSuite::AES_128_GCM => (HashAlgorithm::SHA256, AeadAlgorithm::Aes128Gcm),
        CipherSuite::AES_256_GCM => (HashAlgorithm::SHA384, AeadAlgorithm::Aes256Gcm),
        CipherSuite::CHACHA20_POLY1305 => (HashAlgorithm::SHA256, AeadAlgorithm::Chacha20Poly1305),
        _ => return None,
    })
}

/// A group as Bertie has it.
pub fn group(group: Group) -> Option<KemScheme> {
    Some(match group {
        Group::X25519 => KemScheme::X25519,
        Group::SECP256R1 => KemScheme::Secp256r1,
        _ => return None,
    })
}

/// The scheme with which the server signs and the client verifies, for a key.
pub fn signature(key: KeyType) -> Option<SignatureScheme> {
    Some(match key {
        KeyType::EcdsaP256 => SignatureScheme::EcdsaSecp256r1Sha256,
        KeyType::Rsa2048 | KeyType::Rsa3072 | KeyType::Rsa4096 => SignatureScheme::RsaPssRsaSha256,
        _ => return None,
    })
}
