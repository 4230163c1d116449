//! The levels of verification below rustls's own, which is chain and name.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerIdentity, SignatureVerificationInput};
use rustls::crypto::{verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::CertificateDer;
use rustls::server::ParsedCertificate;
use rustls::{Error, RootCertStore};
use tlslab_driver_kit::Unready;
use tlslab_driver_kit::protocol::Verification;

use super::{CryptoProvider, SignatureScheme, WebPkiSupportedAlgorithms};

#[cfg(all(has_server_verifier, not(has_verified_identity)))]
use rustls::client::danger::PeerVerified;
#[cfg(not(has_server_verifier))]
use rustls::client::danger::{ServerCertVerified, ServerCertVerifier as ServerVerifier};
#[cfg(not(has_server_verifier))]
use rustls::client::verify_server_cert_signed_by_trust_anchor as verify_chain;
#[cfg(has_server_verifier)]
use rustls::client::{danger::ServerVerifier, verify_identity_signed_by_trust_anchor as verify_chain};

#[cfg(has_verified_identity)]
type Peer<'a, 'b> = ServerIdentity<'a, 'b>;
#[cfg(not(has_verified_identity))]
type Peer<'a, 'b> = ServerIdentity<'b>;

/// The verifier for a level.
pub fn for_level(
    level: Verification,
    roots: RootCertStore,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerVerifier>, Unready> {
    let algorithms = provider.signature_verification_algorithms;
    Ok(match level {
        Verification::None => Arc::new(Partial { roots: None, algorithms }),
        Verification::Chain => Arc::new(Partial { roots: Some(roots), algorithms }),
        Verification::ChainAndName => super::own_verifier!(WebPkiServerVerifier, Arc::new(roots), provider),
    })
}

/// Checks the chain if it has roots, and never the name. The handshake's signature is always checked.
#[derive(Debug)]
struct Partial {
    roots: Option<RootCertStore>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Partial {
    fn check(&self, peer: &Peer<'_, '_>) -> Result<(), Error> {
        let Some(roots) = &self.roots else { return Ok(()) };
        #[cfg(has_mapping)]
        let all = crate::provider::package::ALL_VERIFICATION_ALGS;
        #[cfg(not(has_mapping))]
        let all = self.algorithms.all;
        let (leaf, intermediates) = chain(peer)?;
        verify_chain(&ParsedCertificate::try_from(leaf)?, roots, intermediates, peer.now, all)
    }
}

/// The leaf and what comes after it.
#[cfg(has_peer_identity)]
fn chain<'p>(peer: &'p Peer<'_, '_>) -> Result<(&'p CertificateDer<'p>, &'p [CertificateDer<'p>]), Error> {
    match peer.identity {
        super::Identity::X509(chain) => Ok((&chain.end_entity, &chain.intermediates)),
        _ => Err(Error::General("the peer shows no certificate".to_owned())),
    }
}

/// The leaf and what comes after it.
#[cfg(not(has_peer_identity))]
fn chain<'p>(peer: &'p Peer<'_, '_>) -> Result<(&'p CertificateDer<'p>, &'p [CertificateDer<'p>]), Error> {
    Ok((peer.end_entity, peer.intermediates))
}

impl ServerVerifier for Partial {
    #[cfg(has_verified_identity)]
    fn verify_identity<'a>(
        &self,
        peer: &ServerIdentity<'a, '_>,
    ) -> Result<rustls::crypto::VerifiedIdentity<'a>, Error> {
        self.check(peer)?;
        Ok(rustls::crypto::VerifiedIdentity::assertion(peer.identity.clone()))
    }

    #[cfg(all(has_server_verifier, not(has_verified_identity)))]
    fn verify_identity(&self, peer: &ServerIdentity<'_>) -> Result<PeerVerified, Error> {
        self.check(peer)?;
        Ok(PeerVerified::assertion())
    }

    #[cfg(not(has_server_verifier))]
    fn verify_server_cert(&self, peer: &ServerIdentity<'_>) -> Result<ServerCertVerified, Error> {
        self.check(peer)?;
        Ok(ServerCertVerified::assertion())
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

    /// Distinguishes configurations in a session cache; there is no such cache.
    #[cfg(has_config_hash)]
    fn hash_config(&self, _: &mut dyn std::hash::Hasher) {}
}
