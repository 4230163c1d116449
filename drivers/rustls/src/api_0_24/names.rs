//! Names of rustls that have wandered between its modules, wherever they are, and those that were changed.

#[allow(unused_imports, reason = "which modules have what differs from day to day")]
mod anywhere {
    pub use rustls::client::*;
    #[cfg(has_kx_module)]
    pub use rustls::crypto::kx::*;
    pub use rustls::crypto::*;
    #[cfg(has_enums_module)]
    pub use rustls::enums::*;
    #[cfg(has_error_module)]
    pub use rustls::error::*;
    #[cfg(has_sign_module)]
    pub use rustls::sign::*;
    pub use rustls::*;
}

pub use anywhere::{
    CipherSuite, CryptoProvider, NamedGroup, ProtocolVersion, SignatureScheme, SigningKey, SupportedKxGroup,
    WebPkiSupportedAlgorithms,
};

#[cfg(all(has_peer_identity, has_identity_name))]
pub use anywhere::Identity;
#[cfg(all(has_peer_identity, not(has_identity_name)))]
pub use anywhere::PeerIdentity as Identity;
#[cfg(has_started_exchanges)]
pub use anywhere::StartedKeyExchange;
#[cfg(not(has_session_names))]
pub use anywhere::{Tls12ClientSessionValue as Tls12Session, Tls13ClientSessionValue as Tls13Session};
#[cfg(has_session_names)]
pub use anywhere::{Tls12Session, Tls13Session};
