//! Recipe → source → prefix → driver, cached by content.
//!
//! A [`Builder`] builds the stacks that recipes describe. Every product is in the cache under a key: the hash
//! of all inputs, which are listed next to it. A stack's name is in no key, so equal inputs give one program,
//! and existing products are never rebuilt. A stack that cannot be built is a value.
//!
//! This crate knows no stack by name and measures nothing. Every program is started through `tlslab-process`,
//! so nothing outlives the lab.

mod addresses;
mod as_of;
mod branch;
mod builder;
mod cargo_index;
mod clocks;
mod driver;
mod driver_c;
mod driver_make;
mod driver_rust;
mod durations;
mod git;
mod graph;
mod holdings;
mod identity;
mod kit;
mod lab_crates;
mod layouts;
mod lockfile;
mod manifest;
mod needs;
mod offers;
mod pins;
mod prefix;
mod published;
mod registries;
mod schedule;
mod source;
mod stacks_folder;
mod system;
mod tools;
mod trees;
mod versions;

pub use branch::Revision;
pub use builder::{Builder, Options, Outcome, Planned, PlannedStage};
pub use driver_c::{C_FLAGS, CXX_FLAGS};
pub use holdings::{Holding, RemoveError};
pub use identity::BuiltStack;
pub use layouts::BuiltLayouts;
pub use lockfile::Lockfile;
pub use tlslab_artifact::{
    BuildFailure, Credentials, Event, HELPER, Happening, Key, Observer, PrivateRepositories, Stage, Task,
    ToMake, answer_git, default_cache, file_digest, parse_allowed,
};
pub use tlslab_record::StackIdentity;
pub use tools::{MissingTool, MissingTools, missing_tools};
pub use trees::Trees;
