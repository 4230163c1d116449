//! Checks of sealed messages.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use chacha20poly1305::ChaCha20Poly1305;
use tlslab_protocol::{CipherSuite, Operation, Primitive, PrimitiveFacts, additional_data};

use super::expect::{differ, due, message_length};

const APPLICATION_DATA: u8 = 23;
const TAG_BYTES: usize = 16;

/// Checks a sealed message. Returns how, and whether it was sealed as a record's.
pub(super) fn check(
    suite: CipherSuite,
    wanted: &Primitive,
    facts: &PrimitiveFacts,
) -> Result<(&'static str, bool), String> {
    let opens = wanted.operation == Operation::AeadOpen;
    let (message, sealed) = if opens { (&facts.output, &facts.input) } else { (&facts.input, &facts.output) };
    message_length(wanted, message.len())?;
    let as_record = sealed.len() == message.len() + 1 + TAG_BYTES;
    let mut plain = message.clone();
    plain.extend(as_record.then_some(APPLICATION_DATA));
    let header = additional_data(wanted.header_bytes, plain.len());
    let expected = match suite {
        CipherSuite::AES_128_GCM => sealing::<Aes128Gcm>(&plain, &header, facts)?,
        CipherSuite::AES_256_GCM => sealing::<Aes256Gcm>(&plain, &header, facts)?,
        CipherSuite::CHACHA20_POLY1305 => sealing::<ChaCha20Poly1305>(&plain, &header, facts)?,
        other => return Err(format!("the lab has no AEAD of {other}")),
    };
    differ("the sealed message", &expected, sealed)?;
    if !opens {
        return Ok((
            "the lab's sealing of the same message under the same key and nonce is the same",
            as_record,
        ));
    }
    due(facts.refused.is_some(), || "it opened a message with a flipped bit".to_owned())?;
    Ok(("what was opened is what the lab seals the message to, and one flipped bit was refused", as_record))
}

fn sealing<C: Aead + KeyInit>(
    plain: &[u8],
    header: &[u8],
    facts: &PrimitiveFacts,
) -> Result<Vec<u8>, String> {
    let wrong = |what: &str| format!("a {what} that the AEAD does not take");
    let cipher = C::new_from_slice(&facts.key).map_err(|_| wrong("key"))?;
    let nonce = facts.nonce.as_slice().try_into().map_err(|_| wrong("nonce"))?;
    cipher.encrypt(nonce, Payload { msg: plain, aad: header }).map_err(|_| wrong("message"))
}
