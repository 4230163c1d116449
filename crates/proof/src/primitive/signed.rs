//! Verification of signatures.

use ml_dsa::{MlDsa44, MlDsa65, MlDsaParams};
use p256::ecdsa::signature::Verifier;
use rsa::pkcs1::DecodeRsaPublicKey;
use rsa::signature::Verifier as _;
use tlslab_protocol::{KeyType, PrimitiveFacts, message_to_sign};
use x509_parser::prelude::{FromDer, X509Certificate};

use super::expect::{differ, due};

pub(super) fn sign(key: KeyType, facts: &PrimitiveFacts, certificate: &[u8]) -> Result<&'static str, String> {
    differ("the message", &message_to_sign(), &facts.input)?;
    right(key, certificate, &facts.output)?;
    Ok("the lab finds the signature right under the certificate's key")
}

pub(super) fn verify(
    key: KeyType,
    facts: &PrimitiveFacts,
    certificate: &[u8],
) -> Result<&'static str, String> {
    right(key, certificate, &facts.input)?;
    due(facts.refused.is_some(), || "it took a signature with a flipped bit".to_owned())?;
    Ok("it took a signature that the lab finds right, and refused it with one bit flipped")
}

/// Fails unless a signature of the message is valid under a certificate's key.
fn right(key: KeyType, certificate: &[u8], signature: &[u8]) -> Result<(), String> {
    let (_, certificate) = X509Certificate::from_der(certificate)
        .map_err(|cause| format!("the certificate cannot be read: {cause}"))?;
    let public = &certificate.public_key().subject_public_key.data;
    let message = message_to_sign();
    let found = match key {
        KeyType::EcdsaP256 => p256::ecdsa::VerifyingKey::from_sec1_bytes(public)
            .and_then(|key| key.verify(&message, &p256::ecdsa::DerSignature::try_from(signature)?))
            .map_err(|cause| cause.to_string()),
        KeyType::EcdsaP384 => p384::ecdsa::VerifyingKey::from_sec1_bytes(public)
            .and_then(|key| key.verify(&message, &p384::ecdsa::DerSignature::try_from(signature)?))
            .map_err(|cause| cause.to_string()),
        KeyType::Ed25519 => ed25519(public, &message, signature),
        KeyType::Rsa2048 | KeyType::Rsa3072 | KeyType::Rsa4096 => pss(public, &message, signature),
        KeyType::MlDsa44 => ml_dsa::<MlDsa44>(public, &message, signature),
        KeyType::MlDsa65 => ml_dsa::<MlDsa65>(public, &message, signature),
    };
    found.map_err(|cause| format!("the signature is wrong by the lab's own check ({cause})"))
}

fn pss(public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), String> {
    let key = rsa::RsaPublicKey::from_pkcs1_der(public).map_err(|cause| cause.to_string())?;
    let key = rsa::pss::VerifyingKey::<rsa::sha2::Sha256>::new(key);
    let signature = rsa::pss::Signature::try_from(signature).map_err(|cause| cause.to_string())?;
    key.verify(message, &signature).map_err(|cause| cause.to_string())
}

fn ed25519(public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), String> {
    let key = ed25519_dalek::VerifyingKey::try_from(public).map_err(|cause| cause.to_string())?;
    let signature = ed25519_dalek::Signature::try_from(signature).map_err(|cause| cause.to_string())?;
    key.verify_strict(message, &signature).map_err(|cause| cause.to_string())
}

fn ml_dsa<P: MlDsaParams>(public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), String> {
    let length = || format!("a key of {} bytes", public.len());
    let key = ml_dsa::VerifyingKey::<P>::decode(&public.try_into().map_err(|_| length())?);
    let signature = ml_dsa::Signature::<P>::try_from(signature).map_err(|cause| cause.to_string())?;
    key.verify(message, &signature).map_err(|cause| cause.to_string())
}
