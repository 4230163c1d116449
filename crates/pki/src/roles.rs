//! The role of each file of a key type.

use std::fmt;

use tlslab_protocol::{KeyType, Scenario};

/// The root that signed the chains.
pub(crate) const ROOT: &str = "root";
/// A root without certificates in the lab.
pub(crate) const OTHER_ROOT: &str = "other-root";
/// The key of every server's certificate.
pub(crate) const LEAF_KEY: &str = "leaf-key";
/// The key of every client's certificate.
pub(crate) const CLIENT_KEY: &str = "client-key";

/// The intermediate at this depth below the root, from 1 to one less than the longest chain.
pub(crate) fn intermediate(depth: u32) -> String {
    format!("intermediate-{depth}")
}

/// The server's certificate in a chain of this length.
pub(crate) fn leaf(chain: u32) -> String {
    format!("leaf-{chain}")
}

/// The client's certificate in a chain of this length.
pub(crate) fn client(chain: u32) -> String {
    format!("client-{chain}")
}

/// The defect of a server's certificate whose chain leads to the right root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Defect {
    /// It was valid only in 2020.
    Expired,
    /// It will be valid from 2048 on.
    NotYetValid,
    /// Its extended key usage is a client's.
    WrongUsage,
    /// One bit of its signature is flipped.
    BadSignature,
}

impl Defect {
    /// All defects.
    pub const ALL: [Self; 4] = [Self::Expired, Self::NotYetValid, Self::WrongUsage, Self::BadSignature];
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Defect::Expired => "expired",
            Defect::NotYetValid => "not-yet-valid",
            Defect::WrongUsage => "wrong-usage",
            Defect::BadSignature => "bad-signature",
        })
    }
}

/// The server's certificate with a defect, in a chain of this length.
pub(crate) fn defective(defect: Defect, chain: u32) -> String {
    format!("{defect}-{chain}")
}

/// A file of so many roots, as PEM: it contains the signing one, or the other one in its place.
pub(crate) fn roots(count: u32, root: &str) -> String {
    format!("{root}s-{count}")
}

/// Every role, in the manifest's order.
pub(crate) fn all() -> Vec<String> {
    let mut roles = vec![ROOT.to_owned(), OTHER_ROOT.to_owned(), LEAF_KEY.to_owned(), CLIENT_KEY.to_owned()];
    roles.extend((1..Scenario::LONGEST_CHAIN).map(intermediate));
    roles.extend((1..=Scenario::LONGEST_CHAIN).flat_map(|chain| [leaf(chain), client(chain)]));
    roles.extend(
        (1..=Scenario::LONGEST_CHAIN).flat_map(|chain| Defect::ALL.map(|defect| defective(defect, chain))),
    );
    roles
        .extend(Scenario::ROOTS.into_iter().flat_map(|count| [roots(count, ROOT), roots(count, OTHER_ROOT)]));
    roles
}

/// Whether only the lab's user may read it.
pub(crate) fn is_key(role: &str) -> bool {
    [LEAF_KEY, CLIENT_KEY].contains(&role)
}

/// The ending of a role's file: files of several roots are text.
pub(crate) fn extension(role: &str) -> &'static str {
    if role.contains("roots-") { "pem" } else { "der" }
}

/// The file of a role, relative to the PKI's folder.
pub(crate) fn file_name(key_type: KeyType, role: &str) -> String {
    format!("{key_type}/{role}.{}", extension(role))
}
