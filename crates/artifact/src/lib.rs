//! Artifacts: built once from their inputs, and stored in a cache under the digest of these.
//!
//! An [`Artifact`] has its inputs and how it is built; [`ensure`] takes it from the cache or builds it, under
//! its lock, in an empty folder, with a log. This crate does not know what is built. Every program is started
//! through `tlslab-process`, so that nothing outlives the lab.

mod artifact;
mod cache;
mod credential_helper;
mod credentials;
mod digest;
mod disk;
mod environment;
mod event;
mod failure;
mod halt;
mod hosts;
mod inputs;
mod limits;
mod lock;
mod log;
mod path;
mod place;
mod plain;
mod stage;
mod toolchain;
mod tree;
mod workspace;

pub use artifact::{Artifact, ensure};
pub use cache::{Cache, create_empty, default_cache, remove};
pub use credential_helper::answer_git;
pub use credentials::{CredentialAnswer, CredentialAsk, Credentials, HELPER, Lent, PrivateRepositories};
pub use digest::{digest, digest_of, file_digest};
pub use disk::{NEEDED_BYTES, free_bytes};
pub use environment::{Environment, MIRROR, PYTHON_INDEX, SOURCE_DATE_EPOCH};
pub use event::{Event, Happening, Observer, Task, ToMake};
pub use failure::BuildFailure;
pub use halt::{Doing, Halt};
pub use hosts::{Hosts, addresses, parse_allowed};
pub use inputs::{Inputs, Key};
pub use lock::Lock;
pub use log::{Log, quoted};
pub use path::on_path;
pub use place::{OUTSIDE, check_cache};
pub use plain::{copy_plain, files, open_plain, read_plain, read_plain_text, write_plain};
pub use stage::Stage;
pub use toolchain::Toolchain;
pub use tree::{Snapshot, Stamp, copy_files, is_source, remove_others, tree_digest, write_changed};
pub use workspace::{Access, Context, Workspace, program};
