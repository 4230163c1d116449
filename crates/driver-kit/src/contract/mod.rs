//! The traits that a driver implements and the values that describe its library.

pub(crate) mod ability;
pub(crate) mod buffer;
pub(crate) mod claimed;
pub(crate) mod endpoint;
pub(crate) mod error;
pub(crate) mod lock;
pub(crate) mod material;
pub(crate) mod primitive;
