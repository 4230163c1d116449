//! Code points of the library's names, which older releases hand out by a method of their own.

use crate::api::{CipherSuite, NamedGroup, ProtocolVersion, SignatureScheme};

/// A name of TLS with a code point.
pub trait Point {
    /// The code point.
    fn point(&self) -> u16;
}

macro_rules! points {
    ($($name:ty),*) => {
        $(impl Point for $name {
            fn point(&self) -> u16 {
                #[cfg(has_code_points)]
                return (*self).into();
                #[cfg(not(has_code_points))]
                return self.get_u16();
            }
        })*
    };
}

points!(CipherSuite, NamedGroup, ProtocolVersion, SignatureScheme);
