//! A stack's record in a run.

use std::path::Path;
use std::time::Duration;

use tlslab_measure::{DriverFailure, DriverProgram, Emulator, describe, emulator};
use tlslab_protocol::{Description, Limit};
use tlslab_recipe::{Recipe, ShownProcessor};
use tlslab_record::{RunAs, StackRecord, StackState};

use crate::session::drivers::{Built, program};
use crate::session::shown_processor;
use crate::session::workshop::Workshop;

/// A driver's description. Failures that may be random are retried, as no run exists yet that could be
/// resumed.
fn described(
    workshop: &Workshop<'_>,
    name: &str,
    driver: DriverProgram<'_>,
    timeout: Duration,
) -> Result<Description, DriverFailure> {
    let launcher = workshop.launcher();
    for _ in 1..workshop.policy().tries {
        match describe(&launcher, driver, timeout) {
            Err(failure) if failure.may_be_chance() => {
                workshop
                    .reporter
                    .warn(format!("{name}: {failure}, when asked for its description; asking again"));
            }
            described => return described,
        }
    }
    describe(&launcher, driver, timeout)
}

/// What is recorded of a stack: its identity, and what its driver reports.
pub fn stack_record(
    workshop: &Workshop<'_>,
    name: &str,
    recipe: &Recipe,
    built: &Built,
    timeout: Duration,
) -> StackRecord {
    let environment = built.as_ref().map(|built| built.environment.clone()).unwrap_or_default();
    let (identity, driver_digest, driver, state) = match built {
        Ok(built) => {
            let state = match described(workshop, name, program(built), timeout) {
                Ok(description) => StackState::Ready(Box::new(with_emulation(description, &built.driver))),
                Err(failure) => StackState::Failed(not_described(&failure.to_string(), recipe)),
            };
            let mut identity = built.identity.clone();
            let state = match (state, &recipe.processor) {
                (StackState::Ready(description), Some(shown)) => {
                    match run_as(workshop, shown, &description) {
                        Ok(run_as) => {
                            identity.processor = Some(run_as);
                            StackState::Ready(description)
                        }
                        Err(cause) => {
                            StackState::Failed(format!("it is not run as {}: {cause}", shown.title))
                        }
                    }
                }
                (state, _) => state,
            };
            let identity = Some(identity);
            let driver = built.driver.to_string_lossy().into_owned();
            (identity, built.driver_digest.clone(), driver, state)
        }
        Err(failure) => {
            let state = StackState::Failed(format!("not built: {failure}"));
            (None, String::new(), String::new(), state)
        }
    };
    StackRecord {
        name: name.to_owned(),
        title: recipe.title.clone(),
        licence: recipe.licence.clone(),
        identity,
        driver_digest,
        driver,
        environment,
        state,
    }
}

/// Why a driver gave no description. A runtime that answers faults itself does not survive hidden features.
fn not_described(failure: &str, recipe: &Recipe) -> String {
    match &recipe.processor {
        None => failure.to_owned(),
        Some(shown) => format!(
            "it could not be run as {}; every CPUID instruction of its process faults, which a runtime with \
             its own handler of faults may not survive: leave +cpu-{} out ({failure})",
            shown.title, shown.word
        ),
    }
}

/// The proof that a driver is run as a processor.
fn run_as(
    workshop: &Workshop<'_>,
    shown: &ShownProcessor,
    description: &Description,
) -> Result<RunAs, String> {
    let host = workshop.host_features().map_err(|cause| format!("{cause:#}"))?;
    shown_processor::proven(shown, &host, description)
}

/// What a driver says, and what the lab knows of one that an emulator runs: only what it computes means
/// anything.
fn with_emulation(mut description: Description, driver: &Path) -> Description {
    let Some(Emulator { processor, program, .. }) = emulator(driver) else { return description };
    let able = &mut description.capabilities;
    able.notes.insert(
        0,
        format!("Built for {processor} and run by {program}: its times do not apply to that processor."),
    );
    for value in ["heap", "count", "resident"] {
        let reason = format!("its driver is a program for {processor}, which {program} runs");
        able.limits.push(Limit { axis: "metric".to_owned(), value: value.to_owned(), reason });
    }
    description.metrics.clear();
    description
}
