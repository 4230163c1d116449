//! The harness of every native driver: loops, clock, buffers, checks and protocol.
//!
//! A driver implements [`Endpoint`] for one library and calls [`serve`]. A library written in C implements the
//! same contract through `include/tlslab_endpoint.h` and calls `tlslab_driver_main`. An endpoint has no I/O in
//! it: bytes in, bytes out. The kit alone decides what lies inside the clock: the endpoint's own calls.

mod allocator;
mod buffer;
#[cfg(feature = "c")]
mod c_endpoint;
#[cfg(feature = "c")]
mod c_primitive;
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

pub use buffer::Buffer;
pub use endpoint::{Endpoint, Identity, NoSession, Progress};
pub use error::{EndpointError, Unready};
pub use lock::locked_version;
pub use material::{ClientMaterial, Material};
pub use primitive::{Assignment, Primitive};
pub use serve::serve;
pub use tlslab_protocol as protocol;
