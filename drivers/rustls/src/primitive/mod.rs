//! One cryptographic operation by itself: what the provider gives rustls, called through the traits by which rustls calls
//! it.

mod aead;
mod exchange;
mod signature;
mod symmetric;

use rustls::Tls13CipherSuite;
use tlslab_driver_kit::protocol::{Algorithm, CipherSuite, Group, HashFunction, KeyType, Operation};
use tlslab_driver_kit::{Assignment, Material, Primitive, Unready};

use crate::point::Point as _;
use crate::provider::BUILT_IN;

/// Why there are none, if that is so.
pub const NONE: Option<&str> = None;

/// The object for an assignment.
pub fn primitive(assignment: &Assignment, material: &Material) -> Result<Box<dyn Primitive>, Unready> {
    if let Some(reason) = (BUILT_IN.refusal)() {
        return Err(Unready::Unsupported(reason));
    }
    match assignment.algorithm {
        Algorithm::Hash(hash) => symmetric::new(hash, assignment),
        Algorithm::Aead(_) => aead::new(assignment, material),
        Algorithm::Signature(key) => signature::new(key, assignment, material),
        Algorithm::Group(group) => exchange::new(group),
    }
}

/// Every pair of an operation and an algorithm that the provider has.
pub fn claimed(suites: &[CipherSuite], keys: &[KeyType], groups: &[Group]) -> Vec<String> {
    if (BUILT_IN.refusal)().is_some() || cfg!(feature = "free") {
        return vec![];
    }
    let hashes =
        HashFunction::OF_TLS13.into_iter().filter(|hash| suite_with(*hash).is_some()).map(Algorithm::Hash);
    let aeads = CipherSuite::TLS13.into_iter().filter(|suite| suites.contains(suite)).map(Algorithm::Aead);
    let keys = keys.iter().copied().map(Algorithm::Signature);
    let groups = groups.iter().copied().map(Algorithm::Group);
    let algorithms: Vec<Algorithm> = hashes.chain(aeads).chain(keys).chain(groups).collect();
    let pairs = Operation::OF_TLS.into_iter().flat_map(|operation| {
        let fitting = algorithms.iter().filter(move |algorithm| operation.fits(**algorithm));
        fitting.map(move |algorithm| format!("{operation}/{algorithm}"))
    });
    pairs.collect()
}

/// A suite of TLS 1.3 by its code point.
fn suite(wanted: CipherSuite) -> Option<&'static Tls13CipherSuite> {
    let provider = (BUILT_IN.provider)();
    let found = provider.cipher_suites.iter().find(|suite| suite.suite().point() == wanted.0);
    found.and_then(|suite| suite.tls13())
}

/// A suite of TLS 1.3 that hashes with this function.
fn suite_with(hash: HashFunction) -> Option<&'static Tls13CipherSuite> {
    let of_hash: &[CipherSuite] = match hash {
        HashFunction::Sha256 => &[CipherSuite::AES_128_GCM, CipherSuite::CHACHA20_POLY1305],
        HashFunction::Sha384 => &[CipherSuite::AES_256_GCM],
        _ => &[],
    };
    of_hash.iter().find_map(|point| suite(*point))
}
