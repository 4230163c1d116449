//! Which stacks counts of instructions compare.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use tlslab_record::library;

/// Stacks of several libraries, which counts do not rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeveralLibraries(Vec<String>);

impl SeveralLibraries {
    /// Why counts do not rank libraries.
    pub const WHY: &str = "instruction counts compare a library only with itself and do not rank libraries: on the \
                           emulated processor each executes other functions";

    /// The libraries.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Those of these stacks, if there are several; `None` if all are versions and builds of one.
    pub fn among<'s>(stacks: impl IntoIterator<Item = &'s str>) -> Option<Self> {
        let libraries: BTreeSet<&str> = stacks.into_iter().map(library).collect();
        (libraries.len() > 1).then(|| Self(libraries.into_iter().map(str::to_owned).collect()))
    }
}

impl fmt::Display for SeveralLibraries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.join(", "), Self::WHY)
    }
}

impl Error for SeveralLibraries {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_builds_of_a_recipe_are_one_library() {
        assert_eq!(
            SeveralLibraries::among(["rustls/ring", "rustls/ring+lto", "rustls/ring@0.23.29+clang"]),
            None
        );
        assert_eq!(SeveralLibraries::among([]), None);
        let several = SeveralLibraries::among(["rustls/ring", "openssl", "rustls/aws-lc-rs"]).unwrap();
        assert_eq!(several.names(), ["openssl", "rustls/aws-lc-rs", "rustls/ring"]);
        let text = several.to_string();
        assert!(
            text.starts_with("openssl, rustls/aws-lc-rs, rustls/ring: instruction counts compare"),
            "{text}"
        );
    }
}
