//! Records of TLS 1.3: the plaintext, and a tag that is its checksum.

use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter,
    OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls13AeadAlgorithm,
    UnsupportedOperationError,
};
use rustls::{ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion};

use super::checksum::checksum;

/// The length of a tag, bytes.
pub const TAG_BYTES: usize = 16;

/// In the place of a cipher.
pub struct Copies {
    /// The length of its key, bytes.
    pub key_bytes: usize,
}

impl Tls13AeadAlgorithm for Copies {
    fn encrypter(&self, _: AeadKey, _: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Records)
    }

    fn decrypter(&self, _: AeadKey, _: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Records)
    }

    fn key_len(&self) -> usize {
        self.key_bytes
    }

    fn extract_keys(&self, _: AeadKey, _: Iv) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Err(UnsupportedOperationError)
    }
}

/// One direction of a connection.
struct Records;

impl MessageEncrypter for Records {
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        sequence: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let mut payload = PrefixedPayload::with_capacity(self.encrypted_payload_len(message.payload.len()));
        payload.extend_from_chunks(&message.payload);
        payload.extend_from_slice(&message.typ.to_array());
        let tag = tag(payload.as_ref(), sequence);
        payload.extend_from_slice(&tag);
        Ok(OutboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + size_of::<u8>() + TAG_BYTES
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        sequence: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let (text, sent) = message.payload.split_last_chunk::<TAG_BYTES>().ok_or(Error::DecryptError)?;
        if *sent != tag(text, sequence) {
            return Err(Error::DecryptError);
        }
        let len = text.len();
        message.payload.truncate(len);
        message.into_tls13_unpadded_message()
    }
}

/// A record's tag.
pub fn tag(text: &[u8], sequence: u64) -> [u8; TAG_BYTES] {
    (checksum(text) ^ u128::from(sequence)).to_le_bytes()
}
