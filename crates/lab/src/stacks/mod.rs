//! Stacks: their names in requests, what there is of them, and what is built, trusted and removed.

pub mod build;
pub mod capability;
pub mod driver_pages;
pub mod recorded;
pub mod remove;
pub mod size;
pub mod states;
pub mod trusted;
