//! What a job takes, and what happens while it is carried out.

pub(crate) mod event;
