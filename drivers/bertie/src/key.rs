//! The server's private key in the form that Bertie takes: a bare number, big-endian, as long as its key.

use pkcs1::RsaPrivateKeyRef;
use pkcs8::PrivateKeyInfoRef;
use sec1::EcPrivateKey;
use tlslab_driver_kit::Unready;
use tlslab_driver_kit::protocol::KeyType;

const ONLY_EXPONENT: [u8; 3] = [1, 0, 1];

/// The scalar of a P-256 key, or the private exponent of an RSA key, from PKCS#8.
pub fn secret_number(kind: KeyType, pkcs8: &[u8]) -> Result<Vec<u8>, Unready> {
    let info = PrivateKeyInfoRef::try_from(pkcs8)?;
    let key = info.private_key.as_bytes();
    match kind {
        KeyType::EcdsaP256 => Ok(EcPrivateKey::try_from(key)?.private_key.to_vec()),
        KeyType::Rsa2048 | KeyType::Rsa4096 => {
            let key = RsaPrivateKeyRef::try_from(key)?;
            if key.public_exponent.as_bytes() != ONLY_EXPONENT {
                let reason = "Bertie takes no RSA key with a public exponent other than 65537";
                return Err(Unready::Unsupported(reason.to_owned()));
            }
            // DER drops leading zeros; the library wants as many bytes as the modulus has.
            let exponent = key.private_exponent.as_bytes();
            let missing = key.modulus.as_bytes().len().saturating_sub(exponent.len());
            Ok([vec![0; missing].as_slice(), exponent].concat())
        }
    }
}
