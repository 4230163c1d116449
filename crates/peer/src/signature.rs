//! A key that signs modified data.

use std::sync::Arc;

use rustls::sign::{Signer, SigningKey};
use rustls::{Error, SignatureAlgorithm, SignatureScheme};

/// The key, with every signature over data with one bit flipped.
#[derive(Debug)]
pub(crate) struct OtherData(pub Arc<dyn SigningKey>);

impl SigningKey for OtherData {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let honest = self.0.choose_scheme(offered)?;
        Some(Box::new(OtherDataSigner(honest)))
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        self.0.algorithm()
    }
}

#[derive(Debug)]
struct OtherDataSigner(Box<dyn Signer>);

impl Signer for OtherDataSigner {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let mut other = message.to_vec();
        if let Some(last) = other.last_mut() {
            *last ^= 1;
        }
        self.0.sign(&other)
    }

    fn scheme(&self) -> SignatureScheme {
        self.0.scheme()
    }
}
