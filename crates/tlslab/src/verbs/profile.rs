//! `tlslab profile`: which functions take a cell's instructions.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use tlslab_profile::{Function, Profile, parse};
use tlslab_protocol::Side;
use tlslab_record::{Counted, CounterRecord};
use tlslab_runner::{DriverProgram, Launcher};

use super::build::build_all;
use crate::Ended;
use crate::cli::{AskedSide, ProfileArgs};
use crate::counting;
use crate::house::House;
use crate::signals::cancel_flag;

/// What chance begins from, as in a run.
const SEED: u64 = 1;
/// The event that functions are sorted by.
const INSTRUCTIONS: &str = "Ir";

/// Counts the cell and prints a table for each side.
pub fn profile(house: &House, args: &ProfileArgs) -> anyhow::Result<Ended> {
    let catalogue = house.catalogue()?;
    let scenario =
        catalogue.scenarios().find(|scenario| scenario.name == args.scenario).with_context(|| {
            format!("no scenario is called \"{}\"; `tlslab scenarios` lists them", args.scenario)
        })?;
    let cancel = cancel_flag()?;
    let recipe = house.shelf()?.named(&args.stack)?;
    let built = build_all(house, &[&recipe], false, &cancel)?;
    let built = match &built[&recipe.name] {
        Ok(built) => built,
        Err(failure) => bail!("{} was not built: {failure}", recipe.name),
    };
    let pki = house.pki(std::slice::from_ref(scenario), &mut |text| eprintln!("keys: {text}"))?;
    let mut counter: CounterRecord = counting::valgrind(house, &cancel)?.seeded(SEED);
    counter.arguments.push("--fn=self".to_owned());
    let scratch = tempfile::tempdir().context("cannot make a folder for what is counted")?;
    let folder = match &args.out {
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
            std::path::absolute(folder)?
        }
        None => scratch.path().to_owned(),
    };
    let launcher = Launcher { cpu: None, cpus: vec![], directory: house.cache.clone(), cancel };
    let driver = DriverProgram {
        path: &built.driver,
        environment: &built.environment,
        preload: None,
        counter: Some(&counter),
    };
    eprintln!("count: {} in {}, {} iterations", scenario.name, recipe.name, args.iterations);
    let how = (args.iterations, SEED, &*folder);
    match tlslab_runner::profile(&launcher, driver, &pki, scenario, how, args.timeout)? {
        Counted::Counted(_) => {}
        Counted::Unsupported(reason) => bail!("{}: unsupported: {reason}", recipe.name),
        Counted::Failed(reason) => bail!("{}: failed: {reason}", recipe.name),
    }
    let sides = match args.side {
        Some(AskedSide::Client) => &[Side::Client],
        Some(AskedSide::Server) => &[Side::Server],
        None => scenario.work.sides(),
    };
    for side in sides {
        let found = side_of(&folder, *side, args.phase.as_deref())?;
        let phase = args.phase.as_ref().map(|phase| format!(" in a phase \"{phase}\"")).unwrap_or_default();
        ensure!(found.totals().iter().any(|total| *total > 0), "{side}: nothing was counted{phase}");
        print!("{}", table(&found, *side, args.iterations, args.top)?);
    }
    println!("counted by {}, whose processor has fewer features than this one's may have", counter.name);
    Ok(Ended::Well)
}

/// All files of a side, or those of one phase.
fn side_of(folder: &Path, side: Side, phase: Option<&str>) -> anyhow::Result<Profile> {
    let mut sum = Profile::default();
    let begins = format!("{side}.");
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(found) = name.strip_prefix(&begins) else { continue };
        if phase.is_none_or(|phase| found == phase || found.starts_with(&format!("{phase}."))) {
            let told = || path.display().to_string();
            sum.add(&parse(&std::fs::read_to_string(&path).with_context(told)?).with_context(told)?);
        }
    }
    Ok(sum)
}

fn table(profile: &Profile, side: Side, iterations: u64, top: usize) -> anyhow::Result<String> {
    let event = profile.event(INSTRUCTIONS).context("the counter did not tell instructions")?;
    let total = profile.totals()[event];
    let row = |count: u64, words: &str| {
        let share = 100.0 * count as f64 / total.max(1) as f64;
        format!("{share:>6.2} % {:>12.0}  {words}\n", count as f64 / iterations as f64)
    };
    let sorted = profile.by(event);
    let (shown, others) = sorted.split_at(top.min(sorted.len()));
    let mut text = String::new();
    writeln!(text, "{side}: {:.0} instructions per iteration", total as f64 / iterations as f64)?;
    for (function, costs) in shown {
        text.push_str(&row(costs[event], &place(function)));
    }
    if !others.is_empty() {
        let rest = others.iter().map(|(_, costs)| costs[event]).sum();
        text.push_str(&row(rest, &format!("{} others", others.len())));
    }
    text.push('\n');
    Ok(text)
}

/// A function's name with the last parts of its file: where the file lies differs from machine to machine.
fn place(function: &Function) -> String {
    if function.file.is_empty() {
        return function.name.clone();
    }
    let mut parts: Vec<&str> = function.file.rsplit('/').take(2).collect();
    parts.reverse();
    format!("{} ({})", function.name, parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_shares_per_iteration_and_the_rest_in_one_line() {
        let text = "events: Ir\nfl=/home/someone/ring/crypto/p256.c\nfn=mul\n1 600\nfl=\nfn=sha\n1 300\nfn=x\n1 60\nfn=y\n1 40\n";
        let table = table(&parse(text).unwrap(), Side::Server, 2, 2).unwrap();
        let expected = "server: 500 instructions per iteration\n\
                        \u{20}60.00 %          300  mul (crypto/p256.c)\n\
                        \u{20}30.00 %          150  sha\n\
                        \u{20}10.00 %           50  2 others\n\n";
        assert_eq!(table, expected);
    }

    #[test]
    fn a_phase_has_its_calls() {
        let folder = tempfile::tempdir().unwrap();
        for (name, cost) in
            [("server.handshake.1", 1), ("server.handshake.2", 2), ("server.free", 4), ("client.free", 8)]
        {
            std::fs::write(folder.path().join(name), format!("events: Ir\nfn=f\n1 {cost}\n")).unwrap();
        }
        let total = |phase| side_of(folder.path(), Side::Server, phase).unwrap().totals();
        assert_eq!(total(None), [7]);
        assert_eq!(total(Some("handshake")), [3]);
        assert_eq!(total(Some("handshake.2")), [2]);
        assert!(total(Some("send")).is_empty());
    }
}
