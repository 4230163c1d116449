//! Key exchange: shares of the right length, and a secret that everyone knows.

use rustls::crypto::{ActiveKeyExchange, CompletedKeyExchange, SharedSecret, SupportedKxGroup};
use rustls::{Error, NamedGroup, PeerMisbehaved};

use super::FILLER;

/// All groups.
pub static ALL: [&dyn SupportedKxGroup; 5] = [
    &Free { name: NamedGroup::X25519, client: 32, server: 32, secret: 32 },
    &Free { name: NamedGroup::secp256r1, client: P256, server: P256, secret: 32 },
    &Free { name: NamedGroup::secp384r1, client: 97, server: 97, secret: 48 },
    &Free { name: NamedGroup::X25519MLKEM768, client: 32 + ML_KEM_KEY, server: 32 + ML_KEM_TEXT, secret: 64 },
    &Free {
        name: NamedGroup::secp256r1MLKEM768,
        client: P256 + ML_KEM_KEY,
        server: P256 + ML_KEM_TEXT,
        secret: 64,
    },
];

/// The lengths of an uncompressed point, and of ML-KEM-768's encapsulation key and ciphertext, bytes.
const P256: usize = 65;
const ML_KEM_KEY: usize = 1184;
const ML_KEM_TEXT: usize = 1088;
const LONGEST: usize = P256 + ML_KEM_KEY;
static BYTES: [u8; LONGEST] = [FILLER; LONGEST];

/// A group of which only the lengths are known, bytes.
#[derive(Debug, Clone, Copy)]
struct Free {
    name: NamedGroup,
    client: usize,
    server: usize,
    secret: usize,
}

impl Free {
    fn agree(&self, peer: &[u8], expected: usize) -> Result<SharedSecret, Error> {
        if peer.len() != expected {
            return Err(PeerMisbehaved::InvalidKeyShare.into());
        }
        Ok(SharedSecret::from(&BYTES[..self.secret]))
    }
}

impl SupportedKxGroup for Free {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        Ok(Box::new(*self))
    }

    /// The server's half, whose share is shorter where ML-KEM is part of it.
    fn start_and_complete(&self, peer: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let secret = self.agree(peer, self.client)?;
        Ok(CompletedKeyExchange { group: self.name, pub_key: BYTES[..self.server].to_vec(), secret })
    }

    fn name(&self) -> NamedGroup {
        self.name
    }
}

impl ActiveKeyExchange for Free {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        self.agree(peer, self.server)
    }

    fn pub_key(&self) -> &[u8] {
        &BYTES[..self.client]
    }

    fn group(&self) -> NamedGroup {
        self.name
    }
}
