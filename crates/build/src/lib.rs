//! Recipe → source → prefix → driver, cached by content.
//!
//! A [`Workshop`] builds the stacks that recipes describe. Every product lies in the cache under a key: the hash of
//! everything that went in, written out beside it. The name of a stack goes into no key, so equal inputs give one
//! program, and a product that is there is never made again. A stack that cannot be built is a value.
//!
//! Nothing here knows a stack by name or measures one. Every program is started through `tlslab-process`, so nothing
//! outlives the lab.

mod bench;
mod cache;
mod counter;
mod digest;
mod disk;
mod driver;
mod driver_c;
mod driver_make;
mod driver_rust;
mod environment;
mod event;
mod failure;
mod frida;
mod graph;
mod halt;
mod holdings;
mod houses;
mod identity;
mod inputs;
mod kit;
mod lab_crates;
mod layouts;
mod lock;
mod lockfile;
mod log;
mod manifest;
mod needs;
mod prefix;
mod preload;
mod product;
pub mod recipe;
mod schedule;
mod source;
mod stacks_folder;
mod stage;
mod system;
mod toolchain;
mod tools;
mod tree;
mod valgrind;
mod versions;
mod workshop;

pub use cache::default_cache;
pub use counter::{BuiltCounter, ShownFeatures};
pub use digest::file_digest;
pub use driver_c::{C_FLAGS, CXX_FLAGS};
pub use event::{Event, Happening, Observer, Task};
pub use failure::BuildFailure;
pub use frida::Stalker;
pub use holdings::{Holding, RemoveError};
pub use houses::Houses;
pub use identity::BuiltStack;
pub use inputs::Key;
pub use layouts::{BuiltLayouts, Layouts};
pub use preload::Preloads;
pub use recipe::{Recipe, RecipeError, RecipeFile, Shelf, Spec};
pub use stage::Stage;
pub use tlslab_record::StackIdentity;
pub use tools::{MissingTool, MissingTools, missing_tools};
pub use workshop::{Options, Outcome, Planned, PlannedStage, Workshop};
