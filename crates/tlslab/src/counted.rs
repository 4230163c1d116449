//! What was counted by function: by a stack's driver now, or before into a folder, or by callgrind into a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use tlslab_profile::{Named, Profile, Stacks, parse, parse_naming};
use tlslab_protocol::Side;
use tlslab_record::{Counted, CounterKind, CounterRecord};
use tlslab_runner::{DriverProgram, Launcher};
use tlslab_symbols::Symbols;

use crate::cli::{AskedSide, HowCountedArgs, ShownArgs};
use crate::counting;
use crate::house::House;
use crate::naming;
use crate::verbs::build::build_all;

/// What chance begins from, as in a run.
const SEED: u64 = 1;

/// The file in a folder that says what the others are of.
const ABOUT: &str = "profile.json";

/// The ending of a file of stacks, beside the file of functions that has its name.
const STACKS: &str = "stacks";

/// What was counted, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct About {
    /// The stack.
    pub stack: String,
    /// The scenario.
    pub scenario: String,
    /// How often its work was done.
    pub iterations: u64,
    /// What forged chance began from.
    pub seed: u64,
    /// What counted.
    pub counter: String,
    /// Whether it counted the code that runs on the host.
    #[serde(default)]
    pub native: bool,
}

impl CountedFunctions {
    /// The stack without its version, source and variants, where it is known.
    pub fn family(&self) -> Option<&str> {
        self.stack.as_deref().and_then(|stack| stack.split(['@', '+', ',']).next())
    }
}

/// What was counted by function.
pub struct CountedFunctions {
    /// What it is, for readers.
    pub title: String,
    /// The stack, where that is known.
    pub stack: Option<String>,
    /// What counted, where that is known.
    pub counter: Option<String>,
    /// Whether that counted the code that runs on the host.
    pub native: bool,
    /// How often the work was done.
    pub iterations: u64,
    /// Sides by name.
    pub sides: BTreeMap<String, (Profile, Stacks)>,
}

/// What is asked for: a folder or a file where there is one of that name, else a stack.
pub fn of(
    house: &House,
    thing: &str,
    scenario: Option<&str>,
    how: &HowCountedArgs,
    shown: &ShownArgs,
    cancel: &Arc<AtomicBool>,
) -> anyhow::Result<CountedFunctions> {
    let path = Path::new(thing);
    if path.is_dir() {
        return of_folder(path, shown);
    }
    if path.is_file() {
        return of_file(path);
    }
    let scenario = scenario.with_context(|| {
        format!(
            "there is no file or folder {thing}; if it is a stack, say of which scenario with --scenario NAME"
        )
    })?;
    let scratch = tempfile::tempdir().context("cannot make a folder for what is counted")?;
    count(house, thing, scenario, how, scratch.path(), cancel)?;
    of_folder(scratch.path(), shown)
}

/// Counts a cell and has its files written into a folder.
pub fn count(
    house: &House,
    stack: &str,
    scenario: &str,
    how: &HowCountedArgs,
    folder: &Path,
    cancel: &Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let catalogue = house.catalogue()?;
    let scenario = catalogue
        .scenarios()
        .find(|known| known.name == scenario)
        .with_context(|| format!("no scenario is called \"{scenario}\"; `tlslab scenarios` lists them"))?;
    let recipe = house.shelf()?.named(stack)?;
    let built = build_all(house, &[&recipe], false, cancel)?;
    let built = match &built[&recipe.name] {
        Ok(built) => built,
        Err(failure) => bail!("{} was not built: {failure}", recipe.name),
    };
    let pki = house.pki(std::slice::from_ref(scenario), &mut |text| eprintln!("keys: {text}"))?;
    let counter: CounterRecord = counting::profiler(house, how.counter, "callers", cancel)?.seeded(SEED);
    let launcher =
        Launcher { cpu: None, cpus: vec![], directory: house.cache.clone(), cancel: cancel.clone() };
    let driver = DriverProgram {
        path: &built.driver,
        environment: &built.environment,
        preload: None,
        counter: Some(&counter),
        moves: false,
    };
    eprintln!("count: {} in {}, {} iterations", scenario.name, recipe.name, how.iterations);
    let asked = (how.iterations, SEED, folder);
    match tlslab_runner::profile(&launcher, driver, &pki, scenario, asked, how.timeout)? {
        Counted::Counted(_) => {}
        Counted::Unsupported(reason) => bail!("{}: unsupported: {reason}", recipe.name),
        Counted::Failed(reason) => bail!("{}: failed: {reason}", recipe.name),
    }
    if counter.kind == CounterKind::Frida {
        naming::name_functions(folder, &mut Symbols::default())?;
    }
    let about = About {
        stack: recipe.name.clone(),
        scenario: scenario.name.clone(),
        iterations: how.iterations,
        seed: SEED,
        native: counter.kind.is_native(),
        counter: counter.name,
    };
    let file = folder.join(ABOUT);
    std::fs::write(&file, serde_json::to_string_pretty(&about)? + "\n")
        .with_context(|| format!("cannot write {}", file.display()))
}

/// What `profile --out` has kept.
pub fn of_folder(folder: &Path, shown: &ShownArgs) -> anyhow::Result<CountedFunctions> {
    let file = folder.join(ABOUT);
    let about: About = serde_json::from_str(&read(&file).with_context(|| {
        format!("{} is no folder that `tlslab profile --out` has made", folder.display())
    })?)
    .with_context(|| format!("in {}", file.display()))?;
    let sides = sides(folder, shown.side, shown.phase.as_deref())?;
    if sides.is_empty() {
        let phase = shown.phase.as_ref().map(|phase| format!(" in a phase \"{phase}\"")).unwrap_or_default();
        bail!("{} on {}: nothing was counted{phase}", about.scenario, about.stack);
    }
    let title = format!("{}: {}", about.stack, about.scenario);
    let About { stack, counter, native, iterations, .. } = about;
    Ok(CountedFunctions { title, stack: Some(stack), counter: Some(counter), native, iterations, sides })
}

/// What was counted into a folder, by side: of both where none is asked for, and of all phases likewise.
pub fn sides(
    folder: &Path,
    side: Option<AskedSide>,
    phase: Option<&str>,
) -> anyhow::Result<BTreeMap<String, (Profile, Stacks)>> {
    let mut symbols = Symbols::default();
    let mut sides: BTreeMap<String, (Profile, Stacks)> = BTreeMap::new();
    for side in sides_of(side) {
        for path in files_of(folder, *side, phase)? {
            let told = || format!("in {}", path.display());
            let mut namer = |object: &str, address: u64| named(&mut symbols, object, address);
            let found = parse_naming(&read(&path)?, &mut namer).with_context(told)?;
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

/// A file that callgrind or anything else has written.
fn of_file(path: &Path) -> anyhow::Result<CountedFunctions> {
    let profile = parse(&read(path)?).with_context(|| format!("in {}", path.display()))?;
    Ok(CountedFunctions {
        title: path.display().to_string(),
        stack: None,
        counter: None,
        native: false,
        iterations: 1,
        sides: [("all".to_owned(), (profile, Stacks::default()))].into(),
    })
}

/// What valgrind has no name for, its file may have.
fn named(symbols: &mut Symbols, object: &str, address: u64) -> Vec<Named> {
    let frames = symbols.frames(Path::new(object), address).into_iter();
    frames.map(|frame| Named { name: frame.function, file: frame.file, line: frame.line.into() }).collect()
}

fn sides_of(asked: Option<AskedSide>) -> &'static [Side] {
    match asked {
        Some(AskedSide::Client) => &[Side::Client],
        Some(AskedSide::Server) => &[Side::Server],
        None => &Side::BOTH,
    }
}

/// All files of a side, or those of one phase: a phase has its calls.
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

/// What names of the harness's own functions have in them.
const HARNESS: &str = "tlslab_driver_kit";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::SheetFormat;

    fn shown(side: Option<AskedSide>, phase: Option<&str>) -> ShownArgs {
        ShownArgs { side, phase: phase.map(str::to_owned), top: 5, format: SheetFormat::Table }
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
            let found = of_folder(folder.path(), &shown(Some(AskedSide::Server), phase)).unwrap();
            let (profile, stacks) = &found.sides["server"];
            assert_eq!(stacks.total(), profile.totals()[0]);
            assert!(stacks.callees.values().all(|phase| phase.callees.contains_key("f")), "{stacks:?}");
            profile.totals()
        };
        assert_eq!(server(None), [7]);
        assert_eq!(server(Some("handshake")), [3]);
        assert_eq!(server(Some("handshake.2")), [2]);
        let both = of_folder(folder.path(), &shown(None, None)).unwrap();
        assert_eq!(both.sides.keys().collect::<Vec<_>>(), ["client", "server"]);
        let error = of_folder(folder.path(), &shown(None, Some("send"))).err().unwrap();
        assert_eq!(error.to_string(), "x on s: nothing was counted in a phase \"send\"");
    }
}
