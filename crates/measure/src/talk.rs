//! Starting of drivers and communication with them, behind traits so that scheduling is tested without
//! processes.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use tlslab_process::ProcessorTime;
use tlslab_protocol::{Description, Reply, Request};
use tlslab_record::{CounterRecord, StackRecord, StackState};

use crate::DriverFailure;
use crate::placement::MemoryPlacement;
use crate::totals::Totals;

/// A driver's program and its variables, beyond those of every driver.
#[derive(Clone, Copy)]
pub struct DriverProgram<'a> {
    /// The program.
    pub path: &'a Path,
    /// The variables.
    pub environment: &'a BTreeMap<String, String>,
    /// A library to preload, in an untimed process.
    pub preload: Option<&'a Path>,
    /// The counter of its instructions.
    pub counter: Option<&'a CounterRecord>,
    /// Whether each process has a random address-space layout.
    pub moves: bool,
    /// Its memory placement, if randomised: in a timed process.
    pub placement: Option<MemoryPlacement>,
    /// Its description when it was planned; it must not change. `None` if it has not been asked.
    pub described: Option<&'a Description>,
}

impl<'a> From<&'a StackRecord> for DriverProgram<'a> {
    fn from(stack: &'a StackRecord) -> Self {
        Self {
            path: Path::new(&stack.driver),
            environment: &stack.environment,
            preload: None,
            counter: None,
            moves: false,
            placement: None,
            described: match &stack.state {
                StackState::Ready(description) => Some(description),
                StackState::Failed(_) => None,
            },
        }
    }
}

/// Starts drivers.
pub trait Launch: Sync {
    /// Starts the program of a driver.
    fn launch(&self, driver: DriverProgram<'_>) -> Result<Box<dyn Talk>, DriverFailure>;

    /// Whether a driver that needs one processor keeps to one.
    fn binds(&self) -> bool {
        false
    }

    /// How many processors a driver's threads can have, if known.
    fn processors(&self) -> Option<usize> {
        None
    }
}

/// A started driver. Dropping it ends it and all its descendants.
pub trait Talk: Send {
    /// One request, one reply. A reply `failed` comes back as [`DriverFailure::Refused`].
    fn ask(&mut self, request: &Request, within: Duration) -> Result<Reply, DriverFailure>;
    /// Its resident memory, bytes.
    fn resident_bytes(&mut self) -> Result<u64, DriverFailure>;
    /// Lets the driver use as many processors at once as it needs; with one it goes back to its own.
    fn spread(&mut self, processors: u32) -> Result<(), DriverFailure> {
        let _ = processors;
        Ok(())
    }
    /// Binds the driver to one of the processors that it may use, the `place`th.
    fn keep_to(&mut self, place: usize) -> Result<(), DriverFailure> {
        let _ = place;
        Ok(())
    }
    /// The processor time of its processes, if the system reports it.
    fn processor_time(&self) -> Option<ProcessorTime> {
        None
    }
    /// The counter's own count of a process that has ended, if it reports that; of the next process in order.
    fn totals(&mut self) -> Option<Result<Totals, DriverFailure>> {
        None
    }
    /// Says goodbye, and waits for the end.
    fn end(self: Box<Self>) -> Result<(), DriverFailure>;
}
