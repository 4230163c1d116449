//! Starts drivers, proves their work, interleaves them, and passes every sample to a journal.
//!
//! The lab decides the order and the number of slices; a driver only answers requests. A failure of a driver
//! is data: its cell records the reason, and the rest of the run continues. This crate does not know where
//! samples are stored or how progress is displayed: both are behind traits.

mod budget;
mod contention;
mod count;
mod count_folder;
mod cross;
mod driver;
mod emulator;
mod failure;
mod group;
mod input;
mod journal;
mod kernel;
mod last_words;
mod launch;
mod neighbours;
mod observer;
mod overhead;
mod own_folder;
mod placement;
mod processes;
mod program_copy;
mod programs;
mod proving;
mod proving_peer;
mod proving_primitive;
mod relayed;
mod requests;
mod run;
mod runner;
mod scaling;
mod schedule;
mod stage;
mod talk;
#[cfg(test)]
mod tests_of_groups;
#[cfg(test)]
mod tests_of_placement;
#[cfg(test)]
mod tests_of_turns;
mod time_bounds;
mod totals;
mod variables;
mod visit;
mod weigh;
mod wire;

pub use contention::{Noted, contention};
pub use count::profile;
pub use emulator::{Emulator, emulator};
pub use failure::DriverFailure;
pub use journal::{Journal, JournalError};
pub use launch::Launcher;
pub use neighbours::{Contrast, Cycle, NeighbourFailure, Neighbourhood};
pub use observer::{Observer, Silent};
pub use own_folder::remove_leftovers;
pub use placement::MemoryPlacement;
pub use programs::Programs;
pub use requests::{credentials, describe};
pub use runner::{RunError, Runner, Sofar};
pub use scaling::{Scaling, ScalingRound};
pub use stage::Stage;
pub use talk::{DriverProgram, Launch, Talk};
pub use totals::Totals;
pub use weigh::weighings;
