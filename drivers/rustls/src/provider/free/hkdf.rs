//! The key schedule's functions: nothing is derived, since nothing reads the keys.

use rustls::crypto::hmac::Tag;
use rustls::crypto::tls13::{Hkdf, HkdfExpander, OkmBlock, OutputLengthError};

use super::FILLER;
use super::hash::Free;

/// In the place of HKDF with a hash.
pub struct Derives(pub &'static Free);

impl Hkdf for Derives {
    fn extract_from_zero_ikm(&self, _: Option<&[u8]>) -> Box<dyn HkdfExpander> {
        Box::new(Secret { len: self.0.len })
    }

    fn extract_from_secret(&self, _: Option<&[u8]>, _: &[u8]) -> Box<dyn HkdfExpander> {
        Box::new(Secret { len: self.0.len })
    }

    fn expander_for_okm(&self, _: &OkmBlock) -> Box<dyn HkdfExpander> {
        Box::new(Secret { len: self.0.len })
    }

    /// Finished is the transcript's checksum itself, and thereby shows when the sides' transcripts differ.
    fn hmac_sign(&self, _: &OkmBlock, message: &[u8]) -> Tag {
        Tag::new(message)
    }
}

/// A secret of which only the length is known.
struct Secret {
    len: usize,
}

impl HkdfExpander for Secret {
    fn expand_slice(&self, _: &[&[u8]], output: &mut [u8]) -> Result<(), OutputLengthError> {
        output.fill(FILLER);
        Ok(())
    }

    fn expand_block(&self, _: &[&[u8]]) -> OkmBlock {
        OkmBlock::new(&[FILLER; OkmBlock::MAX_LEN][..self.len])
    }

    fn hash_len(&self) -> usize {
        self.len
    }
}
