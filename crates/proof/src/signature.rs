//! Inference of the signature scheme that a handshake must have used, from the offer.
//!
//! CertificateVerify is encrypted, so its scheme is not on the wire. The server may only use what the client
//! offers, so the offer proves the scheme of a completed handshake if it leaves no choice. That can be so
//! even if it contains several schemes: TLS 1.3 forbids PKCS #1 v1.5 in CertificateVerify (RFC 8446, section
//! 4.2.3; clients offer it for the chain's signatures), and a certificate's key fits only some schemes.

use tlslab_protocol::SignatureScheme;

use crate::{CertificateKey, KeyAlgorithm, Source};

/// The one possible scheme, with the sources that show it; `None` if there is a choice.
pub(crate) fn only_choice(
    offered: &[SignatureScheme],
    key: Option<&CertificateKey>,
) -> Option<(SignatureScheme, Vec<Source>)> {
    let mut usable = offered.iter().filter(|scheme| in_certificate_verify(**scheme));
    if let (Some(only), None) = (usable.next(), usable.next()) {
        return Some((*only, vec![Source::Wire]));
    }
    let key = key?;
    let mut fitting = offered.iter().filter(|scheme| fits(**scheme, key));
    match (fitting.next(), fitting.next()) {
        // The client reports the certificate.
        (Some(only), None) => Some((*only, vec![Source::Wire, Source::Client])),
        _ => None,
    }
}

/// Whether TLS 1.3 allows this scheme in a CertificateVerify: neither PKCS #1 v1.5 nor SHA-1, nor a pair of
/// hash and algorithm from TLS 1.2 without a meaning in TLS 1.3.
fn in_certificate_verify(scheme: SignatureScheme) -> bool {
    let [hash, algorithm] = scheme.0.to_be_bytes();
    match hash {
        0x00..=0x03 => false,
        0x04..=0x06 => algorithm == 0x03,
        _ => true,
    }
}

/// Whether a key can make this signature. In TLS 1.3 a scheme names the curve, so an ECDSA key fits exactly
/// one.
fn fits(scheme: SignatureScheme, key: &CertificateKey) -> bool {
    match key.algorithm {
        // rsa_pss_rsae_sha256, _sha384 and _sha512.
        KeyAlgorithm::Rsa => matches!(scheme.0, 0x0804..=0x0806),
        KeyAlgorithm::EcdsaP256 => scheme == SignatureScheme::ECDSA_SECP256R1_SHA256,
        KeyAlgorithm::EcdsaP384 => scheme == SignatureScheme::ECDSA_SECP384R1_SHA384,
        KeyAlgorithm::Ed25519 => scheme == SignatureScheme::ED25519,
        KeyAlgorithm::MlDsa44 => scheme == SignatureScheme::MLDSA44,
        KeyAlgorithm::MlDsa65 => scheme == SignatureScheme::MLDSA65,
        KeyAlgorithm::Other(_) => in_certificate_verify(scheme),
    }
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::KeyType;

    use super::*;

    fn choice(offered: &[u16], key: Option<KeyType>) -> Option<(u16, Vec<Source>)> {
        let offered: Vec<_> = offered.iter().copied().map(SignatureScheme).collect();
        let key = key.map(CertificateKey::of_type);
        only_choice(&offered, key.as_ref()).map(|(scheme, sources)| (scheme.0, sources))
    }

    #[test]
    fn one_scheme_leaves_no_choice() {
        assert_eq!(choice(&[0x0403], None), Some((0x0403, vec![Source::Wire])));
        assert_eq!(choice(&[0x0804, 0x0401, 0x0201, 0x0402], None), Some((0x0804, vec![Source::Wire])));
        assert_eq!(choice(&[], None), None);
        assert_eq!(choice(&[0x0401], None), None);
    }

    #[test]
    fn a_key_may_leave_no_choice() {
        let by_key = |scheme| Some((scheme, vec![Source::Wire, Source::Client]));
        assert_eq!(choice(&[0x0403, 0x0503, 0x0804], Some(KeyType::EcdsaP256)), by_key(0x0403));
        assert_eq!(choice(&[0x0403, 0x0804], Some(KeyType::Rsa2048)), by_key(0x0804));
        assert_eq!(choice(&[0x0403, 0x0503, 0x0807], Some(KeyType::EcdsaP384)), by_key(0x0503));
        assert_eq!(choice(&[0x0403, 0x0807, 0x0905], Some(KeyType::Ed25519)), by_key(0x0807));
        assert_eq!(choice(&[0x0904, 0x0905, 0x0906], Some(KeyType::MlDsa65)), by_key(0x0905));
        assert_eq!(choice(&[0x0403, 0x0804, 0x0805], Some(KeyType::Rsa2048)), None);
        assert_eq!(choice(&[0x0403, 0x0804], None), None);
    }
}
