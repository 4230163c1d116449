//! A runner: a machine that takes jobs from a service.
//!
//! [`Runner`] takes jobs from a service, one at a time of those that measure time. Each step of a job is a
//! process `tlslab work`, which contains the effects of a failure. A supervisor renews the job's lease; if
//! that fails for the duration of the lease, the job is stopped. The only credential that the runner stores
//! is its own key, which no job's process gets; those of private repositories are passed on to git on
//! request.

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
