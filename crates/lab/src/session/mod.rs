//! The inputs of a job: a workshop with the environment and a reporter, and the place of results.

pub mod build_place;
pub mod cancel;
pub mod conditions;
mod cpuid_places;
pub mod drivers;
pub mod environment;
pub mod job_id;
pub mod reporter;
pub mod root;
pub(crate) mod shown_processor;
pub mod workshop;

pub(crate) use self::cpuid_places::OWN_PROGRAM;

use tlslab_record::Policy;
use tlslab_store::Store;

use crate::progress::event::Event;
use crate::results::Results;
use crate::session::cancel::Cancel;
use crate::session::conditions::Conditions;
use crate::session::drivers::Drivers;
use crate::session::environment::Environment;
use crate::session::reporter::Reporter;
use crate::session::workshop::Workshop;

/// The inputs of a job. Work without results takes only the workshop; reports of progress, only the reporter;
/// look-ups of recipes and scenarios, only the environment.
pub struct Session<'s> {
    /// Builds stacks and starts their drivers.
    pub workshop: Workshop<'s>,
    /// The place of results.
    pub results: &'s Results,
}

impl<'s> Session<'s> {
    /// A session that reports events to a function, which several threads may call at once.
    pub fn new(
        environment: &'s Environment,
        results: &'s Results,
        conditions: &'s Conditions,
        report: &'s (dyn Fn(&Event) + Sync),
        cancel: &Cancel,
    ) -> Self {
        let workshop = Workshop::new(environment, conditions, Reporter::new(report, cancel));
        Self { workshop, results }
    }

    /// The same session with drivers that are neither built nor started as processes.
    #[must_use]
    pub fn with_drivers(self, drivers: &'s dyn Drivers) -> Self {
        Self { workshop: self.workshop.with_drivers(drivers), ..self }
    }

    /// The lab's files, the user's own, and the cache.
    pub fn environment(&self) -> &'s Environment {
        self.workshop.environment
    }

    /// The observer, and cancellation.
    pub fn reporter(&self) -> &Reporter<'s> {
        &self.workshop.reporter
    }

    /// All parts of the job but the request.
    pub fn conditions(&self) -> &'s Conditions {
        self.workshop.conditions
    }

    /// Every number that decisions depend on.
    pub fn policy(&self) -> &Policy {
        self.workshop.policy()
    }

    /// Opens the database of runs; runs of this session then belong to its job.
    ///
    /// # Errors
    /// Fails if the database cannot be opened or created.
    pub fn store(&self) -> anyhow::Result<Box<dyn Store>> {
        let mut store = self.results.open()?;
        store.set_job(self.conditions().id.as_str());
        Ok(store)
    }
}
