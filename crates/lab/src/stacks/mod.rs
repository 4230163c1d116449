//! Stacks: their names in requests, their state, and how they are built, trusted and removed.

pub mod build;
pub mod capability;
pub mod driver_pages;
pub(crate) mod loaded;
pub mod recorded;
pub mod remove;
pub mod size;
pub mod states;
pub mod trusted;
