//! The lab's requirements of a machine, checked without a build.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use tlslab_artifact::on_path;
use tlslab_build::missing_tools;
use tlslab_recipe::Recipe;
use tlslab_record::Annotation;
use tlslab_sandbox::Sandbox;
use tlslab_store::Address;

use crate::session::environment::Environment;

/// A requirement, and whether it is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// What needs it.
    pub need: Need,
    /// Whether it is met.
    pub outcome: CheckOutcome,
}

/// What needs a prerequisite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A run of the default stacks.
    Run,
    /// Optional features, named by the text.
    Extra(&'static str),
}

/// Whether a prerequisite is available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// It is available; the details.
    Found(String),
    /// It is missing: the cause and the next step.
    Missing(String),
    /// A file of the user's is wrong and is skipped: the cause.
    Wrong(String),
}

/// Checks everything. `environment` is what [`Environment::find_or`] returned.
#[must_use]
pub fn self_check(environment: &anyhow::Result<Environment>, path: &OsStr) -> Vec<Check> {
    let (mut checks, mut own) = (Vec::new(), Vec::new());
    let mut add = |name: &str, need, outcome: anyhow::Result<String>| {
        let outcome = match outcome {
            Ok(found) => CheckOutcome::Found(found),
            Err(cause) => CheckOutcome::Missing(format!("{cause:#}")),
        };
        checks.push(Check { name: name.to_owned(), need, outcome });
    };
    match environment {
        Err(cause) => add("files", Need::Run, Err(anyhow::anyhow!("{cause:#}"))),
        Ok(environment) => {
            add("files", Need::Run, files(environment));
            let wrong = skipped(environment);
            if !wrong.is_empty() {
                let outcome = CheckOutcome::Wrong(wrong.join("\n"));
                own.push(Check { name: "own files".to_owned(), need: Need::Run, outcome });
            }
            add("cache", Need::Run, cache(&environment.cache));
            for (tool, outcome) in tools(environment, path) {
                add(&tool, Need::Run, outcome);
            }
        }
    }
    add("database", Need::Run, database());
    for (tool, need) in EXTRA {
        let found = on_path(tool, path).map(|place| place.display().to_string());
        add(
            tool,
            Need::Extra(need),
            found.with_context(|| format!("not in PATH; install it: apt-get install {tool}")),
        );
    }
    let sandbox = Sandbox::find().map(|_| "Bubblewrap can create one".to_owned());
    add("sandbox", Need::Extra("for untrusted code"), sandbox.map_err(Into::into));
    checks.extend(own);
    checks
}

/// One line for each: its state, its name, and the finding or the remedy.
#[must_use]
pub fn self_check_text(checks: &[Check]) -> String {
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or_default();
    let line = |Check { name, need, outcome }: &Check| {
        let (state, text) = match (outcome, need) {
            (CheckOutcome::Found(found), _) => ("ok", found.clone()),
            (CheckOutcome::Wrong(cause), _) => ("wrong", cause.clone()),
            (CheckOutcome::Missing(cause), Need::Run) => ("missing", cause.clone()),
            (CheckOutcome::Missing(cause), Need::Extra(need)) => ("absent", format!("{cause} ({need})")),
        };
        format!("{state:7}  {name:width$}  {text}\n")
    };
    checks.iter().map(line).collect()
}

/// Why files of the user's own are skipped.
fn skipped(environment: &Environment) -> Vec<String> {
    let recipes = environment.recipe_index().map(|index| index.broken().map(ToString::to_string).collect());
    let mut causes: Vec<String> = recipes.unwrap_or_default();
    if let Ok(catalogue) = environment.catalogue() {
        causes.extend(catalogue.broken.iter().map(|(_, cause)| cause.to_string()));
    }
    causes
}

/// The recipes and scenarios, read and counted.
fn files(environment: &Environment) -> anyhow::Result<String> {
    let index = environment.recipe_index()?;
    let stacks = index.files().iter().filter(|file| file.is_stack).count();
    let scenarios = environment.catalogue()?.scenarios().count();
    let own = environment.own().map(|own| format!(", with {}", own.display())).unwrap_or_default();
    let lab = environment.lab().display();
    Ok(format!(
        "{lab} ({}){own}: {}, {}",
        environment.origin,
        tlslab_text::number::counted(stacks, "stack"),
        tlslab_text::number::counted(scenarios, "scenario")
    ))
}

/// Whether a file can be created there.
fn cache(folder: &Path) -> anyhow::Result<String> {
    let tried = || {
        std::fs::create_dir_all(folder)?;
        tempfile::tempfile_in(folder)
    };
    tried()
        .with_context(|| format!("cannot write to {}; name another folder with --cache", folder.display()))?;
    Ok(format!("{} can be written", folder.display()))
}

/// The tools that recipes of the default stacks need; compilers must start, too.
fn tools(environment: &Environment, path: &OsStr) -> Vec<(String, anyhow::Result<String>)> {
    let recipes: anyhow::Result<Vec<Recipe>> = environment
        .recipe_index()
        .and_then(|index| environment.run.stacks.iter().map(|name| Ok(index.named(name)?)).collect());
    let recipes = match recipes {
        Ok(recipes) => recipes,
        Err(cause) => return vec![("tools".to_owned(), Err(cause))],
    };
    let missing = missing_tools(&recipes, path);
    let mut needed: Vec<String> = recipes.iter().flat_map(Recipe::all_tools).collect();
    needed.sort();
    needed.dedup();
    let outcome = |tool: String| {
        let outcome = match (missing.iter().find(|missing| missing.tool == tool), on_path(&tool, path)) {
            (None, Some(place)) if COMPILERS.contains(&&*tool) => starts(&place),
            (None, Some(place)) => Ok(place.display().to_string()),
            (Some(missing), _) => Err(anyhow::anyhow!("not in PATH; {}", missing.remedy())),
            (None, None) => Err(anyhow::anyhow!("not in PATH")),
        };
        (tool, outcome)
    };
    needed.into_iter().map(outcome).collect()
}

/// The first line of what a program says of its version.
fn starts(program: &Path) -> anyhow::Result<String> {
    let shown = program.display();
    let said =
        Command::new(program).arg("--version").output().with_context(|| format!("{shown} does not start"))?;
    let errors = String::from_utf8_lossy(&said.stderr);
    ensure!(said.status.success(), "{shown} --version fails: {}", errors.lines().next().unwrap_or_default());
    let text = String::from_utf8_lossy(&said.stdout);
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// A note written to a new database, and read again.
fn database() -> anyhow::Result<String> {
    let folder = tempfile::tempdir()
        .context("cannot make a temporary folder; set TMPDIR to one that can be written")?;
    let address = Address::Sqlite(folder.path().join("tlslab.sqlite"));
    let note = Annotation {
        stack: "stack".to_owned(),
        label: "1".to_owned(),
        scenario: String::new(),
        text: "note".to_owned(),
        noted_unix_ms: 0,
    };
    tlslab_store::open(&address)?.annotate(&note)?;
    let read = tlslab_store::open(&address)?.annotations()?;
    ensure!(read == [note], "SQLite in {} does not return what was written", folder.path().display());
    Ok("SQLite writes and reads".to_owned())
}

/// Wrappers that may be in the path without the program that they wrap.
const COMPILERS: [&str; 4] = ["cargo", "rustc", "cc", "c++"];

/// Programs that a run does not need.
const EXTRA: [(&str, &str); 2] =
    [("valgrind", "for --metric count, profile, diff and bisect"), ("git", "for stacks from a repository")];

#[cfg(test)]
mod tests {
    use super::*;

    fn states(environment: &anyhow::Result<Environment>, path: &str) -> Vec<(String, bool)> {
        let checks = self_check(environment, OsStr::new(path));
        checks
            .into_iter()
            .map(|check| (check.name, matches!(check.outcome, CheckOutcome::Found(_))))
            .collect()
    }

    #[test]
    fn what_is_not_in_the_path_is_missing_with_a_next_step() {
        let cache = tempfile::tempdir().unwrap();
        let environment = Environment::find(None, Some(cache.path().join("cache")));
        let found = states(&environment, "/nonexistent");
        for (name, is_found) in [("files", true), ("cache", true), ("cargo", false), ("database", true)] {
            assert!(found.contains(&(name.to_owned(), is_found)), "{name}: {found:?}");
        }
        let checks = self_check(&environment, OsStr::new("/nonexistent"));
        let text = self_check_text(&checks);
        let line = |name: &str| text.lines().find(|line| line[9..].starts_with(name)).unwrap().to_owned();
        assert!(
            line("cargo").starts_with("missing") && line("cargo").ends_with("https://rustup.rs"),
            "{text}"
        );
        assert!(
            line("valgrind").starts_with("absent") && line("valgrind").contains("apt-get install valgrind"),
            "{text}"
        );
    }

    #[test]
    fn a_cache_that_cannot_be_written_and_files_that_are_not_there_are_missing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let environment = Environment::find(None, Some(folder.path().join("file/cache")));
        let path = std::env::var("PATH").unwrap();
        assert!(states(&environment, &path).contains(&("cache".to_owned(), false)));

        let nowhere = Environment::find(Some(folder.path().join("nowhere")), None);
        assert!(states(&nowhere, &path).contains(&("files".to_owned(), false)));
    }
}
