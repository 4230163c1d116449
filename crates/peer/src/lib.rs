//! The lab's own TLS peer. It completes a handshake with a stack, or it breaks one rule in an otherwise
//! well-formed flight, to test whether the stack checks that rule.
//!
//! The peer is rustls with aws-lc-rs. A wrong signature is a valid signature of other data by the right key;
//! a wrong Finished has one bit flipped. Both are made before encryption, so that the records are authentic
//! and only the check of the message itself can find the error.
//!
//! ```
//! use tlslab_peer::{Flaw, Peer, Unable};
//! use tlslab_protocol::{Credentials, Scenario, Side};
//!
//! /// A server that signs other data than the handshake.
//! fn liar(scenario: &Scenario, credentials: &Credentials) -> Result<Peer, Unable> {
//!     Peer::new(Side::Server, scenario, credentials, Some(Flaw::Signature))
//! }
//! ```

mod finished;
mod peer;
mod signature;

pub use peer::{Answer, Flaw, Peer, Unable};
