//! The endpoint contract in C, for drivers of libraries in C.

mod endpoint;
mod identity;
mod layout;
mod primitive;
mod status;
mod values;
