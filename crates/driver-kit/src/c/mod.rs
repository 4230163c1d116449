//! The endpoint contract in C, for drivers of libraries in C.

pub(crate) mod endpoint;
pub(crate) mod identity;
pub(crate) mod layout;
pub(crate) mod primitive;
pub(crate) mod values;
