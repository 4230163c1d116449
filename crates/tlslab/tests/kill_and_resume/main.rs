//! Kill -9 of the lab, a driver, its keeper or its sandbox at random moments: every resumed run completes, no
//! sample is lost or doubled, no process is left. The same for a build, which succeeds when it is repeated.
//!
//! `TLSLAB_KILLS` is the number of moments, `TLSLAB_KILL_SEED` selects them, `TLSLAB_KILL_SANDBOX` runs every
//! second run in a sandbox, and `TLSLAB_KILL_LEDGER` names a file of played moments, from which the series
//! resumes. The moments are spread evenly over the life of a run, and random within that, so that few of them
//! already reach its beginning, middle and end.

mod building;
mod kept;
mod lab;
mod ledger;
mod process;
#[path = "../support/mod.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rusqlite::Connection;
use serde_json::Value;

use kept::*;
use lab::*;
use ledger::Ledger;
use process::*;

const STACKS: [&str; 2] = ["rustls/ring", "openssl"];
const ROUNDS: i64 = 6;
/// How soon after the lab all of its descendants must be gone.
const GONE_WITHIN: Duration = Duration::from_secs(30);
/// The share of a lab's life that passes before its first visit, about; a kill in the rest is aimed by the
/// visits.
const BEFORE_VISITS: f64 = 0.3;
/// About as long as a lab lives after its last visit: it says goodbye to drivers and writes the report.
const ENDING: Duration = Duration::from_millis(12);
/// No run of this size takes that long, unless it hangs.
const HANGS_AFTER: Duration = Duration::from_secs(180);
/// A driver that is killed three times over the same work has failed, and rightly so.
const MOST_DRIVER_KILLS: usize = 2;
const MOST_KILLS: usize = 3;

#[test]
fn kill_9_at_random_moments() {
    let mut ledger = Ledger::open("run");
    let moments: usize = from_environment("TLSLAB_KILLS").unwrap_or(3);
    let seed: u64 =
        ledger.seed(|| from_environment("TLSLAB_KILL_SEED").unwrap_or_else(|| rand::rng().random()));
    let may_sandbox = from_environment::<u8>("TLSLAB_KILL_SANDBOX").is_some_and(|on| on > 0);
    eprintln!("{moments} moments; again with TLSLAB_KILLS={moments} TLSLAB_KILL_SEED={seed}");
    adopt_what_the_lab_leaves();
    let drivers = STACKS.map(|stack| (stack, support::driver(stack)));
    let mut rng = StdRng::seed_from_u64(seed);

    let life = undisturbed_life(&drivers).expect("an undisturbed run succeeds");
    eprintln!("an undisturbed run takes {:.2} s", life.as_secs_f64());
    let (mut failures, mut hits) = (Vec::new(), 0);
    for moment in 0..moments {
        let share = (moment as f64 + rng.random::<f64>()) / moments as f64;
        let mut story = Story::new(&drivers, rng.random());
        if let Some(hit) = ledger.played(moment) {
            hits += usize::from(hit);
            continue;
        }
        story.in_sandbox = may_sandbox && moment % 4 >= 2;
        let outcome = story.play(life, share, moment % 2 == 0);
        hits += usize::from(story.hit);
        match outcome {
            Ok(()) => {
                eprintln!("moment {moment}: {story}");
                ledger.add(moment, story.hit);
            }
            Err(why) => {
                eprintln!("moment {moment}: {story}\n  WRONG: {why:#}");
                failures.push(format!("moment {moment}: {why:#}"));
                story.keep();
            }
        }
    }
    eprintln!("kills: {moments} runs, {hits} of them hit in progress, {} wrong", failures.len());
    assert!(failures.is_empty(), "{} of {moments} moments:\n{}", failures.len(), failures.join("\n"));
    assert!(hits * 2 >= moments, "only {hits} of {moments} moments hit a run in progress");
}

fn undisturbed_life(drivers: &[(&'static str, PathBuf)]) -> anyhow::Result<Duration> {
    let mut story = Story::new(drivers, 1);
    let mut lab = Lab::start(story.out.path(), Start::Anew(1), false);
    let status = lab.until_it_ends()?;
    let life = lab.lived();
    ensure!(status.success(), "it ended with {status}:\n{}", lab.said.join("\n"));
    story.check_nothing_left()?;
    story.check_the_end()?;
    Ok(life)
}

/// One run in a folder of its own, its kills and its observations.
struct Story<'d> {
    drivers: &'d [(&'static str, PathBuf)],
    rng: StdRng,
    out: tempfile::TempDir,
    /// Whether its drivers run in a sandbox.
    in_sandbox: bool,
    /// The contents of the database after each kill.
    seen: Vec<Kept>,
    /// Whether a kill hit a run that had begun and had not ended.
    hit: bool,
    described: Vec<String>,
}

/// The outcome of one life of the lab.
enum Life {
    Ended { status: ExitStatus, killed_drivers: BTreeSet<&'static str> },
    Killed,
}

impl<'d> Story<'d> {
    fn new(drivers: &'d [(&'static str, PathBuf)], seed: u64) -> Self {
        let out = tempfile::Builder::new().prefix("tlslab-kill-").tempdir().expect("a folder");
        let rng = StdRng::seed_from_u64(seed);
        Self { drivers, rng, out, in_sandbox: false, seen: vec![], hit: false, described: vec![] }
    }

    /// Keeps the folder for inspection.
    fn keep(mut self) {
        self.out.disable_cleanup(true);
        eprintln!("  kept: {}", self.out.path().display());
    }

    /// Lives and kills until the run is complete. `share` is the place of the first kill in its life.
    fn play(&mut self, life: Duration, share: f64, lab_first: bool) -> anyhow::Result<()> {
        let seed = u64::from(self.rng.random::<u32>());
        let mut kills = self.draw_kills(life, share, lab_first);
        kills.reverse();
        let mut start = Start::Anew(seed);
        loop {
            let mut lab = Lab::start(self.out.path(), start, self.in_sandbox);
            match self.live(&mut lab, &mut kills)? {
                Life::Ended { status, killed_drivers } => {
                    self.check_nothing_left()?;
                    ensure!(status.success(), "the lab ended with {status}:\n{}", lab.said.join("\n"));
                    self.described.push("ended on its own".to_owned());
                    return self.check_the_end_with(&killed_drivers);
                }
                Life::Killed => {
                    self.check_nothing_left()?;
                    match self.look_at_a_copy()? {
                        None => {
                            self.described.push("before there was a run".to_owned());
                            self.check_there_is_nothing_to_resume()?;
                            let after = life.mul_f64(self.rng.random_range(0.2..0.8));
                            kills = vec![Kill { visits: None, after, victim: Victim::Lab }];
                            start = Start::Anew(seed);
                        }
                        Some(kept) if kept.complete => {
                            self.described.push("after the run had ended".to_owned());
                            return self.check_the_end().map(drop);
                        }
                        Some(kept) => {
                            self.described.push(format!("{} samples kept", kept.samples.len()));
                            self.hit = true;
                            self.check_kept(&kept)?;
                            self.seen.push(kept);
                            start = Start::Resumed;
                        }
                    }
                }
            }
        }
    }

    /// One to three kills, each so long after the one before.
    fn draw_kills(&mut self, life: Duration, share: f64, lab_first: bool) -> Vec<Kill> {
        let count = self.rng.random_range(1..=MOST_KILLS);
        let (mut drivers, mut left) = (0, life);
        let mut kills = Vec::new();
        for number in 0..count {
            let lab = if number == 0 { lab_first } else { self.rng.random() };
            let lab = lab || drivers == MOST_DRIVER_KILLS;
            drivers += usize::from(!lab);
            let others: &[Victim] = match self.in_sandbox {
                true => &[Victim::Driver, Victim::Keeper, Victim::Sandbox],
                false => &[Victim::Driver, Victim::Driver, Victim::Keeper],
            };
            let victim = if lab { Victim::Lab } else { others[self.rng.random_range(0..others.len())] };
            let (visits, after) = match number {
                0 if lab && share > 0.9 => (Some(1.0), ENDING.mul_f64(self.rng.random())),
                0 if share > BEFORE_VISITS => {
                    let visits = (share - BEFORE_VISITS) / (1.0 - BEFORE_VISITS);
                    (Some(visits), life.mul_f64(0.02 * self.rng.random::<f64>()))
                }
                0 => (None, life.mul_f64(share)),
                _ => (None, left.mul_f64(self.rng.random())),
            };
            let lived = if number == 0 { life.mul_f64(share) } else { after };
            // Every life of the lab needs its time to start.
            left = left.saturating_sub(lived).max(life / 5);
            kills.push(Kill { visits, after, victim });
        }
        kills
    }

    /// One life of the lab, with as many of the kills as fall into it.
    fn live(&mut self, lab: &mut Lab, kills: &mut Vec<Kill>) -> anyhow::Result<Life> {
        let mut killed_drivers = BTreeSet::new();
        let mut since = Duration::ZERO;
        while let Some(kill) = kills.last() {
            if let Some(share) = kill.visits {
                lab.wait_for_visits(&self.out.path().join(DATABASE), share)?;
                since = lab.lived();
            }
            if !lab.wait_until(since + kill.after)? {
                break;
            }
            if kill.victim == Victim::Lab {
                let moment = lab.moment();
                lab.kill();
                kills.pop();
                self.described.push(format!("the lab killed {moment}"));
                return Ok(Life::Killed);
            }
            let victim = kill.victim;
            let killed = lab.kill_of_a_driver(victim, self.drivers, &mut self.rng)?;
            let Some((stack, in_a_run)) = killed else { break };
            since = lab.lived();
            kills.pop();
            self.described.push(format!("{} of {stack} killed {}", victim.name(), lab.moment()));
            if in_a_run {
                killed_drivers.insert(stack);
            }
            if let Some(kept) = Kept::read(&self.out.path().join(DATABASE))? {
                self.hit |= !kept.complete;
                self.seen.push(kept);
            }
        }
        let status = lab.until_it_ends()?;
        Ok(Life::Ended { status, killed_drivers })
    }

    /// No process of the lab is left, and none of its keepers.
    fn check_nothing_left(&mut self) -> anyhow::Result<()> {
        let deadline = Instant::now() + GONE_WITHIN;
        while !no_child_is_left() {
            if Instant::now() > deadline {
                let left: Vec<String> =
                    descendants(std::process::id()).map(|process| process.to_string()).collect();
                bail!(
                    "{} s after the lab was gone these were left: {}",
                    GONE_WITHIN.as_secs(),
                    left.join(", ")
                );
            }
            thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// Reads a copy, so that the lab finds the database as the kill left it.
    fn look_at_a_copy(&self) -> anyhow::Result<Option<Kept>> {
        let copy = tempfile::tempdir()?;
        for ending in ["", "-wal"] {
            let name = format!("{DATABASE}{ending}");
            let original = self.out.path().join(&name);
            if original.exists() {
                fs::copy(original, copy.path().join(&name))?;
            }
        }
        Kept::read(&copy.path().join(DATABASE))
    }

    fn check_there_is_nothing_to_resume(&self) -> anyhow::Result<()> {
        let mut lab = Lab::start(self.out.path(), Start::Resumed, self.in_sandbox);
        let status = lab.until_it_ends()?;
        let said = lab.said.join("\n");
        ensure!(
            status.code() == Some(2) && said.contains("was interrupted"),
            "resuming nothing: {status}\n{said}"
        );
        Ok(())
    }

    fn check_the_end_with(&mut self, killed_drivers: &BTreeSet<&'static str>) -> anyhow::Result<()> {
        let kept = self.check_the_end()?;
        for stack in killed_drivers {
            let ends = ["SIGKILL", "that supervises the driver was killed"];
            let described =
                |warning: &String| warning.contains(stack) && ends.iter().any(|end| warning.contains(end));
            ensure!(
                kept.warnings.iter().any(described),
                "a driver of {stack} was killed and no warning says so; there are: {:?}",
                kept.warnings
            );
        }
        Ok(())
    }

    /// The run is complete, with everything observed before.
    fn check_the_end(&mut self) -> anyhow::Result<Kept> {
        let kept = Kept::read(&self.out.path().join(DATABASE))?.context("there is no run")?;
        ensure!(kept.complete, "the run is not complete");
        self.check_kept(&kept)?;
        for scenario in 0..kept.scenarios {
            for stack in 0..STACKS.len() as i64 {
                let proof = kept.cells.get(&(scenario, stack)).map_or("none", String::as_str);
                ensure!(
                    proof.starts_with("{\"proven\""),
                    "scenario {scenario}, stack {stack}: the proof is {proof}"
                );
            }
            for round in 0..ROUNDS {
                kept.check_visit(round, scenario)?;
            }
        }
        check_results(&self.out.path().join(&kept.id).join("results.json"))?;
        self.described.push(format!(
            "{} visits, {} of them cut short, {} samples",
            kept.visits.len(),
            kept.visits.values().filter(|complete| !**complete).count(),
            kept.samples.len()
        ));
        Ok(kept)
    }

    /// Everything observed before is still there, unchanged.
    fn check_kept(&self, now: &Kept) -> anyhow::Result<()> {
        for before in &self.seen {
            ensure!(before.id == now.id, "run {} became run {}", before.id, now.id);
            for (key, sample) in &before.samples {
                let same = now.samples.get(key) == Some(sample);
                ensure!(same, "sample {key:?} was {sample:?} and is {:?}", now.samples.get(key));
            }
            for (key, complete) in &before.visits {
                let is = now.visits.get(key);
                ensure!(
                    is.is_some_and(|now| now >= complete),
                    "visit {key:?}: complete was {complete}, is {is:?}"
                );
            }
            for (key, proof) in &before.cells {
                ensure!(now.cells.get(key) == Some(proof), "the proof of cell {key:?} has changed");
            }
            for warning in &before.warnings {
                ensure!(now.warnings.contains(warning), "this warning is lost: {warning}");
            }
        }
        Ok(())
    }
}

impl fmt::Display for Story<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.described.join("; "))
    }
}

struct Kill {
    /// The share of all visits that are complete before it, where it is aimed by them.
    visits: Option<f64>,
    /// How long after these visits, or else after the lab's start or the kill of a driver.
    after: Duration,
    /// The target.
    victim: Victim,
}

/// The target.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Victim {
    /// The lab itself.
    Lab,
    /// A driver.
    Driver,
    /// The process between the lab and a driver.
    Keeper,
    /// A process of the sandbox between a keeper and a driver.
    Sandbox,
}

impl Victim {
    fn name(self) -> &'static str {
        match self {
            Victim::Lab => "the lab",
            Victim::Driver => "a driver",
            Victim::Keeper => "a keeper",
            Victim::Sandbox => "a sandbox",
        }
    }
}

fn from_environment<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}
