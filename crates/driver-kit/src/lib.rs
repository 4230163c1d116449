//! The harness of every native driver: loops, clock, buffers, checks and protocol.
//!
//! A driver implements [`Endpoint`] for one library and calls [`serve`]. A library written in C implements the
//! same contract through `include/tlslab_endpoint.h` and calls `tlslab_driver_main`. An endpoint has no I/O in
//! it: bytes in, bytes out. The kit alone decides what lies inside the clock: the endpoint's own calls.
//!
//! The kit asks what a library can do, value by value: an endpoint in Rust through [`capabilities`], one in C through its function
//! `can`. `include/tlslab_names.h` has the values and is made of the protocol's tables by
//! `UPDATE=1 cargo test -p tlslab-driver-kit names`; a test fails where it differs from them. `c_layout.rs` mirrors
//! `tlslab_endpoint.h`; a test compiles assertions of every size and offset. A change of the contract raises `TLSLAB_ABI`.

mod ability;
mod allocator;
mod buffer;
#[cfg(any(feature = "c", test))]
mod c_endpoint;
#[cfg(any(feature = "c", test))]
mod c_identity;
#[cfg(any(feature = "c", test))]
mod c_layout;
#[cfg(any(feature = "c", test))]
mod c_primitive;
#[cfg(any(feature = "c", test))]
mod c_values;
mod calibrate;
mod claimed;
mod clock;
mod count;
pub mod counter;
mod endpoint;
mod error;
mod heap;
mod held;
mod lock;
mod material;
mod memory_meter;
mod meter;
mod null;
mod pair;
mod placement;
mod planted_allocation;
mod planted_cost;
mod prepared_primitive;
mod primitive;
mod relay;
mod serve;
mod stack;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_handshakes;
#[cfg(test)]
mod tests_of_turns;
mod turn;
mod verify;
mod weigh;

pub use ability::{Ability, capabilities};
pub use buffer::Buffer;
pub use endpoint::{Endpoint, Identity, NoSession, Progress};
pub use error::{EndpointError, Unready};
pub use lock::locked_version;
pub use material::{ClientMaterial, Material};
pub use primitive::{Assignment, Primitive};
pub use serve::serve;
pub use tlslab_protocol as protocol;
