//! The harness of every native driver: loops, clock, buffers, checks and protocol.
//!
//! A driver implements [`Endpoint`] for one library and calls [`serve`]. A library written in C implements the
//! same contract through `include/tlslab_endpoint.h` and calls `tlslab_driver_main`. An endpoint has no I/O in
//! it: bytes in, bytes out. The kit alone decides what lies inside the clock: the endpoint's own calls.
//!
//! The kit asks what a library can do, value by value: an endpoint in Rust through [`capabilities`], one in C through its function
//! `can`. `include/tlslab_names.h` has the values and is made of the protocol's tables by
//! `UPDATE=1 cargo test -p tlslab-driver-kit names`; a test fails where it differs from them. `c/layout.rs` mirrors
//! `tlslab_endpoint.h`; a test compiles assertions of every size and offset. A change of the contract raises `TLSLAB_ABI`.

#[cfg(any(feature = "c", test))]
mod c;
mod calibrate;
mod contract;
mod count;
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
mod tests_of_turns;
mod timing;

#[cfg(any(feature = "c", test))]
use c::{
    endpoint as c_endpoint, identity as c_identity, layout as c_layout, primitive as c_primitive,
    values as c_values,
};
use calibrate::null;
use contract::{ability, buffer, claimed, endpoint, error, lock, material, primitive};
pub use count::counter;
use memory::{allocator, heap, meter as memory_meter, placement, stack, weigh};
use pair::{held, verify};
use planted::{allocation as planted_allocation, cost as planted_cost};
use timing::{clock, meter, turn};

pub use ability::{Ability, capabilities};
pub use buffer::Buffer;
pub use endpoint::{Endpoint, Identity, NoSession, Progress};
pub use error::{EndpointError, Unready};
pub use lock::locked_version;
pub use material::{ClientMaterial, Material};
pub use primitive::{Assignment, Primitive};
pub use serve::serve;
pub use tlslab_protocol as protocol;
