//! Starts programs such that none of their descendants outlives the lab.
//!
//! Between the lab and each program stands a *keeper*: a copy of the lab that never executes anything. As
//! subreaper it becomes the parent of all orphans of the program, double forks and new sessions included. It
//! holds one end of a pipe, the *lifeline*. When the lab closes the other end, or dies by any signal, or when
//! the program ends, the keeper kills every descendant and only then reports how the program ended.
//!
//! The invariant: once [`Supervised`] has returned an [`Ended`], or has been dropped, or the lab has ended,
//! no process that the program started is alive. It holds as long as the keeper does. If a keeper is killed,
//! its program dies with it and the lab, a subreaper too, inherits and kills the rest; a grandchild escapes
//! only if both die at once. This is order for careless programs, not a sandbox for hostile ones: a program
//! that stops its keeper on purpose, or changes to another user, can stay.
//!
//! Linux only, 5.4 or later, with `/proc` mounted. The keeper is a fork of a process with threads: the code
//! that runs there neither allocates nor locks.

#[cfg(not(target_os = "linux"))]
compile_error!("tlslab-process needs Linux: it uses subreapers, signalfd and /proc");

mod channel;
mod descendants;
mod descriptors;
mod directory;
mod ended;
mod error;
mod extinguish;
mod keeper;
mod memory;
mod message;
mod orphans;
mod process_table;
mod processor_time;
mod program;
mod raw;
mod run_to_log;
mod settings;
mod spawn;
mod supervised;

pub use channel::{Channel, ChannelEnd, Heard};
pub use ended::Ended;
pub use error::ProcessError;
pub use memory::most_memory;
pub use orphans::{adopt_orphans, while_nothing_starts};
pub use processor_time::{ProcessorTime, lab_waiting};
pub use program::{Input, Output, Program};
pub use supervised::Supervised;
