//! Programs that test features of a stack.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use sha2::{Digest, Sha256};
use tlslab_lab::results::notes::Notes;
use tlslab_lab::{Session, Workshop};
use tlslab_process::{Ended, Program};
use tlslab_record::StackRecord;
use tlslab_reproduction::{Outcome, TrialOf, TrialOfStack, outcomes};

use crate::durations::Durations;
use crate::files::TRIALS;
use crate::run_index::document_notes;

/// The outcome of a trial for every stack. Earlier ones are reused if driver and script are the same. `None`
/// if interrupted.
pub(crate) fn tried(
    session: &Session<'_>,
    folder: &str,
    script: &Path,
    trial: &TrialOf,
    stacks: &[StackRecord],
    times: &mut Durations,
) -> anyhow::Result<Vec<TrialOfStack>> {
    let text = fs::read(script).with_context(|| format!("cannot read {}", script.display()))?;
    let mut known: Notes<Vec<Outcome>> = document_notes(session.results, "document-trial", folder, TRIALS)?;
    let place = session.results.out.join(folder);
    let mut said = Vec::new();
    for stack in stacks {
        let digest = Sha256::new().chain_update(&text).chain_update(&stack.driver).finalize();
        let key = hex::encode(digest);
        let part = format!("trial/{key}");
        times.has(&part);
        let of = match known.get(&key) {
            Some(outcomes) => Ok(outcomes.clone()),
            None => {
                session.reporter().note(format!("{}: {}", trial.title, stack.name));
                let since = Instant::now();
                // A failed one is tried again from its beginning.
                times.built(&part, since)?;
                let tried = one(&session.workshop, &place, script, trial, stack);
                times.measured(&part, since)?;
                match tried {
                    Ok(outcomes) => {
                        known.add(&key, outcomes.clone())?;
                        Ok(outcomes)
                    }
                    Err(reason) => {
                        session.reporter().check()?;
                        Err(reason)
                    }
                }
            }
        };
        let (outcomes, hole) = match of {
            Ok(outcomes) => (outcomes, None),
            Err(reason) => (vec![], Some(reason)),
        };
        said.push(TrialOfStack { stack: stack.name.clone(), outcomes, hole });
    }
    Ok(said)
}

/// Starts a stack's driver under the trial's name for it.
fn one(
    workshop: &Workshop<'_>,
    folder: &Path,
    script: &Path,
    trial: &TrialOf,
    stack: &StackRecord,
) -> Result<Vec<Outcome>, String> {
    let described = |cause: anyhow::Error| format!("{cause:#}");
    // The program's path comes from a database.
    workshop.check_recorded_stack(stack).map_err(described)?;
    let scratch = scratch(folder).map_err(described)?;
    let program = scratch.join(&trial.program);
    let said = |what: &'static str| move |cause: std::io::Error| format!("cannot {what}: {cause}");
    symlink(&stack.driver, &program).map_err(said("link the driver"))?;
    let (output, log) = (scratch.join("said.jsonl"), scratch.join("log"));
    let started = Program::new(&program)
        .arg(script)
        .arg(&output)
        .envs(&stack.environment)
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", &scratch)
        .env("LANG", "C.UTF-8")
        .directory(&scratch);
    let timeout = Duration::from_secs(trial.timeout_s.into());
    let ended = started.run_to_log(&log, Some(timeout), workshop.reporter.cancel().flag());
    let ended = ended.map_err(|cause| cause.to_string())?;
    if ended != Ended::Exited(0) {
        return Err(format!("{ended}; {}", last_words(&log)));
    }
    let text = fs::read_to_string(&output).map_err(said("read what it wrote"))?;
    let read = outcomes(&text)?;
    // The leftovers of a failed one are kept for inspection.
    let _ = fs::remove_dir_all(&scratch);
    Ok(read)
}

/// An empty folder.
fn scratch(folder: &Path) -> anyhow::Result<PathBuf> {
    let scratch = folder.join("trial");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).with_context(|| format!("cannot empty {}", scratch.display()))?;
    }
    fs::create_dir_all(&scratch).with_context(|| format!("cannot make {}", scratch.display()))?;
    Ok(fs::canonicalize(scratch)?)
}

/// The last line of a log.
fn last_words(log: &Path) -> String {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    last.map_or_else(|| "it printed nothing".to_owned(), |line| line.chars().take(200).collect())
}
