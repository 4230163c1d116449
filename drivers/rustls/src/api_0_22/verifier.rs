//! The levels of verification below rustls's own, which is chain and name.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tlslab_driver_kit::Unready;
use tlslab_driver_kit::protocol::Verification;

/// The verifier for a level.
pub fn for_level(
    level: Verification,
    roots: RootCertStore,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Unready> {
    let algorithms = provider.signature_verification_algorithms;
    Ok(match level {
        Verification::None => Arc::new(Partial { roots: None, algorithms }),
        Verification::Chain => Arc::new(Partial { roots: Some(roots), algorithms }),
        Verification::ChainAndName => {
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build()?
        }
    })
}

/// Checks the chain if it has roots, and never the name. The handshake's signature is always checked.
#[derive(Debug)]
struct Partial {
    roots: Option<RootCertStore>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Partial {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Some(roots) = &self.roots {
            let leaf = ParsedCertificate::try_from(leaf)?;
            verify_server_cert_signed_by_trust_anchor(&leaf, roots, intermediates, now, self.algorithms.all)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, leaf, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, leaf, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }

    #[cfg(has_ocsp_requests)]
    fn request_ocsp_response(&self) -> bool {
        false
    }
}
