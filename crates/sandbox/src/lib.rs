//! Runs untrusted programs with access only to the given files.
//!
//! [Bubblewrap](https://github.com/containers/bubblewrap) makes the sandbox: separate namespaces for
//! processes, files, network, IPC, host name and control groups, a file system with only the contents of a
//! [`Confinement`], no capabilities, no terminal. This crate decides on the contents, adds system-call
//! filters and resource limits, and turns a [`Program`](tlslab_process::Program) into another one that runs
//! it inside. The lab's keeper supervises that one like any other; when Bubblewrap ends, the kernel ends
//! every process of the sandbox with it.
//!
//! For an ordinary user a user namespace is made. If the lab runs as root, each sandbox has a separate user
//! instead: within a user namespace they would stay root for files and for `/proc/sys`, and with one user for
//! all of them they would share the limits that the kernel counts by user.

#[cfg(not(target_os = "linux"))]
compile_error!("tlslab-sandbox needs Linux: it uses namespaces and seccomp");

mod bounds;
mod confinement;
mod ended;
mod filters;
mod folder;
mod modes;
mod ownership;
mod rule;
mod sandbox;
mod toolchains;
mod unavailable;
mod users;

pub use bounds::Bounds;
pub use confinement::Confinement;
pub use ended::ended_inside;
pub use sandbox::{GENERATIONS, Sandbox};
pub use toolchains::{toolchains, with_libraries};
pub use unavailable::Unavailable;
