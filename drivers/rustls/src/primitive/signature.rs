//! Signatures by the provider's signer, and their check by its algorithms.

use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, SignatureVerificationAlgorithm};
use rustls::server::ParsedCertificate;
use tlslab_driver_kit::protocol::{KeyType, Operation, ProtocolVersion};
use tlslab_driver_kit::{Assignment, Buffer, EndpointError, Material, Primitive, Unready};

use crate::api::operations::{Signing, checks, sign, signing};
use crate::point::Point as _;
use crate::provider::BUILT_IN;

/// The key is loaded. The check decodes the public key each time: the library has no other way.
struct Signatures {
    own: Signing,
    check: &'static dyn SignatureVerificationAlgorithm,
    public: Vec<u8>,
    message: Vec<u8>,
}

pub fn new(
    key: KeyType,
    assignment: &Assignment,
    material: &Material,
) -> Result<Box<dyn Primitive>, Unready> {
    let provider = (BUILT_IN.provider)();
    let scheme = key.signature_scheme(ProtocolVersion::TLS13);
    let lacks = || Unready::Unsupported(BUILT_IN.lacks(scheme));
    let key =
        provider.key_provider.load_private_key(PrivatePkcs8KeyDer::from(material.key.clone()).into())?;
    let leaf = material.chain.first().map(|leaf| CertificateDer::from(leaf.as_slice()));
    let leaf = leaf.ok_or_else(|| Unready::Failed("there is no certificate".to_owned()))?;
    let info = ParsedCertificate::try_from(&leaf)?.subject_public_key_info();
    let found = checks(&provider).iter().find(|(known, _)| known.point() == scheme.0);
    let check = found.and_then(|(_, algorithms)| algorithms.first()).ok_or_else(lacks)?;
    Ok(Box::new(Signatures {
        own: signing(key, scheme.0.into()).ok_or_else(lacks)?,
        check: *check,
        public: bits(&info)
            .ok_or_else(|| Unready::Failed("the certificate's key has no bits".to_owned()))?
            .to_vec(),
        message: assignment.message.clone(),
    }))
}

impl Primitive for Signatures {
    fn run(
        &mut self,
        operation: Operation,
        _: u64,
        input: &mut [u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        if operation == Operation::Sign {
            output.append(&sign(&self.own, input)?);
            return Ok(());
        }
        let checked = self.check.verify_signature(&self.public, &self.message, input);
        checked.map_err(|_| EndpointError("the signature is wrong".to_owned()))
    }
}

/// The content of the bit string of a SubjectPublicKeyInfo, a sequence of an algorithm and this string.
fn bits(info: &[u8]) -> Option<&[u8]> {
    let (inside, _) = element(info)?;
    let (_, behind_algorithm) = element(inside)?;
    let (bits, _) = element(behind_algorithm)?;
    // The first byte is the number of unused bits at the end.
    bits.get(1..)
}

/// The content of a DER element, and what comes behind the element.
fn element(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&[_, first], rest) = der.split_first_chunk()?;
    let (length, rest) = match first {
        0..0x80 => (usize::from(first), rest),
        _ => {
            let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (length.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)), rest)
        }
    };
    rest.split_at_checked(length)
}
