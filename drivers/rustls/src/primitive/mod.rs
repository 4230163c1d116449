//! One cryptographic operation alone: the provider's for rustls, called through the traits by which rustls calls
//! it.

mod exchange;
mod signature;
mod symmetric;

use rustls::Tls13CipherSuite;
use tlslab_driver_kit::protocol::{Algorithm, CipherSuite, HashFunction};
use tlslab_driver_kit::{Ability, Assignment, Material, Primitive, Unready};

use crate::api::operations;
use crate::identity;
use crate::point::Point as _;
use crate::provider::BUILT_IN;

/// Why there are no operations, if so.
pub const NONE: Option<&str> = None;

/// A record's header, which is authenticated, bytes.
const HEADER: usize = 5;

/// The most that a record holds, bytes.
const RECORD: usize = 16 * 1024;

/// The object for an assignment.
pub fn primitive(assignment: &Assignment, material: &Material) -> Result<Box<dyn Primitive>, Unready> {
    identity::check(Ability::Primitives)?;
    match assignment.algorithm {
        Algorithm::Hash(hash) => symmetric::new(hash, assignment),
        Algorithm::Aead(suite) => records(suite, assignment, material),
        Algorithm::Signature(key) => signature::new(key, assignment, material),
        Algorithm::Group(group) => exchange::new(group),
    }
}

/// Why there are no record primitives, if so.
pub const NO_RECORDS: Option<&str> = operations::NO_RECORDS;

/// Whether a suite hashes with this function.
pub fn has_hash(hash: HashFunction) -> bool {
    suite_with(hash).is_some()
}

/// Encrypters and decrypters work on whole records: the message gets its content type behind it.
fn records(
    point: CipherSuite,
    assignment: &Assignment,
    material: &Material,
) -> Result<Box<dyn Primitive>, Unready> {
    let suite = suite(point).ok_or_else(|| Unready::Unsupported(BUILT_IN.lacks(point)))?;
    if assignment.header.len() != HEADER {
        return Err(Unready::Unsupported(
            "rustls seals records of TLS 1.3, whose header has 5 bytes, and takes no other header".to_owned(),
        ));
    }
    if assignment.bytes > RECORD {
        return Err(Unready::Unsupported(format!(
            "rustls seals records, which have at most {RECORD} bytes, and no longer messages"
        )));
    }
    operations::records(suite, assignment, material)
}

/// A suite of TLS 1.3 by its code point.
fn suite(wanted: CipherSuite) -> Option<&'static Tls13CipherSuite> {
    let suites = operations::tls13_suites(&(BUILT_IN.provider)());
    suites.into_iter().find(|suite| suite.common.suite.point() == wanted.0)
}

/// A suite of TLS 1.3 that hashes with this function.
fn suite_with(hash: HashFunction) -> Option<&'static Tls13CipherSuite> {
    let is_of_tls = HashFunction::OF_TLS13.contains(&hash);
    let hashes = |suite: &CipherSuite| is_of_tls && suite.hash_bytes() == hash.digest_bytes();
    CipherSuite::TLS13.into_iter().filter(hashes).find_map(suite)
}
