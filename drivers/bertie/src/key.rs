//! The server's private key in the form that Bertie takes: a bare number, big-endian, as long as its key.

use pkcs1::RsaPrivateKeyRef;
use pkcs8::PrivateKeyInfoRef;
use sec1::EcPrivateKey;
use tlslab_driver_kit::Unready;
use tlslab_driver_kit::protocol::KeyType;

use crate::identity;

const ONLY_EXPONENT: [u8; 3] = [1, 0, 1];

/// The scalar of a P-256 key, or the private exponent of an RSA key, from PKCS#8.
pub fn secret_number(kind: KeyType, pkcs8: &[u8]) -> Result<Vec<u8>, Unready> {
    let info = PrivateKeyInfoRef::try_from(pkcs8)?;
    let key = info.private_key.as_bytes();
    match kind {
        KeyType::EcdsaP256 => Ok(EcPrivateKey::try_from(key)?.private_key.to_vec()),
        KeyType::Rsa2048 | KeyType::Rsa3072 | KeyType::Rsa4096 => {
            let key = RsaPrivateKeyRef::try_from(key)?;
            if key.public_exponent.as_bytes() != ONLY_EXPONENT {
                let reason = "Bertie takes no RSA key with a public exponent other than 65537";
                return Err(Unready::Unsupported(reason.to_owned()));
            }
            // DER drops leading zeros; the library wants as many bytes as the modulus has.
            Ok(padded(key.private_exponent.as_bytes(), key.modulus.as_bytes().len()))
        }
        other => Err(Unready::Unsupported(identity::no_such_key(other))),
    }
}

/// `number` with zeros before it until it has `length` bytes.
fn padded(number: &[u8], length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length.saturating_sub(number.len())];
    bytes.extend_from_slice(number);
    bytes
}

#[cfg(test)]
mod tests {
    use super::padded;

    #[test]
    fn a_short_exponent_is_padded_in_front() {
        assert_eq!(padded(&[1, 2], 4), [0, 0, 1, 2]);
        assert_eq!(padded(&[1, 2], 2), [1, 2]);
    }
}
