//! Counts by function: of a stack's driver now, of a folder from earlier, or of a file by callgrind.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use tlslab_binaries::Symbols;
use tlslab_build::BuiltStack;
use tlslab_measure::DriverProgram;
use tlslab_profile::{Named, Profile, Stacks, parse, parse_naming};
use tlslab_protocol::{Scenario, Side};
use tlslab_recipe::Layouts;
use tlslab_record::{Counted, CounterKind, CounterRecord, Seconds};

use super::{INSTRUCTIONS, naming};
use crate::bounded_read;
use crate::counting;
use crate::problem::{ErrorKind, Problem};
use crate::request::{CountedFunctions as Counting, FunctionSource, Selection};
use crate::session::workshop::Workshop;

/// The seed of the RNG, as in a run.
pub(super) const SEED: u64 = 1;

/// The file in a folder that describes the others.
const ABOUT: &str = "profile.json";

/// The ending of a file of stacks, next to the file of functions with its name.
const STACKS: &str = "stacks";

/// The description of a count.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct About {
    /// The stack.
    pub stack: String,
    /// The scenario.
    pub scenario: String,
    /// How often its work was done.
    pub iterations: u64,
    /// The seed of the deterministic RNG.
    pub seed: u64,
    /// The counter.
    pub counter: String,
    /// Whether it counted native execution.
    #[serde(default)]
    pub native: bool,
}

impl CountedFunctions {
    /// The stack without its version, source and variants, if known.
    pub fn family(&self) -> Option<&str> {
        self.stack.as_deref().map(tlslab_record::library)
    }
}

/// Counts by function.
pub struct CountedFunctions {
    /// A description for readers.
    pub title: String,
    /// The stack, if known.
    pub stack: Option<String>,
    /// The counter, if known.
    pub counter: Option<String>,
    /// Whether it counted native execution.
    pub native: bool,
    /// How often the work was done.
    pub iterations: u64,
    /// Sides by name.
    pub sides: BTreeMap<String, (Profile, Stacks)>,
}

/// The functions of a stack, counted now, or those of a folder or file.
pub fn counted_functions(
    workshop: &Workshop<'_>,
    source: &FunctionSource,
    counting: &Counting,
    selection: &Selection,
) -> anyhow::Result<CountedFunctions> {
    match source {
        FunctionSource::Folder(folder) => of_folder(folder, selection),
        FunctionSource::File(file) => of_file(file),
        FunctionSource::Stack { stack, scenario } => {
            let scratch = tempfile::tempdir().context("cannot create a folder for counts")?;
            count(workshop, stack, scenario, counting, scratch.path())?;
            of_folder(scratch.path(), selection)
        }
    }
}

/// Counts a cell and has its files written into a folder.
pub fn count(
    workshop: &Workshop<'_>,
    stack: &str,
    scenario: &str,
    how: &Counting,
    folder: &Path,
) -> anyhow::Result<()> {
    let scenario = find_scenario(workshop, scenario)?;
    let recipe = workshop.environment.recipe_index()?.named(stack)?;
    count_built(workshop, &workshop.build_one(&recipe)?, &scenario, how, folder)
}

/// The functions of both sides of a scenario on a stack that a record may name, counted now; in the first of
/// its layouts, if any.
pub fn of_recorded(
    workshop: &Workshop<'_>,
    (stack, layouts): (&str, Option<Layouts>),
    scenario: &str,
    counting: &Counting,
    selection: &Selection,
) -> anyhow::Result<CountedFunctions> {
    let scenario = find_scenario(workshop, scenario)?;
    let built = workshop.build_recorded(stack, layouts)?;
    let scratch = tempfile::tempdir().context("cannot create a folder for counts")?;
    count_built(workshop, &built, &scenario, counting, scratch.path())?;
    of_folder(scratch.path(), selection)
}

pub(super) fn find_scenario(workshop: &Workshop<'_>, scenario: &str) -> anyhow::Result<Scenario> {
    let catalogue = workshop.environment.catalogue()?;
    Ok(catalogue.named(scenario)?)
}

fn count_built(
    workshop: &Workshop<'_>,
    built: &BuiltStack,
    scenario: &Scenario,
    how: &Counting,
    folder: &Path,
) -> anyhow::Result<()> {
    let name = &built.identity.recipe;
    let counter: CounterRecord = counting::profiler(workshop, how.counter, "callers")?.seeded(SEED);
    workshop.reporter.note(format!("count: {} in {}, {} iterations", scenario.name, name, how.iterations));
    count_with(workshop, built, scenario, &counter, (how.iterations.get(), how.timeout_s), folder)?;
    if counter.kind == CounterKind::Frida {
        naming::name_functions(folder, &mut Symbols::default())?;
    }
    let about = About {
        stack: name.clone(),
        scenario: scenario.name.clone(),
        iterations: how.iterations.get(),
        seed: SEED,
        native: counter.kind.is_native(),
        counter: counter.name,
    };
    let file = folder.join(ABOUT);
    std::fs::write(&file, serde_json::to_string_pretty(&about)? + "\n")
        .with_context(|| format!("cannot write {}", file.display()))
}

/// Counts a cell under a counter, which also writes its details into a folder.
fn count_with(
    workshop: &Workshop<'_>,
    built: &BuiltStack,
    scenario: &Scenario,
    counter: &CounterRecord,
    (iterations, timeout): (u64, Seconds),
    folder: &Path,
) -> anyhow::Result<()> {
    let name = &built.identity.recipe;
    let pki = workshop.keys(std::slice::from_ref(scenario))?;
    let launcher = workshop.launcher();
    let driver = driver_under(counter, built);
    let asked = (iterations, SEED, folder);
    match tlslab_measure::profile(&launcher, driver, &pki, scenario, asked, timeout.duration())? {
        Counted::Counted(_) => Ok(()),
        Counted::Unsupported(reason) => bail!("{name}: unsupported: {reason}"),
        Counted::Failed(reason) => bail!("{name}: failed: {reason}"),
    }
}

/// A stack's driver, run by a counter.
pub(super) fn driver_under<'p>(counter: &'p CounterRecord, built: &'p BuiltStack) -> DriverProgram<'p> {
    DriverProgram {
        path: &built.driver,
        environment: &built.environment,
        preload: None,
        counter: Some(counter),
        moves: false,
        placement: None,
        described: None,
    }
}

/// The files of `profile --out`.
pub fn of_folder(folder: &Path, selection: &Selection) -> anyhow::Result<CountedFunctions> {
    let file = folder.join(ABOUT);
    let about: About = serde_json::from_str(
        &read(&file)
            .with_context(|| {
                let quoted = tlslab_artifact::quoted(&folder.display().to_string());
                format!(
                    "{} has no counted functions; `tlslab profile --stack STACK --scenario NAME --out {quoted}` writes them",
                    folder.display()
                )
            })?,
    )
    .with_context(|| format!("in {}", file.display()))?;
    let sides = sides(folder, selection.side, selection.phase.as_deref())?;
    if sides.is_empty() {
        let phase =
            selection.phase.as_ref().map(|phase| format!(" in a phase \"{phase}\"")).unwrap_or_default();
        bail!("{} on {}: nothing was counted{phase}", about.scenario, about.stack);
    }
    let title = format!("{}: {}", about.stack, about.scenario);
    let About { stack, counter, native, iterations, .. } = about;
    Ok(CountedFunctions { title, stack: Some(stack), counter: Some(counter), native, iterations, sides })
}

/// The counts in a folder, by side: of both sides if none is requested, and likewise of all phases.
pub fn sides(
    folder: &Path,
    side: Option<Side>,
    phase: Option<&str>,
) -> anyhow::Result<BTreeMap<String, (Profile, Stacks)>> {
    let mut symbols = Symbols::default();
    let mut sides: BTreeMap<String, (Profile, Stacks)> = BTreeMap::new();
    for side in sides_of(side) {
        for path in files_of(folder, *side, phase)? {
            let described = || format!("in {}", path.display());
            let mut namer = |object: &str, address: u64| names(&mut symbols, object, address);
            let found = parse_naming(&read(&path)?, &mut namer).with_context(described)?;
            if found.totals().iter().all(|total| *total == 0) {
                continue;
            }
            let (profile, stacks) = sides.entry(side.to_string()).or_default();
            profile.add(&found);
            let kept = stacks_of(&path);
            if kept.is_file() {
                let found = Stacks::parse(&read(&kept)?).with_context(|| format!("in {}", kept.display()))?;
                let phase = path.file_name().unwrap_or_default().to_string_lossy();
                let phase = phase.split_once('.').map_or(&*phase, |(_, phase)| phase).to_owned();
                stacks.callees.insert(phase, found.within(&|name| name.contains(HARNESS)));
            }
        }
    }
    Ok(sides)
}

/// A file in callgrind's format, by any program.
fn of_file(path: &Path) -> anyhow::Result<CountedFunctions> {
    let text = bounded_read::profile(path, bounded_read::LONGEST_PROFILE)?;
    let profile = parse(&text).with_context(|| format!("in {}", path.display()))?;
    if !profile.events.iter().any(|event| event == INSTRUCTIONS) {
        let events = profile.events.join(", ");
        bail!(Problem::new(
            ErrorKind::Invalid,
            path.display().to_string(),
            format!("it counted {events}, not instructions (the event {INSTRUCTIONS})"),
            "profile the program again with callgrind"
        ));
    }
    Ok(CountedFunctions {
        title: path.display().to_string(),
        stack: None,
        counter: None,
        native: false,
        iterations: 1,
        sides: [("all".to_owned(), (profile, Stacks::default()))].into(),
    })
}

/// If valgrind has no name for a function, its file may have one.
fn names(symbols: &mut Symbols, object: &str, address: u64) -> Vec<Named> {
    let frames = symbols.frames(Path::new(object), address).into_iter();
    frames.map(|frame| Named { name: frame.function, file: frame.file, line: frame.line.into() }).collect()
}

fn sides_of(asked: Option<Side>) -> &'static [Side] {
    match asked {
        Some(Side::Client) => &[Side::Client],
        Some(Side::Server) => &[Side::Server],
        None => &Side::BOTH,
    }
}

/// All files of a side, or those of one phase with its calls.
fn files_of(folder: &Path, side: Side, phase: Option<&str>) -> anyhow::Result<Vec<PathBuf>> {
    let begins = format!("{side}.");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(found) = name.strip_prefix(&begins) else { continue };
        let is_asked = phase.is_none_or(|phase| found == phase || found.starts_with(&format!("{phase}.")));
        if is_asked && path.extension().is_none_or(|ending| ending != STACKS) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Where the stacks of a file of functions are.
fn stacks_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(STACKS);
    name.into()
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Fragments of the names of the harness's own functions.
const HARNESS: &str = "tlslab_driver_kit";

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(side: Option<Side>, phase: Option<&str>) -> Selection {
        Selection { side, phase: phase.map(str::to_owned), top: crate::request::Top::of(5) }
    }

    #[test]
    fn a_phase_has_its_calls_and_a_side_its_phases() {
        let folder = tempfile::tempdir().unwrap();
        for (name, cost) in
            [("server.handshake.1", 1), ("server.handshake.2", 2), ("server.free", 4), ("client.free", 8)]
        {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("events: Ir\nfn=f\n1 {cost}\n")).unwrap();
            std::fs::write(stacks_of(&path), format!("tlslab_driver_kit;f {cost}\n")).unwrap();
        }
        let about = r#"{"stack":"s","scenario":"x","iterations":1,"seed":1,"counter":"c"}"#;
        std::fs::write(folder.path().join(ABOUT), about).unwrap();
        let server = |phase| {
            let found = of_folder(folder.path(), &selection(Some(Side::Server), phase)).unwrap();
            let (profile, stacks) = &found.sides["server"];
            assert_eq!(stacks.total(), profile.totals()[0]);
            assert!(stacks.callees.values().all(|phase| phase.callees.contains_key("f")), "{stacks:?}");
            profile.totals()
        };
        assert_eq!(server(None), [7]);
        assert_eq!(server(Some("handshake")), [3]);
        assert_eq!(server(Some("handshake.2")), [2]);
        let both = of_folder(folder.path(), &selection(None, None)).unwrap();
        assert_eq!(both.sides.keys().collect::<Vec<_>>(), ["client", "server"]);
        let error = of_folder(folder.path(), &selection(None, Some("send"))).err().unwrap();
        assert_eq!(error.to_string(), "x on s: nothing was counted in a phase \"send\"");
    }
}
