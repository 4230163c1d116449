//! Capabilities of stacks, recorded when they are built or measured, so that readers need not start a driver.

use anyhow::Context;
use tlslab_measure::{DriverProgram, describe};
use tlslab_record::{StackRecord, StackState};
use tlslab_store::{Capability, Store};

use crate::request::ANSWER_WITHIN;
use crate::session::workshop::Workshop;

/// Records the descriptions of a run's drivers.
///
/// # Errors
/// Fails if the database rejects them.
pub fn note(store: &mut dyn Store, stacks: &[StackRecord]) -> anyhow::Result<()> {
    for stack in stacks {
        let (StackState::Ready(description), Some(identity)) = (&stack.state, &stack.identity) else {
            continue;
        };
        store.put_capability(&Capability {
            stack: identity.recipe.clone(),
            driver_digest: stack.driver_digest.clone(),
            description: serde_json::to_string(description).context("a description cannot be serialised")?,
            noted_unix_ms: 0,
        })?;
    }
    Ok(())
}

/// Asks a new driver for its description, and records it. A driver that does not answer is reported when it
/// is measured.
///
/// # Errors
/// Fails if the database rejects it.
pub fn ask(
    workshop: &Workshop<'_>,
    store: &mut dyn Store,
    stack: &str,
    driver_digest: &str,
    program: DriverProgram<'_>,
) -> anyhow::Result<()> {
    let Ok(description) = describe(&workshop.launcher(), program, ANSWER_WITHIN.duration()) else {
        return Ok(());
    };
    store.put_capability(&Capability {
        stack: stack.to_owned(),
        driver_digest: driver_digest.to_owned(),
        description: serde_json::to_string(&description).context("a description cannot be serialised")?,
        noted_unix_ms: 0,
    })?;
    Ok(())
}
