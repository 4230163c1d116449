//! Forecasts of a job's duration, and events while it is carried out.

pub(crate) mod durations;
pub(crate) mod event;
pub(crate) mod forecast;
pub(crate) mod phase;
pub(crate) mod steps;
