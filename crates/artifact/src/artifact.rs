//! A product of one stage. [`ensure`] is the only way to build it: under its lock, once, and marked complete
//! at the end.

use std::path::Path;
use std::time::Instant;

use crate::cache::{create_empty, is_sealed, remove};
use crate::disk::check_room;
use crate::event::Happening;
use crate::failure::BuildFailure;
use crate::halt::Halt;
use crate::inputs::{Inputs, Key};
use crate::lock::Lock;
use crate::log::Log;
use crate::stage::Stage;
use crate::workspace::{Context, Workspace};

/// A product that is built only from inputs.
pub trait Artifact: Send + Sync {
    /// The stage that builds it.
    fn stage(&self) -> Stage;

    /// All inputs.
    fn inputs(&self) -> &Inputs;

    /// Builds it in `place`, an empty folder. `scratch` is an empty folder that is removed afterwards.
    fn make(&self, place: &Path, scratch: &Path, workspace: &Workspace<'_>) -> Result<(), Halt>;
}

/// Takes a product from the cache, or builds it. `owner` names the log.
pub fn ensure(
    product: &dyn Artifact,
    context: Context<'_>,
    jobs: usize,
    owner: &str,
    report: &dyn Fn(Happening),
) -> Result<Key, BuildFailure> {
    let key = product.inputs().key();
    let mut log = None;
    let made = ensure_unlogged(product, context, jobs, owner, &mut log, report);
    match made {
        Ok(happened) => {
            report(happened);
            Ok(key)
        }
        Err(halt) => {
            let failure = failure(product.stage(), &halt, log.as_ref());
            report(Happening::Failed(failure.clone()));
            Err(failure)
        }
    }
}

/// A failure with the end of the log.
fn failure(stage: Stage, halt: &Halt, log: Option<&Log>) -> BuildFailure {
    let last_lines = match (halt, log) {
        (Halt::Step { .. } | Halt::Process(_), Some(log)) => log.last_lines(LAST_LINES),
        _ => Vec::new(),
    };
    let log = log.map(|log| log.path().to_owned());
    BuildFailure { stage, reason: halt.to_string(), log, last_lines }
}

fn ensure_unlogged(
    product: &dyn Artifact,
    context: Context<'_>,
    jobs: usize,
    owner: &str,
    log: &mut Option<Log>,
    report: &dyn Fn(Happening),
) -> Result<Happening, Halt> {
    let (stage, key) = (product.stage(), product.inputs().key());
    let is_there = || context.cache.holds(stage, product.inputs()) && context.cache.is_intact(stage, &key);
    if is_there() {
        return Ok(Happening::Cached);
    }
    let lock_path = context.cache.lock(stage.name(), &key);
    let _lock = Lock::take(&lock_path, context.cancel, || report(Happening::Waiting))?;
    if is_there() {
        return Ok(Happening::Cached);
    }
    let place = context.cache.place(stage, &key);
    let held = context.cache.product(stage, &key);
    if held != place {
        // Another process may have built it since.
        if is_there() {
            return Ok(Happening::Cached);
        }
        let what = format!("`{}` in the trusted cache", held.display());
        let next_step = "ask the cache's owner to delete it";
        return Err(Halt::wrong(what, "it was changed after it was built", next_step));
    }
    context.check_cancel()?;
    check_room(context.cache.root())?;
    let started = Instant::now();
    // A fetch is repeated only because its input differs.
    let inputs = product.inputs();
    let before = is_sealed(stage).then(|| context.cache.newest_of(owner, stage, Some(inputs))).flatten();
    let why_again = before.and_then(|(before, _)| inputs.changed_since(&before));
    let log_path = context.cache.log(owner, stage, &key);
    let log = log.insert(Log::start(log_path.clone())?);
    report(Happening::Started { log: log_path });
    if let Some(why) = why_again {
        report(Happening::Again(why));
    }
    let scratch = context.cache.scratch(stage, &key);
    // Leftovers of a killed build are removed first.
    create_empty(&place)?;
    create_empty(&scratch)?;
    for (label, value) in &product.inputs().inputs {
        log.note(&format!("{label}: {value}"))?;
    }
    let writable = vec![place.clone(), scratch.clone()];
    let workspace = Workspace { context, jobs, log, report, writable };
    let made = product.make(&place, &scratch, &workspace);
    remove(&scratch)?;
    if let Err(halt) = made {
        log.note(&format!("failed: {halt}"))?;
        return Err(halt);
    }
    let took = started.elapsed();
    context.cache.complete(stage, product.inputs(), took)?;
    Ok(Happening::Finished { took })
}

const LAST_LINES: usize = 20;
