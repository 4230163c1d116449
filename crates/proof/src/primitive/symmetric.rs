//! Hashes and codes.

use hmac::{Hmac, KeyInit, Mac, SimpleHmac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};
use sha3::{Sha3_256, Sha3_384, Sha3_512};
use tlslab_protocol::{HashFunction, Primitive, PrimitiveFacts};

use super::expect::{differ, message_length};

pub(super) fn hash(
    hash: HashFunction,
    wanted: &Primitive,
    facts: &PrimitiveFacts,
) -> Result<&'static str, String> {
    message_length(wanted, facts.input.len())?;
    differ("the digest", &digest(hash, &facts.input), &facts.output)?;
    Ok("the lab's digest of the same message is the same")
}

fn digest(hash: HashFunction, message: &[u8]) -> Vec<u8> {
    match hash {
        HashFunction::Md5 => Md5::digest(message).to_vec(),
        HashFunction::Sha1 => Sha1::digest(message).to_vec(),
        HashFunction::Sha256 => Sha256::digest(message).to_vec(),
        HashFunction::Sha384 => Sha384::digest(message).to_vec(),
        HashFunction::Sha512 => Sha512::digest(message).to_vec(),
        HashFunction::Sha3_256 => Sha3_256::digest(message).to_vec(),
        HashFunction::Sha3_384 => Sha3_384::digest(message).to_vec(),
        HashFunction::Sha3_512 => Sha3_512::digest(message).to_vec(),
    }
}

pub(super) fn hmac(
    hash: HashFunction,
    wanted: &Primitive,
    facts: &PrimitiveFacts,
) -> Result<&'static str, String> {
    message_length(wanted, facts.input.len())?;
    let code = match hash {
        HashFunction::Md5 => code::<Hmac<Md5>>(facts)?,
        HashFunction::Sha1 => code::<Hmac<Sha1>>(facts)?,
        HashFunction::Sha256 => code::<Hmac<Sha256>>(facts)?,
        HashFunction::Sha384 => code::<Hmac<Sha384>>(facts)?,
        HashFunction::Sha512 => code::<Hmac<Sha512>>(facts)?,
        HashFunction::Sha3_256 => code::<SimpleHmac<Sha3_256>>(facts)?,
        HashFunction::Sha3_384 => code::<SimpleHmac<Sha3_384>>(facts)?,
        HashFunction::Sha3_512 => code::<SimpleHmac<Sha3_512>>(facts)?,
    };
    differ("the code", &code, &facts.output)?;
    Ok("the lab's code of the same message under the same key is the same")
}

fn code<M: Mac + KeyInit>(facts: &PrimitiveFacts) -> Result<Vec<u8>, String> {
    let mut mac =
        <M as KeyInit>::new_from_slice(&facts.key).map_err(|_| "a key that HMAC does not take".to_owned())?;
    mac.update(&facts.input);
    Ok(mac.finalize().into_bytes().to_vec())
}
