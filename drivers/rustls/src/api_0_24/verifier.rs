//! The levels of verification below rustls's own, which is chain and name.

use std::hash::Hasher;
use std::sync::Arc;

use rustls::client::danger::{
    HandshakeSignatureValid, ServerIdentity, ServerVerifier, SignatureVerificationInput,
};
use rustls::client::{WebPkiServerVerifier, verify_identity_signed_by_trust_anchor};
use rustls::crypto::{
    CryptoProvider, Identity, SignatureScheme, VerifiedIdentity, WebPkiSupportedAlgorithms,
    verify_tls12_signature, verify_tls13_signature,
};
use rustls::error::ApiMisuse;
use rustls::server::ParsedCertificate;
use rustls::{Error, RootCertStore};
use tlslab_driver_kit::Unready;
use tlslab_driver_kit::protocol::Verification;

use crate::provider::package::ALL_VERIFICATION_ALGS;

/// The verifier for a level.
pub fn for_level(
    level: Verification,
    roots: RootCertStore,
    provider: &CryptoProvider,
) -> Result<Arc<dyn ServerVerifier>, Unready> {
    let algorithms = provider.signature_verification_algorithms;
    Ok(match level {
        Verification::None => Arc::new(Partial { roots: None, algorithms }),
        Verification::Chain => Arc::new(Partial { roots: Some(roots), algorithms }),
        Verification::ChainAndName => {
            Arc::new(WebPkiServerVerifier::builder(Arc::new(roots), provider).build()?)
        }
    })
}

/// Checks the chain if it has roots, and never the name. The handshake's signature is always checked.
#[derive(Debug)]
struct Partial {
    roots: Option<RootCertStore>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerVerifier for Partial {
    fn verify_identity<'a>(&self, peer: &ServerIdentity<'a, '_>) -> Result<VerifiedIdentity<'a>, Error> {
        if let Some(roots) = &self.roots {
            let Identity::X509(chain) = peer.identity else {
                return Err(ApiMisuse::UnverifiableCertificateType.into());
            };
            let leaf = ParsedCertificate::try_from(&chain.end_entity)?;
            verify_identity_signed_by_trust_anchor(
                &leaf,
                roots,
                &chain.intermediates,
                peer.now,
                ALL_VERIFICATION_ALGS,
            )?;
        }
        Ok(VerifiedIdentity::assertion(peer.identity.clone()))
    }

    fn verify_tls12_signature(
        &self,
        input: &SignatureVerificationInput<'_>,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(input, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        input: &SignatureVerificationInput<'_>,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(input, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }

    fn request_ocsp_response(&self) -> bool {
        false
    }

    /// Tells configurations apart in a session cache, which there is none of.
    fn hash_config(&self, _: &mut dyn Hasher) {}
}
