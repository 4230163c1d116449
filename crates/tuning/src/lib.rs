//! Changes the host's settings for measuring, and restores them.
//!
//! [`probe`] reads each setting and decides on its value for measuring; the result is a [`Plan`], plain data.
//! [`apply`] carries out a plan: it first writes every previous value to a [`StateFile`], then changes the
//! settings one by one. [`undo`] restores them in reverse order. All three work on a [`Machine`]: the real
//! one is [`Host`], tests use folders of made-up files.
//!
//! Nothing here outlasts a restart: files below /proc and /sys, units that are stopped but stay enabled, and
//! properties of slices in /run.

mod access;
mod apply;
mod boot;
mod cpus;
mod error;
mod machine;
mod plan;
mod probe;
mod setting;
mod state;
mod topic;
mod undo;
mod units;
mod value;

pub use apply::{Applied, apply, chosen_before};
pub use boot::BootParameter;
pub use cpus::Cpus;
pub use error::Error;
pub use machine::{Host, Machine};
pub use plan::{Entry, Finding, Plan};
pub use probe::probe;
pub use setting::Setting;
pub use state::{Previous, State, StateFile};
pub use tlslab_host::parse_cpu_list;
pub use topic::Topic;
pub use undo::{Undone, undo};
pub use units::{Slice, Unit};
pub use value::cpu_list_text;
