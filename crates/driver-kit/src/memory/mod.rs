//! A process's memory: its allocator and placement, and what each side uses.

pub(crate) mod allocator;
pub(crate) mod connection_buffer;
pub(crate) mod heap;
pub(crate) mod meter;
pub(crate) mod placement;
mod stack;
pub(crate) mod weigh;
