//! What a driver implements and says of its library.

pub(crate) mod ability;
pub(crate) mod buffer;
pub(crate) mod claimed;
pub(crate) mod endpoint;
pub(crate) mod error;
pub(crate) mod lock;
pub(crate) mod material;
pub(crate) mod primitive;
