//! Parts only for TLS 1.2: its records, and a key derivation that derives nothing.

use rustls::crypto::ActiveKeyExchange;
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, KeyBlockShape, MessageDecrypter, MessageEncrypter,
    OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls12AeadAlgorithm,
    UnsupportedOperationError,
};
use rustls::crypto::tls12::Prf;
use rustls::{ConnectionTrafficSecrets, Error};

use super::FILLER;
use super::aead::{TAG_BYTES, tag};

/// In the place of a cipher, with its lengths, bytes.
pub struct Copies {
    pub key_bytes: usize,
    /// The part of the nonce from the key block.
    pub salt_bytes: usize,
    /// The part of the nonce in each record.
    pub explicit_bytes: usize,
}

impl Tls12AeadAlgorithm for Copies {
    fn encrypter(&self, _: AeadKey, _: &[u8], _: &[u8]) -> Box<dyn MessageEncrypter> {
        Box::new(Records { explicit_bytes: self.explicit_bytes })
    }

    fn decrypter(&self, _: AeadKey, _: &[u8]) -> Box<dyn MessageDecrypter> {
        Box::new(Records { explicit_bytes: self.explicit_bytes })
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape {
            enc_key_len: self.key_bytes,
            fixed_iv_len: self.salt_bytes,
            explicit_nonce_len: self.explicit_bytes,
        }
    }

    fn extract_keys(
        &self,
        _: AeadKey,
        _: &[u8],
        _: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Err(UnsupportedOperationError)
    }
}

/// One direction of a connection.
struct Records {
    explicit_bytes: usize,
}

impl MessageEncrypter for Records {
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        sequence: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let mut payload = PrefixedPayload::with_capacity(self.encrypted_payload_len(message.payload.len()));
        payload.extend_from_slice(&[FILLER; LONGEST_NONCE][..self.explicit_bytes]);
        payload.extend_from_chunks(&message.payload);
        let tag = tag(payload.as_ref(), sequence);
        payload.extend_from_slice(&tag);
        Ok(OutboundOpaqueMessage::new(message.typ, message.version, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        self.explicit_bytes + payload_len + TAG_BYTES
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        sequence: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let (text, sent) = message.payload.split_last_chunk::<TAG_BYTES>().ok_or(Error::DecryptError)?;
        if *sent != tag(text, sequence) || text.len() < self.explicit_bytes {
            return Err(Error::DecryptError);
        }
        // The plaintext goes to the beginning, as where it is decrypted.
        let len = text.len() - self.explicit_bytes;
        message.payload.copy_within(self.explicit_bytes..self.explicit_bytes + len, 0);
        message.payload.truncate(len);
        Ok(message.into_plain_message())
    }
}

/// In the place of the PRF with a hash.
pub struct Derives;

impl Prf for Derives {
    fn for_key_exchange(
        &self,
        output: &mut [u8; 48],
        exchange: Box<dyn ActiveKeyExchange>,
        peer: &[u8],
        _: &[u8],
        _: &[u8],
    ) -> Result<(), Error> {
        exchange.complete(peer)?;
        output.fill(FILLER);
        Ok(())
    }

    /// Finished is made of the transcript's checksum, and thereby shows when the sides' transcripts differ.
    fn for_secret(&self, output: &mut [u8], _: &[u8], label: &[u8], seed: &[u8]) {
        output.fill(FILLER);
        if label.ends_with(b" finished") {
            for (at, byte) in seed.iter().enumerate() {
                output[at % FINISHED_BYTES] ^= byte;
            }
        }
    }
}

const LONGEST_NONCE: usize = 8;
const FINISHED_BYTES: usize = 12;
