//! Contention of threads in a cell.

use anyhow::bail;
use tlslab_contention::Contention;
use tlslab_measure::Noted;
use tlslab_protocol::{Scenario, Work};

use super::counted::{SEED, driver_under, find_scenario};
use crate::counting;
use crate::error::Error;
use crate::problem::Problem;
use crate::request::ContentionRequest;
use crate::session::workshop::Workshop;

/// Lets threads make the scenario's connections in turn, and records the cache lines and locks that they
/// share.
///
/// # Errors
/// Fails if the scenario or stack is unknown, was not built, or cannot be counted so; the error has the
/// reason.
pub fn contention(workshop: &Workshop<'_>, request: &ContentionRequest) -> Result<Contention, Error> {
    let found = noted(workshop, request);
    match workshop.reporter.is_cancelled() {
        true => Err(Error::EARLY),
        false => Ok(found?),
    }
}

fn noted(workshop: &Workshop<'_>, request: &ContentionRequest) -> anyhow::Result<Contention> {
    let (threads, connections) = (request.threads.get() as u32, request.connections.get());
    let scenario = find_scenario(workshop, &request.scenario)?;
    if matches!(scenario.work, Work::Primitive(_)) {
        let (cause, next) =
            ("a primitive has no connections that threads could make", "name a handshake or a transfer");
        bail!(Problem::invalid("scenario", &scenario.name, cause, next));
    }
    let scenario = Scenario { threads, ..scenario };
    let recipe = workshop.environment.recipe_index()?.named(&request.stack)?;
    let built = workshop.build_one(&recipe)?;
    let counter = counting::contention(workshop)?.seeded(SEED);
    let name = &built.identity.recipe;
    workshop.reporter.note(format!(
        "contention: {} in {name}, {connections} connections by {threads} threads",
        scenario.name
    ));
    let pki = workshop.keys(std::slice::from_ref(&scenario))?;
    let driver = driver_under(&counter, &built);
    let (launcher, timeout) = (workshop.launcher(), request.timeout_s.duration());
    match tlslab_measure::contention(&launcher, driver, &pki, &scenario, (connections, SEED), timeout)? {
        Noted::Contention(found) => Ok(found),
        Noted::Unsupported(reason) => bail!("{name}: unsupported: {reason}"),
        Noted::Failed(reason) => bail!("{name}: failed: {reason}"),
    }
}
