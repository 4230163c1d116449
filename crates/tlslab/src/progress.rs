//! Progress display: lines that are redrawn on a terminal, a few plain lines elsewhere.
//!
//! Everything here goes to standard error, so that standard output has the result alone.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tlslab_build::Stage as BuildStage;
use tlslab_lab::{BuildStep, ComparisonStarted, Event, Observer, Product, Resource, RunStarted, Step};
use tlslab_text::{clean, clean_lines};

use crate::results::export_line;

/// How often a long step prints a line where nothing can be redrawn.
const PLAIN_EVERY: Duration = Duration::from_secs(30);

/// Shows what a request does.
pub(crate) struct Progress {
    builds: Builds,
    /// The line of the current stage.
    bar: Option<ProgressBar>,
    printed_at: Instant,
    stage: &'static str,
    /// The folder of results.
    out: PathBuf,
}

impl Progress {
    /// On standard error. Cached products are listed only if `lists_cached`.
    pub(crate) fn new(lists_cached: bool, out: PathBuf) -> Self {
        Self { builds: Builds::new(lists_cached), bar: None, printed_at: Instant::now(), stage: "", out }
    }

    /// Removes what can be redrawn.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.stage = "";
    }

    fn print(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(clean_lines(text)),
            None => self.builds.print(text),
        }
    }

    fn step(&mut self, step: &Step) {
        let Step { stage, done, total, left_s, what } = step;
        let left = left_s.map(|left_s| format!("about {left_s:.0} s left; ")).unwrap_or_default();
        let is_new = self.stage != stage.name();
        self.stage = stage.name();
        if is_terminal() {
            let bar = self.bar.get_or_insert_with(|| {
                let bar = ProgressBar::new(0);
                bar.set_style(style("{prefix} [{bar:30}] {pos}/{len} {wide_msg:.dim}"));
                bar
            });
            bar.set_prefix(self.stage);
            bar.set_length(*total as u64);
            bar.set_position(*done as u64);
            bar.set_message(clean(&format!("{left}{what}")));
        } else if is_new || self.printed_at.elapsed() >= PLAIN_EVERY {
            self.printed_at = Instant::now();
            errln!("{}: {done}/{total} {left}{what}", self.stage);
        }
    }
}

impl Observer for Progress {
    fn on(&mut self, event: &Event) {
        match event {
            Event::BuildPlanned { products } => self.builds.planned(products),
            Event::Build { product, what } => self.builds.on(product, what),
            Event::RunStarted(run) => self.print(&run_line(run, &self.out)),
            Event::ComparisonStarted(comparison) => self.print(&comparison_lines(comparison, &self.out)),
            Event::Step(step) => self.step(step),
            Event::Slice { block, place, total } => {
                if let Some(bar) = &self.bar {
                    bar.set_message(format!("block {}: slice {} of {total}", block + 1, place + 1));
                }
            }
            Event::Written(export) => {
                self.finish();
                self.print(&export_line(&self.out, export));
            }
            Event::Waiting { resource: Resource::Host, holder } => {
                self.print(&format!("{holder} is measuring on this host; waiting for it to end"));
            }
            Event::Warning { text } => self.print(&format!("warning: {text}")),
            Event::Note { text } => self.print(text),
            _ => {}
        }
    }
}

fn run_line(run: &RunStarted, out: &Path) -> String {
    let timing = match run.timing {
        Some((rounds, budget_s)) => format!("{rounds} rounds, about {budget_s:.0} s"),
        None => "nothing timed".to_owned(),
    };
    format!(
        "run {}: {} scenarios × {} stacks ({}), {timing}, seed {}, kept in {}",
        run.run,
        run.scenarios,
        run.stacks.len(),
        run.stacks.join(", "),
        run.seed,
        out.display()
    )
}

fn comparison_lines(comparison: &ComparisonStarted, out: &Path) -> String {
    let mut lines = Vec::new();
    for pair in &comparison.pairs {
        lines.push(format!("compare {}: {} against {}", comparison.run, pair.candidate, pair.baseline));
        lines.extend(pair.fixed_layout.iter().map(|reason| format!("note: {reason}")));
        if pair.identical {
            lines.push("note: both run identical code; any difference is noise".to_owned());
        }
    }
    let timing = match comparison.timing {
        Some((rounds, budget_s)) => format!("at most {rounds} rounds, about {budget_s:.0} s"),
        None => "nothing timed".to_owned(),
    };
    let (scenarios, seed, out) = (comparison.scenarios, comparison.seed, out.display());
    lines.push(format!("{scenarios} scenarios, {timing}, seed {seed}, kept in {out}"));
    lines.join("\n")
}

/// Whether lines can be redrawn.
fn is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Builds under way.
struct Builds {
    bars: Option<MultiProgress>,
    running: HashMap<String, Running>,
    tally: Tally,
    /// Those that were shown.
    failures: HashSet<String>,
    lists_cached: bool,
}

/// How many products are built and left.
#[derive(Default)]
struct Tally {
    /// Per stage: how many are left, how many were built, and how long those took.
    stages: BTreeMap<BuildStage, (usize, u32, Duration)>,
    total: usize,
    ended: usize,
}

impl Tally {
    /// A product is built, or will not be.
    fn end(&mut self, stage: BuildStage, took: Option<Duration>) {
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

    /// Built, left, and the time that the rest takes, estimated from the same stages, two side by side.
    fn text(&self) -> String {
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
    printed_at: Instant,
    started: Instant,
}

impl Builds {
    fn new(lists_cached: bool) -> Self {
        let bars = is_terminal().then(MultiProgress::new);
        let (running, tally, failures) = (HashMap::new(), Tally::default(), HashSet::new());
        Self { bars, running, tally, failures, lists_cached }
    }

    fn print(&self, text: &str) {
        match &self.bars {
            // A line that cannot be drawn is no reason to stop a build.
            Some(bars) => drop(bars.println(clean_lines(text))),
            None => errln!("{text}"),
        }
    }

    fn planned(&mut self, products: &[Product]) {
        for product in products {
            self.tally.stages.entry(product.stage).or_default().0 += 1;
        }
        self.tally.total += products.len();
    }

    /// Counts a product that is built, or will not be.
    fn end(&mut self, stage: BuildStage, name: &str, took: Option<Duration>) -> String {
        if let Some(Running { bar: Some(bar), .. }) = self.running.remove(name) {
            bar.finish_and_clear();
        }
        self.tally.end(stage, took);
        self.tally.text()
    }

    fn on(&mut self, product: &Product, what: &BuildStep) {
        let name = format!("{} ({})", product.stage, product.stacks.join(", "));
        match what {
            BuildStep::Cached if !self.lists_cached => {}
            BuildStep::Cached => self.print(&format!("build: {name} is in the cache")),
            BuildStep::Waiting => {
                self.print(&format!("build: {name} is being built already; waiting for it"))
            }
            BuildStep::Started => self.start(name),
            BuildStep::Again(tools) => {
                self.print(&format!("build: {name} is built again, as {tools} changed"))
            }
            BuildStep::Line(line) => self.line(&name, line),
            BuildStep::Finished { took_s } => {
                let took = Duration::from_secs_f64(took_s.clamp(0.0, 1e9));
                let progress = self.end(product.stage, &name, Some(took));
                self.print(&format!("build: {name} done in {:.1} s ({progress})", took.as_secs_f64()));
            }
            BuildStep::Failed(failure) => {
                self.end(product.stage, &name, None);
                // What needs a product that failed fails the same way.
                match self.failures.insert(failure.to_string()) {
                    true => self.print(&format!("build: {name} failed: {failure}")),
                    false => self.print(&format!("build: {name} is not built: {} failed", failure.stage)),
                }
            }
        }
    }

    fn start(&mut self, name: String) {
        let bar = self.bars.as_ref().map(|bars| {
            let bar = bars.add(ProgressBar::new_spinner());
            bar.set_style(style("{spinner} {elapsed:>4} {prefix} {wide_msg:.dim}"));
            bar.set_prefix(name.clone());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        if bar.is_none() {
            self.print(&format!("build: {name} ..."));
        }
        let now = Instant::now();
        self.running.insert(name, Running { bar, printed_at: now, started: now });
    }

    fn line(&mut self, name: &str, line: &str) {
        let Some(task) = self.running.get_mut(name) else { return };
        match &task.bar {
            Some(bar) => bar.set_message(clean(line)),
            None if task.printed_at.elapsed() >= PLAIN_EVERY => {
                task.printed_at = Instant::now();
                errln!("build: {name} still running after {:.0} s", task.started.elapsed().as_secs_f64());
            }
            None => {}
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
