//! A machine that takes jobs.
//!
//! [`Runner`] asks a service for jobs, one at a time of those that measure time. Each step of a job is a
//! process `tlslab work`, so that whatever it does to its process ends with it. A supervisor renews the
//! job's lease; if that fails for as long as the lease lasts, the job is stopped. The runner holds no
//! credentials but its own key, which no job's process is given; those of private repositories it passes on
//! to git when git asks.

mod attempt;
mod channel;
mod client;
mod config;
mod credential;
mod error;
mod facts;
mod fault;
mod folders;
mod lines;
mod room;
mod runner;
mod step;
mod upload;
pub mod wire;
mod work;

pub use client::Client;
pub use config::{Counting, RunnerConfig};
pub use error::RunnerError;
pub use runner::{Runner, Until};
pub use step::environment;
pub use tlslab_artifact::{NEEDED_BYTES, free_bytes};
pub use work::{Cache, Step, Work};
