//! The operations of a provider of rustls 0.24, through the traits by which rustls calls it.

use rustls::pki_types::SignatureVerificationAlgorithm;
use rustls::{Error, Tls13CipherSuite};

use super::names::SigningKey;
use super::{CryptoProvider, SignatureScheme, StartedKeyExchange};

pub use super::records::{NO_RECORDS, records};

#[cfg(has_boxed_keys)]
type Loaded = Box<dyn SigningKey>;
#[cfg(not(has_boxed_keys))]
type Loaded = std::sync::Arc<dyn SigningKey>;
#[cfg(has_kx_module)]
type Single = Box<dyn rustls::crypto::kx::ActiveKeyExchange>;
#[cfg(not(has_kx_module))]
type Single = Box<dyn rustls::crypto::ActiveKeyExchange>;

/// A loaded key. What signs with it is made for each signature, which uses it up.
pub type Signing = (Loaded, SignatureScheme);

/// A key with the scheme that it signs by.
pub fn signing(key: Loaded, scheme: SignatureScheme) -> Option<Signing> {
    Some((key, scheme))
}

/// Signs.
pub fn sign((key, scheme): &Signing, message: &[u8]) -> Result<Vec<u8>, Error> {
    let signer = key.choose_scheme(&[*scheme]);
    signer.ok_or_else(|| Error::General("the key does not sign like this".to_owned()))?.sign(message)
}

/// The verification algorithms of each scheme.
pub fn checks(
    provider: &CryptoProvider,
) -> &'static [(SignatureScheme, &'static [&'static dyn SignatureVerificationAlgorithm])] {
    #[cfg(has_mapping)]
    return provider.signature_verification_algorithms.mapping();
    #[cfg(not(has_mapping))]
    return provider.signature_verification_algorithms.mapping;
}

/// An exchange whose share goes with any peer's.
pub fn single(exchange: StartedKeyExchange) -> Single {
    #[cfg(has_started_exchanges)]
    return exchange.into_single();
    #[cfg(not(has_started_exchanges))]
    return exchange;
}

/// A provider's suites of TLS 1.3.
pub fn tls13_suites(provider: &CryptoProvider) -> Vec<&'static Tls13CipherSuite> {
    provider.tls13_cipher_suites.to_vec()
}
