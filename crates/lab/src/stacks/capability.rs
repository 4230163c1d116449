//! What stacks can do, noted when they are built or take part in a run, so that nobody has to start a driver
//! to know.

use anyhow::Context;
use tlslab_measure::{DriverProgram, describe};
use tlslab_record::{StackRecord, StackState};
use tlslab_store::{Capability, Store};

use crate::request::ANSWER_WITHIN;
use crate::session::workshop::Workshop;

/// Notes what the drivers of a run have said of themselves.
///
/// # Errors
/// A database that refuses it.
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

/// Asks a driver that was just built, and notes what it says. One that does not answer is reported when it is
/// measured.
///
/// # Errors
/// A database that refuses it.
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
