//! Instructions of functions, for tables.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Context;
use sha2::{Digest, Sha256};
use tlslab_lab::functions::counted;
use tlslab_lab::request::{CountedFunctions as Counting, Iterations, Selection, Top};
use tlslab_lab::results::notes::Notes;
use tlslab_lab::{Environment, ErrorKind, Session, Workshop, problem_in};
use tlslab_profile::{Function, Parts, Stacks};
use tlslab_reproduction::{Document, FunctionCost, Functions, ProfileOf};

use crate::durations::Durations;
use crate::files::PROFILES;
use crate::run_index::document_notes;
use crate::sources;

/// How often each scenario is counted.
const ITERATIONS: Iterations = Iterations::of(8);

/// By cell, the functions' instructions, or why they are unknown.
pub(crate) type Profiles = BTreeMap<String, Result<Functions, String>>;

/// The functions of every cell in the document's tables. Earlier ones are reused if the driver is the same.
/// `None` if interrupted.
pub(crate) fn profiled(
    session: &Session<'_>,
    document: &Document,
    folder: &str,
    is_wanted: impl Fn(&ProfileOf) -> bool,
    times: &mut Durations,
) -> anyhow::Result<Profiles> {
    let mut known: Notes<Functions> = document_notes(session.results, "document-profile", folder, PROFILES)?;
    let parts = session.environment().parts()?;
    let mut all = Profiles::new();
    for of in document.profiles.iter().filter(|of| is_wanted(of)) {
        if all.contains_key(&of.cell()) {
            continue;
        }
        let found = match one(&session.workshop, document, of, &mut known, times) {
            Err(cause) if problem_in(&cause).kind == ErrorKind::Unavailable => return Err(cause),
            found => found,
        };
        session.reporter().check()?;
        let found = found.map(|functions| with_parts(functions, &parts));
        all.insert(of.cell(), found.map_err(|cause| format!("failed: {cause:#}")));
    }
    Ok(all)
}

/// The stack of a table of functions, with the path of the document's own files.
pub(crate) fn stack_of(
    environment: &Environment,
    document: &Document,
    of: &ProfileOf,
) -> anyhow::Result<String> {
    let place = sources::folder_of(environment, &document.name)?;
    Ok(of.stack(place.to_str().context("the name of the document's folder is not UTF-8")?))
}

fn one(
    workshop: &Workshop<'_>,
    document: &Document,
    of: &ProfileOf,
    known: &mut Notes<Functions>,
    times: &mut Durations,
) -> anyhow::Result<Functions> {
    let since = Instant::now();
    let stack = stack_of(workshop.environment, document, of)?;
    let recipe = workshop.environment.recipe_index()?.named(&stack)?;
    let built = workshop.build_one(&recipe)?;
    // A driver's path contains the digest of all its inputs.
    let inputs = format!("{} {} {ITERATIONS}", built.driver.display(), of.scenario);
    let key = hex::encode(Sha256::digest(inputs.as_bytes()));
    let part = format!("profile/{key}");
    times.has(&part);
    if let Some(functions) = known.get(&key) {
        return Ok(functions.clone());
    }
    times.built(&part, since)?;
    let since = Instant::now();
    let scratch = tempfile::tempdir().context("cannot create a folder for counts")?;
    let how = Counting { iterations: ITERATIONS, ..Counting::default() };
    counted::count(workshop, &stack, &of.scenario, &how, scratch.path())?;
    let found = counted::of_folder(scratch.path(), &Selection { top: Top::of(0), ..Selection::default() })?;
    let sides = found.sides.iter();
    let functions: Functions =
        sides.map(|(side, (_, stacks))| (side.clone(), costs(stacks, found.iterations))).collect();
    times.measured(&part, since)?;
    known.add(&key, functions.clone())?;
    Ok(functions)
}

/// Each function with the part of the work to which its name assigns it.
pub(crate) fn with_parts(mut functions: Functions, parts: &Parts) -> Functions {
    for cost in functions.values_mut().flatten() {
        let function = Function { name: cost.name.clone(), ..Function::default() };
        parts.part(&function).clone_into(&mut cost.part);
    }
    functions
}

/// Every function of a side, per iteration. Inlined code belongs to the function around it, as in sampling
/// profilers.
fn costs(stacks: &Stacks, iterations: u64) -> Vec<FunctionCost> {
    let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    add(stacks, &mut Vec::new(), &mut sums);
    let per = |count: u64| count as f64 / iterations.max(1) as f64;
    let cost = |(name, (own, total)): (&str, (u64, u64))| FunctionCost {
        name: name.to_owned(),
        part: String::new(),
        own: per(own),
        total: per(total),
    };
    sums.into_iter().map(cost).collect()
}

/// Each function's own instructions, and those with all callees; a recursive one is counted once.
fn add<'s>(of: &'s Stacks, above: &mut Vec<&'s str>, sums: &mut BTreeMap<&'s str, (u64, u64)>) {
    for (name, callee) in &of.callees {
        let sum = sums.entry(name).or_default();
        sum.0 += callee.own;
        if !above.contains(&name.as_str()) {
            sum.1 += callee.total();
        }
        above.push(name);
        add(callee, above, sums);
        above.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_that_calls_itself_is_counted_once() {
        let stacks = Stacks::parse("a;f;f;g 4\na;f 2\nb;g 1\n").unwrap();
        let mut sums = BTreeMap::new();
        add(&stacks, &mut Vec::new(), &mut sums);
        assert_eq!(sums, [("a", (0, 6)), ("b", (0, 1)), ("f", (2, 6)), ("g", (5, 5))].into());
    }
}
