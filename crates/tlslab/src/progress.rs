//! How far things are: lines that move on a terminal, a few plain lines elsewhere.
//!
//! Everything here goes to standard error, so that standard output holds the result alone.

use std::collections::{BTreeMap, HashMap};
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tlslab_build::{Event, Happening, Observer as BuildObserver, Stage, Task};

/// How often a long step says a word where nothing can move.
const PLAIN_EVERY: Duration = Duration::from_secs(30);

/// Whether lines may move.
fn moves() -> bool {
    std::io::stderr().is_terminal()
}

/// Shows builds.
pub struct BuildProgress {
    moving: Option<MultiProgress>,
    running: Mutex<HashMap<String, Running>>,
    tally: Mutex<Tally>,
    quiet_when_cached: bool,
}

/// How far a build is.
#[derive(Default)]
struct Tally {
    /// Per stage: how many are left, how many were made, and how long those took.
    stages: BTreeMap<Stage, (usize, u32, Duration)>,
    total: usize,
    ended: usize,
}

impl Tally {
    /// One product is made, or will not be.
    fn end(&mut self, stage: Stage, took: Option<Duration>) {
        let (left, made, time) = self.stages.entry(stage).or_default();
        if *left == 0 {
            return;
        }
        *left -= 1;
        self.ended += 1;
        if let Some(took) = took {
            *made += 1;
            *time += took;
        }
    }

    /// Where it is, in a few words. The rest is estimated from what was made in the same stage, two side by side.
    fn words(&self) -> String {
        if self.ended >= self.total {
            return format!("{} of {}", self.ended, self.total);
        }
        let left: Option<f64> = self
            .stages
            .values()
            .filter(|(left, ..)| *left > 0)
            .map(|(left, made, time)| {
                (*made > 0).then(|| time.as_secs_f64() / f64::from(*made) * *left as f64)
            })
            .sum();
        match left {
            Some(seconds) => format!("{} of {}, about {:.0} s left", self.ended, self.total, seconds / 2.0),
            None => format!("{} of {}", self.ended, self.total),
        }
    }
}

struct Running {
    bar: Option<ProgressBar>,
    last_word: Instant,
    started: Instant,
}

impl BuildProgress {
    /// For standard error as it is. What is cached is only told when `tell_cached` says so.
    pub fn new(tell_cached: bool) -> Self {
        Self {
            moving: moves().then(MultiProgress::new),
            running: Mutex::new(HashMap::new()),
            tally: Mutex::default(),
            quiet_when_cached: !tell_cached,
        }
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        // A poisoned lock means that a thread panicked while drawing; the numbers are still good.
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a product is made, or will not be, and says how far the build is.
    fn ended(&self, event: &Event, took: Option<Duration>) -> String {
        let mut tally = self.tally();
        tally.end(event.task.stage, took);
        tally.words()
    }

    fn say(&self, text: &str) {
        match &self.moving {
            // A line that cannot be drawn is no reason to stop a build.
            Some(moving) => drop(moving.println(text)),
            None => eprintln!("{text}"),
        }
    }
}

impl BuildObserver for BuildProgress {
    fn begins(&self, to_make: &[Task]) {
        let mut tally = self.tally();
        for task in to_make {
            tally.stages.entry(task.stage).or_default().0 += 1;
        }
        tally.total += to_make.len();
    }

    fn on(&self, event: &Event) {
        let name = format!("{} ({})", event.task.stage, event.task.stacks.join(", "));
        // A poisoned lock means that a thread panicked while drawing; the map is still good.
        let mut running = self.running.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match &event.what {
            Happening::Cached if self.quiet_when_cached => {}
            Happening::Cached => self.say(&format!("build: {name} is in the cache")),
            Happening::Waiting => self.say(&format!("build: {name} is being made by another run; waiting")),
            Happening::Started { .. } => {
                let bar = self.moving.as_ref().map(|moving| {
                    let bar = moving.add(ProgressBar::new_spinner());
                    bar.set_style(style("{spinner} {elapsed:>4} {prefix} {wide_msg:.dim}"));
                    bar.set_prefix(name.clone());
                    bar.enable_steady_tick(Duration::from_millis(200));
                    bar
                });
                if bar.is_none() {
                    self.say(&format!("build: {name} ..."));
                }
                let now = Instant::now();
                running.insert(name, Running { bar, last_word: now, started: now });
            }
            Happening::Line(line) => {
                let Some(task) = running.get_mut(&name) else { return };
                match &task.bar {
                    Some(bar) => bar.set_message(line.clone()),
                    None if task.last_word.elapsed() >= PLAIN_EVERY => {
                        task.last_word = Instant::now();
                        eprintln!(
                            "build: {name} still at it after {:.0} s",
                            task.started.elapsed().as_secs_f64()
                        );
                    }
                    None => {}
                }
            }
            Happening::Finished { took } => {
                finish(&mut running, &name);
                let far = self.ended(event, Some(*took));
                self.say(&format!("build: {name} done in {:.1} s ({far})", took.as_secs_f64()));
            }
            Happening::Failed(failure) => {
                finish(&mut running, &name);
                self.ended(event, None);
                self.say(&format!("build: {name} failed: {failure}"));
            }
        }
    }
}

fn finish(running: &mut HashMap<String, Running>, name: &str) {
    if let Some(Running { bar: Some(bar), .. }) = running.remove(name) {
        bar.finish_and_clear();
    }
}

/// Shows a run.
pub struct RunProgress {
    bar: Option<ProgressBar>,
    said_at: Instant,
    phase: &'static str,
}

impl RunProgress {
    /// For standard error as it is.
    pub fn new() -> Self {
        let bar = moves().then(|| {
            let bar = ProgressBar::new(0);
            bar.set_style(style("{prefix} [{bar:30}] {pos}/{len} {wide_msg:.dim}"));
            bar
        });
        Self { bar, said_at: Instant::now(), phase: "" }
    }

    /// Takes the line away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn show(&mut self, phase: &'static str, done: usize, total: usize, text: String) {
        let new_phase = self.phase != phase;
        self.phase = phase;
        match &self.bar {
            Some(bar) => {
                bar.set_prefix(phase);
                bar.set_length(total as u64);
                bar.set_position(done as u64);
                bar.set_message(text);
            }
            None if new_phase || self.said_at.elapsed() >= PLAIN_EVERY => {
                self.said_at = Instant::now();
                eprintln!("{phase}: {done}/{total} {text}");
            }
            None => {}
        }
    }
}

impl tlslab_runner::Observer for RunProgress {
    fn proving(&mut self, stack: &str, scenario: &str, done: usize, total: usize) {
        self.show("prove", done, total, format!("{stack}: {scenario}"));
    }

    fn visiting(&mut self, round: u32, scenario: &str, done: usize, total: usize, left_s: f64) {
        self.show(
            "measure",
            done,
            total,
            format!("about {left_s:.0} s left; round {}: {scenario}", round + 1),
        );
    }

    fn counting(&mut self, stack: &str, scenario: &str, done: usize, total: usize) {
        self.show("count", done, total, format!("{stack}: {scenario}"));
    }

    fn weighing(&mut self, stack: &str, scenario: &str, done: usize, total: usize) {
        self.show("weigh", done, total, format!("{stack}: {scenario}"));
    }

    fn slicing(&mut self, block: u32, place: usize, total: usize) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("block {}: slice {} of {total}", block + 1, place + 1));
        }
    }

    fn warning(&mut self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(format!("warning: {text}")),
            None => eprintln!("warning: {text}"),
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
