//! The levels of verification, with one signature scheme to offer.

use std::sync::Arc;
use std::time::SystemTime;

#[cfg(has_public_names)]
use rustls::DigitallySignedStruct;
use rustls::client::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier, WebPkiVerifier};
#[cfg(not(has_public_names))]
use rustls::internal::msgs::handshake::DigitallySignedStruct;
use rustls::{Certificate, Error, RootCertStore, ServerName, SignatureScheme};
use tlslab_driver_kit::Unready;
use tlslab_driver_kit::protocol::Verification;

/// Why a chain cannot be verified without its name, if that is so.
pub const NO_CHAIN_ALONE: Option<&str> = if cfg!(has_chain_alone) {
    None
} else {
    Some("rustls verifies a chain without its name since 0.21.3 alone")
};

/// The verifier for a level.
pub fn for_level(
    level: Verification,
    roots: RootCertStore,
    scheme: SignatureScheme,
) -> Result<Arc<dyn ServerCertVerifier>, Unready> {
    if let (Verification::Chain, Some(reason)) = (level, NO_CHAIN_ALONE) {
        return Err(Unready::Unsupported(reason.to_owned()));
    }
    Ok(Arc::new(Pinned { level, inner: WebPkiVerifier::new(roots.clone(), None), roots, scheme }))
}

/// Checks what the level wants of the chain. The handshake's signature is always checked.
struct Pinned {
    level: Verification,
    inner: WebPkiVerifier,
    #[cfg_attr(not(has_chain_alone), expect(dead_code, reason = "the library has no call for it"))]
    roots: RootCertStore,
    scheme: SignatureScheme,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        leaf: &Certificate,
        intermediates: &[Certificate],
        name: &ServerName,
        scts: &mut dyn Iterator<Item = &[u8]>,
        ocsp: &[u8],
        now: SystemTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.level {
            Verification::None => {}
            #[cfg(has_chain_alone)]
            Verification::Chain => {
                let leaf = rustls::server::ParsedCertificate::try_from(leaf)?;
                rustls::client::verify_server_cert_signed_by_trust_anchor(
                    &leaf,
                    &self.roots,
                    intermediates,
                    now,
                )?;
            }
            _ => return self.inner.verify_server_cert(leaf, intermediates, name, scts, ocsp, now),
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &Certificate,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, leaf, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &Certificate,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls13_signature(message, leaf, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![self.scheme]
    }

    /// No log of certificates is known, so none is asked for.
    fn request_scts(&self) -> bool {
        false
    }
}
