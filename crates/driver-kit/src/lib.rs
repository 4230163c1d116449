//! The harness of every native driver: loops, clock, buffers, checks and protocol.
//!
//! A driver implements [`Endpoint`] for one library and calls [`serve`]. A library written in C implements
//! the same contract through `include/tlslab_endpoint.h` and calls `tlslab_driver_main`. An endpoint does no
//! I/O: bytes in, bytes out. The kit decides what is timed: only the endpoint's own calls.
//!
//! The kit asks about each value of each axis whether the library supports it: an endpoint in Rust through
//! [`capabilities`], one in C through its function `can`. `UPDATE=1 cargo test -p tlslab-driver-kit names`
//! generates `include/tlslab_names.h`, which lists the values, from the protocol's tables; a test fails if it
//! is out of date. `c/layout.rs` mirrors `tlslab_endpoint.h`; a test compiles assertions of every size and
//! offset. A change of the contract increments `TLSLAB_ABI`.

#[cfg(any(feature = "c", test))]
#[allow(unreachable_pub, reason = "its functions and layouts are reached from C")]
mod c;
mod calibrate;
mod contract;
mod count;
mod hidden;
mod kernel;
mod memory;
mod pair;
mod planted;
mod prepared_primitive;
mod serve;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_handshakes;
#[cfg(test)]
mod tests_of_requests;
#[cfg(test)]
mod tests_of_turns;
mod timing;

pub use contract::ability::{Ability, capabilities};
pub use contract::buffer::Buffer;
pub use contract::endpoint::{Endpoint, Identity, NoSession, Progress};
pub use contract::error::{EndpointError, Unready};
pub use contract::lock::locked_version;
pub use contract::material::{ClientMaterial, Material};
pub use contract::primitive::{Assignment, Primitive};
pub use serve::serve;
pub use tlslab_protocol as protocol;
