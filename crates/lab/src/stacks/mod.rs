//! Stacks: their names in requests, what there is of them, and what is built, trusted and removed.

pub(crate) mod build;
pub(crate) mod capability;
pub(crate) mod driver_pages;
pub(crate) mod recorded;
pub(crate) mod remove;
pub(crate) mod states;
pub(crate) mod trusted;
