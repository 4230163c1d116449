//! The levels of verification, with one signature scheme to offer.

use std::sync::Arc;
use std::time::SystemTime;

use rustls::client::{ServerCertVerified, ServerCertVerifier, WebPkiVerifier};
use rustls::{Certificate, Error, RootCertStore, ServerName, SignatureScheme};
use tlslab_driver_kit::protocol::Verification;

/// The verifier for a level.
pub fn for_level(
    level: Verification,
    roots: RootCertStore,
    schemes: Vec<SignatureScheme>,
) -> Arc<dyn ServerCertVerifier> {
    Arc::new(Pinned { level, inner: WebPkiVerifier::new(roots.clone(), None), roots, schemes })
}

/// Checks what the level wants of the chain. The handshake's signature is always checked.
struct Pinned {
    level: Verification,
    inner: WebPkiVerifier,
    #[cfg_attr(not(has_chain_alone), expect(dead_code, reason = "the library has no call for it"))]
    roots: RootCertStore,
    schemes: Vec<SignatureScheme>,
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

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes.clone()
    }

    /// No log of certificates is known, so none is asked for.
    fn request_scts(&self) -> bool {
        false
    }
}
