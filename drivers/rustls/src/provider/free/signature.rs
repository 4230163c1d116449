//! Signatures: fixed bytes, as many as the key would give.

use std::sync::Arc;

use rustls::crypto::{KeyProvider, WebPkiSupportedAlgorithms};
use rustls::pki_types::{
    AlgorithmIdentifier, InvalidSignature, PrivateKeyDer, SignatureVerificationAlgorithm, alg_id,
};
use rustls::sign::{Signer, SigningKey};
use rustls::{Error, SignatureAlgorithm, SignatureScheme};

use super::FILLER;

/// Checks the two schemes that scenarios pin.
pub const ALL: WebPkiSupportedAlgorithms = WebPkiSupportedAlgorithms {
    all: &[&ECDSA, &RSA],
    mapping: &[
        (SignatureScheme::ECDSA_NISTP256_SHA256, &[&ECDSA]),
        (SignatureScheme::RSA_PSS_SHA256, &[&RSA]),
    ],
};

static ECDSA: Fixed = Fixed { key: alg_id::ECDSA_P256, signature: alg_id::ECDSA_SHA256 };
static RSA: Fixed = Fixed { key: alg_id::RSA_ENCRYPTION, signature: alg_id::RSA_PSS_SHA256 };
/// Two numbers of which one has its top bit set: the most frequent of the lengths from 70 to 72.
const ECDSA_BYTES: usize = 71;

/// Takes the fixed bytes and nothing else.
#[derive(Debug)]
struct Fixed {
    key: AlgorithmIdentifier,
    signature: AlgorithmIdentifier,
}

impl SignatureVerificationAlgorithm for Fixed {
    fn verify_signature(&self, _: &[u8], _: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        let fixed = !signature.is_empty() && signature.iter().all(|byte| *byte == FILLER);
        if fixed { Ok(()) } else { Err(InvalidSignature) }
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.key
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.signature
    }
}

/// Looks at a key for what kind it is and how long its signatures are.
#[derive(Debug)]
pub struct Keys;

impl KeyProvider for Keys {
    fn load_private_key(&self, der: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, Error> {
        let PrivateKeyDer::Pkcs8(key) = der else {
            return Err(Error::General("the key is not in PKCS#8".to_owned()));
        };
        // PKCS#8 holds the algorithm's identifier as it stands in a certificate. An RSA key is a bit more than the
        // modulus and seven numbers that add up to three and a half times as much.
        let pkcs8 = key.secret_pkcs8_der();
        let is_rsa = pkcs8.windows(alg_id::RSA_ENCRYPTION.len()).any(|part| part == &*alg_id::RSA_ENCRYPTION);
        Ok(Arc::new(match (is_rsa, pkcs8.len()) {
            (false, _) => Key { scheme: SignatureScheme::ECDSA_NISTP256_SHA256, bytes: ECDSA_BYTES },
            (true, 0..2000) => Key { scheme: SignatureScheme::RSA_PSS_SHA256, bytes: 256 },
            (true, _) => Key { scheme: SignatureScheme::RSA_PSS_SHA256, bytes: 512 },
        }))
    }
}

/// A key that signs with the fixed bytes.
#[derive(Debug, Clone, Copy)]
struct Key {
    scheme: SignatureScheme,
    bytes: usize,
}

impl SigningKey for Key {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        offered.contains(&self.scheme).then(|| Box::new(*self) as Box<dyn Signer>)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        match self.scheme {
            SignatureScheme::RSA_PSS_SHA256 => SignatureAlgorithm::RSA,
            _ => SignatureAlgorithm::ECDSA,
        }
    }
}

impl Signer for Key {
    fn sign(&self, _: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(vec![FILLER; self.bytes])
    }

    fn scheme(&self) -> SignatureScheme {
        self.scheme
    }
}
