//! Progress display: lines that are redrawn on a terminal, a few plain lines elsewhere.
//!
//! Everything here goes to standard error, so that standard output has only the result.

use std::collections::{HashMap, HashSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tlslab_lab::{
    BuildStep, ComparisonStarted, Event, Observer, Phase, PlannedProduct, Product, Resource, RunStarted, Step,
};
use tlslab_text::number::{counted, duration};
use tlslab_text::{clean, clean_lines};

use crate::results::export_line;

/// How often a long step prints a line if nothing can be redrawn.
const PLAIN_EVERY: Duration = Duration::from_secs(30);

/// Shows the progress of a request.
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
    /// Prints to standard error. Cached products are listed only if `lists_cached`.
    pub(crate) fn new(lists_cached: bool, out: PathBuf) -> Self {
        Self { builds: Builds::new(lists_cached), bar: None, printed_at: Instant::now(), stage: "", out }
    }

    /// Removes everything that can be redrawn.
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
        let left = left_s.map(|left_s| format!("about {} left; ", duration(left_s))).unwrap_or_default();
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
            Event::Planned { phases } => self.print(&plan_line(phases)),
            Event::BuildPlanned { products, about_s } => self.builds.planned(products, *about_s),
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

/// How long a job takes, in total and by phase.
fn plan_line(phases: &[Phase]) -> String {
    let text = |if_flagged: bool| {
        let these: Vec<&Phase> = phases.iter().filter(|phase| phase.if_flagged == if_flagged).collect();
        let each = these.iter().map(|phase| match phase.steps {
            Some(steps) => format!("{} {} ({steps})", phase.name, duration(phase.about_s)),
            None => format!("{} {}", phase.name, duration(phase.about_s)),
        });
        let all = duration(these.iter().map(|phase| phase.about_s).sum());
        (!these.is_empty()).then(|| (all, each.collect::<Vec<_>>().join(", ")))
    };
    let (all, each) = text(false).unwrap_or_default();
    let more = text(true).map(|(all, each)| format!("; about {all} more if a change is flagged: {each}"));
    let guess = match phases.iter().all(|phase| phase.is_from_here) {
        true => "",
        false => "; partly estimated from another host, as not all of it has run on this one",
    };
    format!("about {all}: {each}{}{guess}", more.unwrap_or_default())
}

/// How many products are named, the longest first.
const MOST_PRODUCTS: usize = 8;

fn builds_line(products: &[PlannedProduct], about_s: f64) -> String {
    let mut longest: Vec<&PlannedProduct> = products.iter().collect();
    longest.sort_by(|a, b| b.about_s.total_cmp(&a.about_s));
    let each = longest.iter().take(MOST_PRODUCTS);
    let mut each: Vec<String> =
        each.map(|planned| format!("{} {}", name(&planned.product), duration(planned.about_s))).collect();
    let more = products.len().saturating_sub(MOST_PRODUCTS);
    if more > 0 {
        each.push(counted(more, "shorter one"));
    }
    let products = counted(products.len(), "product");
    format!("build: {products}, about {}: {}", duration(about_s), each.join(", "))
}

fn name(product: &Product) -> String {
    format!("{} ({})", product.stage, product.stacks.join(", "))
}

fn run_line(run: &RunStarted, out: &Path) -> String {
    let timing = match run.timing {
        Some((rounds, budget_s)) => format!("{}, about {}", counted(rounds, "round"), duration(budget_s)),
        None => "nothing timed".to_owned(),
    };
    // Sizes belong to no scenario.
    let scenarios = match run.scenarios {
        0 => String::new(),
        scenarios => format!("{} × ", counted(scenarios, "scenario")),
    };
    format!(
        "run {}: {scenarios}{} ({}), {timing}, seed {}, kept in {}",
        run.run,
        counted(run.stacks.len(), "stack"),
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
        Some((rounds, budget_s)) => {
            format!("at most {}, about {}", counted(rounds, "round"), duration(budget_s))
        }
        None => "nothing timed".to_owned(),
    };
    let (scenarios, seed, out) = (counted(comparison.scenarios, "scenario"), comparison.seed, out.display());
    lines.push(format!("{scenarios}, {timing}, seed {seed}, kept in {out}"));
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
    /// Failures that were shown.
    failures: HashSet<String>,
    lists_cached: bool,
}

/// How many products are built and left.
#[derive(Default)]
struct Tally {
    /// About how long each remaining product takes, s.
    left: HashMap<String, f64>,
    /// About how long the last planned products take, one after the other and in parallel, s.
    all_s: f64,
    about_s: f64,
    total: usize,
}

impl Tally {
    fn planned(&mut self, products: impl Iterator<Item = (String, f64)>, about_s: f64) {
        let before = self.left.len();
        self.left.extend(products);
        self.total += self.left.len() - before;
        self.all_s = self.left.values().sum();
        self.about_s = about_s;
    }

    /// Built, left, and the time of the rest: `running` are products with the seconds that each has run.
    fn text<'r>(&self, running: impl Iterator<Item = (&'r String, f64)>) -> String {
        let built = format!("{} of {}", self.total - self.left.len(), self.total);
        if self.left.is_empty() {
            return built;
        }
        let done: f64 = running.filter_map(|(name, s)| Some(s.min(*self.left.get(name)?))).sum();
        let left_s = (self.left.values().sum::<f64>() - done) * self.about_s / self.all_s.max(1e-9);
        format!("{built}, about {} left", duration(left_s))
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
            // A build does not stop because a line cannot be drawn.
            Some(bars) => drop(bars.println(clean_lines(text))),
            None => errln!("{text}"),
        }
    }

    fn planned(&mut self, products: &[PlannedProduct], about_s: f64) {
        if products.is_empty() {
            return;
        }
        let named = products.iter().map(|planned| (name(&planned.product), planned.about_s));
        self.tally.planned(named, about_s);
        self.print(&builds_line(products, about_s));
    }

    /// Counts a product that is built, or will not be.
    fn end(&mut self, name: &str) -> String {
        if let Some(Running { bar: Some(bar), .. }) = self.running.remove(name) {
            bar.finish_and_clear();
        }
        self.tally.left.remove(name);
        self.tally.text(self.running.iter().map(|(name, task)| (name, task.started.elapsed().as_secs_f64())))
    }

    fn on(&mut self, product: &Product, what: &BuildStep) {
        let name = name(product);
        match what {
            BuildStep::Cached if !self.lists_cached => {}
            BuildStep::Cached => self.print(&format!("build: {name} is in the cache")),
            BuildStep::Waiting => {
                self.print(&format!("build: {name} waits for another build that uses the same folder"))
            }
            BuildStep::Started => self.start(name),
            BuildStep::Again(why) => self.print(&format!("build: {name} is built again: {why}")),
            BuildStep::Line(line) => self.line(&name, line),
            BuildStep::Finished { took_s } => {
                let took = Duration::from_secs_f64(took_s.clamp(0.0, 1e9));
                let progress = self.end(&name);
                self.print(&format!("build: {name} done in {:.1} s ({progress})", took.as_secs_f64()));
            }
            BuildStep::Failed(failure) => {
                self.end(&name);
                // Products that need a failed product fail for the same reason.
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
        let ran_s = task.started.elapsed().as_secs_f64();
        let left = self.tally.left.get(name).map(|about_s| match about_s - ran_s {
            left_s if left_s > 0.0 => format!("about {} left", duration(left_s)),
            _ => "longer than estimated".to_owned(),
        });
        match &task.bar {
            Some(bar) => bar.set_message(clean(
                &left.into_iter().chain([line.to_owned()]).collect::<Vec<_>>().join("; "),
            )),
            None if task.printed_at.elapsed() >= PLAIN_EVERY => {
                task.printed_at = Instant::now();
                let left = left.map(|left| format!(", {left}")).unwrap_or_default();
                errln!("build: {name} still running after {ran_s:.0} s{left}");
            }
            None => {}
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use tlslab_build::Stage;

    use super::*;

    #[test]
    fn a_plan_has_the_time_of_all_and_of_each_phase() {
        let build = Phase { steps: Some(4), ..Phase::timed("build", 420.0) };
        let prove = Phase { steps: Some(18), is_from_here: false, ..Phase::timed("prove", 2.0) };
        let measure = Phase::timed("measure", 30.0);
        assert_eq!(
            plan_line(&[build.clone(), measure.clone()]),
            "about 7 min 30 s: build 7 min (4), measure 30 s"
        );
        assert_eq!(
            plan_line(&[prove, measure.clone(), build.if_flagged()]),
            "about 32 s: prove 2 s (18), measure 30 s; about 7 min more if a change is flagged: build 7 min (4); \
             partly estimated from another host, as not all of it has run on this one"
        );
    }

    #[test]
    fn builds_are_announced_with_names_and_durations_and_have_a_time_left() {
        let product = |stage, stack: &str| Product { stage, stacks: vec![stack.to_owned()] };
        let planned = [(product(Stage::Driver, "a"), 2.0), (product(Stage::Prefix, "a"), 98.0)];
        let planned = planned.map(|(product, about_s)| PlannedProduct { product, about_s });
        let line = builds_line(&planned, 100.0);
        assert_eq!(line, "build: 2 products, about 1 min 40 s: prefix (a) 1 min 38 s, driver (a) 2 s");
        let mut tally = Tally::default();
        tally.planned(planned.iter().map(|planned| (name(&planned.product), planned.about_s)), 50.0);
        let prefix = "prefix (a)".to_owned();
        assert_eq!(tally.text([(&prefix, 48.0)].into_iter()), "0 of 2, about 26 s left");
        tally.left.remove(&prefix);
        assert_eq!(tally.text([].into_iter()), "1 of 2, about 1 s left");
        tally.left.clear();
        assert_eq!(tally.text([].into_iter()), "2 of 2");
    }
}
