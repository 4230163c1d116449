//! Hashes and codes, as a suite's transcript and key schedule have them.

use rustls::crypto::hash::Hash;
use rustls::crypto::tls13::{Hkdf, OkmBlock};
use tlslab_driver_kit::protocol::{HashFunction, Operation};
use tlslab_driver_kit::{Assignment, Buffer, EndpointError, Primitive, Unready};

use crate::provider;

struct Digest(&'static dyn Hash);

/// On the clock: the key is taken in, and the code is made.
struct Code {
    provider: &'static dyn Hkdf,
    key: OkmBlock,
}

pub fn new(hash: HashFunction, assignment: &Assignment) -> Result<Box<dyn Primitive>, Unready> {
    let suite = super::suite_with(hash)
        .ok_or_else(|| Unready::Unsupported(provider::lacks(format!("suite with {}", hash.name()))))?;
    Ok(match assignment.operation {
        Operation::Hmac => {
            Box::new(Code { provider: suite.hkdf_provider, key: OkmBlock::new(&assignment.key) })
        }
        _ => Box::new(Digest(suite.common.hash_provider)),
    })
}

impl Primitive for Digest {
    fn run(
        &mut self,
        _: Operation,
        _: u64,
        input: &mut [u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        output.append(self.0.hash(input).as_ref());
        Ok(())
    }
}

impl Primitive for Code {
    fn run(
        &mut self,
        _: Operation,
        _: u64,
        input: &mut [u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        output.append(self.provider.hmac_sign(&self.key, input).as_ref());
        Ok(())
    }
}
