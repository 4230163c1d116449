//! The clock, the marks that attribute its time, and turns of measured slices.

pub(crate) mod clock;
mod faults;
pub(crate) mod meter;
pub(crate) mod phase;
pub(crate) mod turn;
