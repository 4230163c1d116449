//! What threads contend for in a cell.

use anyhow::{Context, bail};
use tlslab_contention::{Contention, parse};
use tlslab_protocol::{Scenario, Sharing, Work};

use super::counted::{SEED, count_with, find_scenario};
use crate::bounded_read;
use crate::counting;
use crate::error::Error;
use crate::problem::Problem;
use crate::request::ContentionRequest;
use crate::session::Session;

/// Has threads make the scenario's connections in turn, and notes the cache lines and locks that they share.
///
/// # Errors
/// An unknown scenario or stack, one that was not built, and a cell that cannot be counted so, each with its reason.
pub fn contention(session: &Session<'_>, request: &ContentionRequest) -> Result<Contention, Error> {
    let found = noted(session, request);
    match session.is_cancelled() {
        true => Err(Error::EARLY),
        false => Ok(found?),
    }
}

fn noted(session: &Session<'_>, request: &ContentionRequest) -> anyhow::Result<Contention> {
    let (threads, connections) = (request.threads.get() as u32, request.connections.get());
    let scenario = find_scenario(session, &request.scenario)?;
    if matches!(scenario.work, Work::Primitive(_)) {
        let (cause, next) =
            ("a primitive has no connections that threads could make", "name a handshake or a transfer");
        bail!(Problem::invalid("scenario", &scenario.name, cause, next));
    }
    let scenario = Scenario { threads, sharing: Sharing::Shared, ..scenario };
    let recipe = session.environment.recipe_index()?.named(&request.stack)?;
    let built = session.build_one(&recipe)?;
    let mut counter = counting::valgrind(session)?.seeded(SEED);
    counter.arguments.push("--contention=yes".to_owned());
    let folder = tempfile::tempdir().context("cannot create a folder for what is noted")?;
    let name = &built.identity.recipe;
    session.note(format!(
        "contention: {} in {name}, {connections} connections by {threads} threads",
        scenario.name
    ));
    count_with(session, &built, &scenario, &counter, (connections, request.timeout_s), folder.path())?;
    let read = |name: &str| bounded_read::read(&folder.path().join(name), LONGEST);
    let found = parse(&read("contention")?, &read("places")?)
        .with_context(|| format!("{name}: what the counter noted cannot be read"))?;
    Ok(Contention { connections, threads, ..found })
}

/// The longest file, bytes.
const LONGEST: u64 = 64 << 20;
