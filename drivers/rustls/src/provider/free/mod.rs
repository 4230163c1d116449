//! A provider whose cryptography is free, so that rustls's protocol code is what is left to be measured.
//!
//! Messages and records are as long as with a real provider, and whatever a real provider would allocate through
//! rustls's traits is allocated. Nothing is secret, random or authentic. A checksum in each record and over the
//! transcript keeps one property: a byte that was altered is noticed.

mod aead;
mod checksum;
mod hash;
mod hkdf;
mod key_exchange;
mod signature;
mod suite;
mod ticketer;
mod tls12;

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, GetRandomFailed, SecureRandom};
use tlslab_driver_kit::Ability;
use tlslab_driver_kit::protocol::Verification;

use super::BuiltIn;

/// The provider of this build.
pub const BUILT_IN: BuiltIn = BuiltIn {
    ticketer: Some(|| Ok(Arc::new(ticketer::Copies))),
    cannot,
    notes: &[
        "No figure of this stack is a TLS library's speed: its cryptography does nothing, and only rustls's \
              protocol code is measured. It protects nothing.",
    ],
    details: &[
        "Key shares, signatures, tags and random numbers are fixed or cheap bytes as long as real ones.",
        "A record is copied, and its tag is an XOR of its words; so is the hash of the transcript. Where it was \
         tried, the XOR took about as long as one copy: a quarter of the time to send 16 KiB.",
        "An ECDSA signature always takes 71 bytes, the most frequent length of a real one.",
        "The client checks no chain; the handshake's signature must be the fixed bytes.",
    ],
    ..BuiltIn::new("the provider without cryptography", &["rustls-webpki"], provider, || {
        key_exchange::ALL.to_vec()
    })
};

fn cannot(asked: Ability) -> Option<&'static str> {
    match asked {
        Ability::Verification(Verification::Chain | Verification::ChainAndName)
        | Ability::MutualAuthentication => {
            Some("without cryptography a certificate from a wrong root would pass")
        }
        Ability::HelloRetry => Some(
            "without cryptography the transcript is summed up message by message, which a HelloRetryRequest makes \
             different for the two sides",
        ),
        Ability::Primitives => Some("its cryptography does nothing"),
        _ => None,
    }
}

fn provider() -> CryptoProvider {
    CryptoProvider {
        cipher_suites: suite::ALL.to_vec(),
        kx_groups: key_exchange::ALL.to_vec(),
        signature_verification_algorithms: signature::ALL,
        secure_random: &Fixed,
        key_provider: &signature::Keys,
    }
}

/// Random numbers that are all alike.
#[derive(Debug)]
struct Fixed;

impl SecureRandom for Fixed {
    fn fill(&self, buffer: &mut [u8]) -> Result<(), GetRandomFailed> {
        buffer.fill(FILLER);
        Ok(())
    }
}

/// The byte that stands for random and secret ones.
const FILLER: u8 = 0x5a;
