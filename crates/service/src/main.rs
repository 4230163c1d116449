//! The service: see `README.md` of the crate, and the guide in `docs/guides/service.md`.

mod commands;
mod config;
mod pool;
mod schedule;
mod secret;
mod service;
mod subject;

fn main() {}
