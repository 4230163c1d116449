//! One cryptographic operation by itself: what the provider gives rustls, called through the traits by which rustls calls
//! it.

mod aead;
mod exchange;
mod signature;
mod symmetric;

use rustls::Tls13CipherSuite;
use tlslab_driver_kit::protocol::{Algorithm, CipherSuite, Group, HashFunction, KeyType, Operation};
use tlslab_driver_kit::{Assignment, Material, Primitive, Unready};

use crate::provider;

/// The object for an assignment.
pub fn primitive(assignment: &Assignment, material: &Material) -> Result<Box<dyn Primitive>, Unready> {
    match assignment.algorithm {
        Algorithm::Hash(hash) => symmetric::new(hash, assignment),
        Algorithm::Aead(suite) => aead::new(suite, assignment),
        Algorithm::Signature(key) => signature::new(key, assignment, material),
        Algorithm::Group(group) => exchange::new(group),
    }
}

/// Every pair of an operation and an algorithm that the provider has.
pub fn claimed(suites: &[CipherSuite], keys: &[KeyType], groups: &[Group]) -> Vec<String> {
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

/// A suite of TLS 1.3 that hashes with this function.
fn suite_with(hash: HashFunction) -> Option<&'static Tls13CipherSuite> {
    let of_hash: &[CipherSuite] = match hash {
        HashFunction::Sha256 => &[CipherSuite::AES_128_GCM, CipherSuite::CHACHA20_POLY1305],
        HashFunction::Sha384 => &[CipherSuite::AES_256_GCM],
        _ => &[],
    };
    of_hash.iter().find_map(|point| provider::tls13_suite(*point))
}
