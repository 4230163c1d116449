//! Signatures: fixed bytes, as many as the key would give.

use std::sync::Arc;

use rustls::crypto::{KeyProvider, WebPkiSupportedAlgorithms};
use rustls::pki_types::{
    AlgorithmIdentifier, InvalidSignature, PrivateKeyDer, SignatureVerificationAlgorithm, alg_id,
};
use rustls::sign::{Signer, SigningKey};
use rustls::{Error, SignatureAlgorithm, SignatureScheme};

use super::FILLER;

/// Checks the schemes that scenarios pin.
pub const ALL: WebPkiSupportedAlgorithms = WebPkiSupportedAlgorithms {
    all: &[&P256, &P384, &ED25519, &RSA, &RSA_PKCS1, &ML_DSA_44, &ML_DSA_65],
    mapping: &[
        (SignatureScheme::ECDSA_NISTP256_SHA256, &[&P256]),
        (SignatureScheme::ECDSA_NISTP384_SHA384, &[&P384]),
        (SignatureScheme::ED25519, &[&ED25519]),
        (SignatureScheme::RSA_PSS_SHA256, &[&RSA]),
        (SignatureScheme::RSA_PKCS1_SHA256, &[&RSA_PKCS1]),
        (SignatureScheme::ML_DSA_44, &[&ML_DSA_44]),
        (SignatureScheme::ML_DSA_65, &[&ML_DSA_65]),
    ],
};

static P256: Fixed = Fixed { key: alg_id::ECDSA_P256, signature: alg_id::ECDSA_SHA256 };
static P384: Fixed = Fixed { key: alg_id::ECDSA_P384, signature: alg_id::ECDSA_SHA384 };
static ED25519: Fixed = Fixed { key: alg_id::ED25519, signature: alg_id::ED25519 };
static RSA: Fixed = Fixed { key: alg_id::RSA_ENCRYPTION, signature: alg_id::RSA_PSS_SHA256 };
static RSA_PKCS1: Fixed = Fixed { key: alg_id::RSA_ENCRYPTION, signature: alg_id::RSA_PKCS1_SHA256 };
static ML_DSA_44: Fixed = Fixed { key: alg_id::ML_DSA_44, signature: alg_id::ML_DSA_44 };
static ML_DSA_65: Fixed = Fixed { key: alg_id::ML_DSA_65, signature: alg_id::ML_DSA_65 };

/// The kinds of keys: what tells one in PKCS#8, its scheme, and how long its signatures are. On a curve that is two
/// numbers of which one has its top bit set, the most frequent of three lengths.
const KINDS: [(&AlgorithmIdentifier, SignatureScheme, usize); 6] = [
    (&alg_id::ECDSA_P256, SignatureScheme::ECDSA_NISTP256_SHA256, 71),
    (&alg_id::ECDSA_P384, SignatureScheme::ECDSA_NISTP384_SHA384, 103),
    (&alg_id::ED25519, SignatureScheme::ED25519, 64),
    (&alg_id::RSA_ENCRYPTION, SignatureScheme::RSA_PSS_SHA256, 0),
    (&alg_id::ML_DSA_44, SignatureScheme::ML_DSA_44, 2420),
    (&alg_id::ML_DSA_65, SignatureScheme::ML_DSA_65, 3309),
];

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
        let kind = KINDS.iter().find(|(id, ..)| pkcs8.windows(id.len()).any(|part| part == &***id));
        let Some((_, scheme, bytes)) = kind else {
            return Err(Error::General("the key is of no kind that is known here".to_owned()));
        };
        let bytes = match (*scheme, pkcs8.len()) {
            (SignatureScheme::RSA_PSS_SHA256, 0..1500) => 256,
            (SignatureScheme::RSA_PSS_SHA256, 1500..2100) => 384,
            (SignatureScheme::RSA_PSS_SHA256, _) => 512,
            _ => *bytes,
        };
        Ok(Arc::new(Key { scheme: *scheme, bytes }))
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
        // An RSA key has a scheme for each version, and signatures of one length.
        let schemes = match self.scheme {
            SignatureScheme::RSA_PSS_SHA256 => &[self.scheme, SignatureScheme::RSA_PKCS1_SHA256][..],
            _ => &[self.scheme],
        };
        let scheme = schemes.iter().find(|scheme| offered.contains(scheme))?;
        Some(Box::new(Self { scheme: *scheme, ..*self }))
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        match self.scheme {
            SignatureScheme::RSA_PSS_SHA256 => SignatureAlgorithm::RSA,
            SignatureScheme::ED25519 => SignatureAlgorithm::ED25519,
            // ML-DSA has no code point among TLS 1.2's algorithms.
            SignatureScheme::ML_DSA_44 | SignatureScheme::ML_DSA_65 => SignatureAlgorithm::Unknown(0),
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
