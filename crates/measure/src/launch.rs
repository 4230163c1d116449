//! Starting drivers, behind a trait so that scheduling is tested without processes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tlslab_process::ProcessorTime;
use tlslab_protocol::{Description, Reply, Request};
use tlslab_record::{CounterRecord, Plan, StackRecord, StackState};
use tlslab_sandbox::Sandbox;

use crate::driver::{DriverCpus, DriverPlace};
use crate::placement::MemoryPlacement;
use crate::totals::Totals;
use crate::{DriverFailure, DriverProcess, Programs};

/// A driver's program and the variables that it runs with, beyond those of every driver.
#[derive(Clone, Copy)]
pub struct DriverProgram<'a> {
    /// The program.
    pub path: &'a Path,
    /// The variables.
    pub environment: &'a BTreeMap<String, String>,
    /// A library to load into it, in a process that is not timed.
    pub preload: Option<&'a Path>,
    /// What counts its instructions.
    pub counter: Option<&'a CounterRecord>,
    /// Whether the kernel chooses where things lie, anew for each process.
    pub moves: bool,
    /// Where its memory lies, where that is drawn: in a process that is timed.
    pub placement: Option<MemoryPlacement>,
    /// Who it said it was when it was planned; it must still say so. Nothing where it has not been asked.
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

    /// How many processors a driver's threads can have, where that is known.
    fn processors(&self) -> Option<usize> {
        None
    }
}

/// A driver that has been started. Dropping it ends it and whatever it has started.
pub trait Talk: Send {
    /// One request, one reply. A reply `failed` comes back as [`DriverFailure::Refused`].
    fn ask(&mut self, request: &Request, within: Duration) -> Result<Reply, DriverFailure>;
    /// How much of its memory is in the machine's, bytes.
    fn resident_bytes(&mut self) -> Result<u64, DriverFailure>;
    /// Lets the driver use as many processors at once as it needs; with one it goes back to its own.
    fn spread(&mut self, processors: u32) -> Result<(), DriverFailure> {
        let _ = processors;
        Ok(())
    }
    /// Has the driver keep to one of the processors that it may use, the `place`th.
    fn keep_to(&mut self, place: usize) -> Result<(), DriverFailure> {
        let _ = place;
        Ok(())
    }
    /// The processor time of its processes, if the system reports it.
    fn processor_time(&self) -> Option<ProcessorTime> {
        None
    }
    /// What the counter itself counted of a process that has ended, where it reports that; the next process's in order.
    fn totals(&mut self) -> Option<Result<Totals, DriverFailure>> {
        None
    }
    /// Says goodbye, and waits for the end.
    fn end(self: Box<Self>) -> Result<(), DriverFailure>;
}

/// Starts real processes: on one CPU, with fixed addresses, and with the same arguments and environment for every stack, because
/// their length alone moves the stack and with it the time. Variables that are part of a stack are its own. Where memory placement
/// is randomised, a variable of drawn length is added for each timed process.
pub struct Launcher {
    /// The CPU that drivers run on, if the host lets the lab choose.
    pub cpu: Option<usize>,
    /// Those that drivers may use where a scenario needs several.
    pub cpus: Vec<usize>,
    /// Where drivers run: one folder for all.
    pub directory: PathBuf,
    /// Set when the run is to stop.
    pub cancel: Arc<AtomicBool>,
    /// The programs, which must stay as they are.
    pub programs: Arc<Programs>,
    /// The sandbox for drivers; without one they run with the privileges of the user.
    pub sandbox: Option<Arc<Sandbox>>,
    /// A cache that has some of what drivers need, besides the folder that they run in.
    pub trusted: Option<PathBuf>,
    /// Further files that drivers read, where they run in a sandbox.
    pub shown: Vec<PathBuf>,
    /// What all processes of a driver may use together, bytes.
    pub memory_bytes: u64,
}

impl Launcher {
    /// The same for a run, whose drivers must stay as they were when it was planned.
    #[must_use]
    pub fn of(self, plan: &Plan) -> Self {
        let ready = plan.stacks.iter().filter(|stack| matches!(stack.state, StackState::Ready(_)));
        let programs = ready.map(|stack| (Path::new(&stack.driver), stack.driver_digest.as_str()));
        Self { programs: Arc::new(Programs::known(programs)), ..self }
    }

    /// Whether a program was built by the lab, into a folder of its own.
    fn is_product(&self, program: &Path) -> bool {
        let mut caches = [&self.directory].into_iter().chain(&self.trusted);
        caches.any(|cache| program.starts_with(cache))
    }
}

impl Launch for Launcher {
    fn launch(&self, driver: DriverProgram<'_>) -> Result<Box<dyn Talk>, DriverFailure> {
        let is_product = self.is_product(driver.path);
        self.programs.check(driver.path, is_product).map_err(DriverFailure::NotStarted)?;
        let cpus = DriverCpus { own: self.cpu, all: self.cpus.clone() };
        let place = DriverPlace {
            cpus,
            directory: &self.directory,
            sandbox: self.sandbox.as_deref(),
            trusted: self.trusted.as_deref(),
            shown: &self.shown,
            memory_bytes: self.memory_bytes,
        };
        let process = DriverProcess::start(driver, place, self.cancel.clone())?;
        Ok(Box::new(process))
    }

    fn binds(&self) -> bool {
        self.cpu.is_some()
    }

    fn processors(&self) -> Option<usize> {
        (!self.cpus.is_empty()).then_some(self.cpus.len())
    }
}
