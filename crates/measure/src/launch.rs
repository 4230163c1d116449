//! Starting drivers as processes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tlslab_record::{Plan, StackState};
use tlslab_sandbox::Sandbox;

use crate::driver::{DriverCpus, DriverPlace, DriverProcess};
use crate::program_copy::ProgramCopy;
use crate::{DriverFailure, DriverProgram, Launch, Programs, Talk};

/// Starts real processes: on one CPU, with fixed addresses, and with the same arguments and environment for
/// every stack, because their length alone moves the stack and changes times. Variables of a stack are its
/// own. If memory placement is randomised, each timed process gets an additional variable of random length
/// and runs a copy of its program.
pub struct Launcher {
    /// The CPU that drivers run on, if the host lets the lab choose.
    pub cpu: Option<usize>,
    /// The CPUs that drivers may use if a scenario needs several.
    pub cpus: Vec<usize>,
    /// Where drivers run: one folder for all.
    pub directory: PathBuf,
    /// Set on cancellation.
    pub cancel: Arc<AtomicBool>,
    /// The programs, which must not change.
    pub programs: Arc<Programs>,
    /// The sandbox for drivers; without one they run with the user's privileges.
    pub sandbox: Option<Arc<Sandbox>>,
    /// A cache with files that drivers need, besides the folder that they run in.
    pub trusted: Option<PathBuf>,
    /// Further files that drivers read in a sandbox.
    pub shown: Vec<PathBuf>,
    /// The memory limit of all processes of a driver together, bytes.
    pub memory_bytes: u64,
}

impl Launcher {
    /// The same for a run, whose drivers must not have changed since it was planned.
    #[must_use]
    pub fn pinned_to(self, plan: &Plan) -> Self {
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
        // It is copied before it is checked: what was not changed by then is what was copied.
        let copy = match driver.placement {
            Some(placement) if placement.copies_program => ProgramCopy::make(&self.directory, driver.path),
            _ => Ok(None),
        };
        let copy = copy.map_err(DriverFailure::NotStarted)?;
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
        let process = DriverProcess::start(driver, copy, place, self.cancel.clone())?;
        Ok(Box::new(process))
    }

    fn binds(&self) -> bool {
        self.cpu.is_some()
    }

    fn processors(&self) -> Option<usize> {
        (!self.cpus.is_empty()).then_some(self.cpus.len())
    }
}
