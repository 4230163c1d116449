//! The contents of a database: runs, the newest figures of each stack, scenarios.

use std::collections::BTreeMap;

use tlslab_lab::LabelOrder;
use tlslab_pages::site::{Figure as Shown, RunLine};
use tlslab_protocol::Scenario;
use tlslab_record::{Figure, FigureOutcome, StackRecord, StackState};
use tlslab_store::RunKind;

use crate::source::Source;

/// A run with its figures of whole iterations.
pub(crate) struct RunEntry {
    /// Its line in a list.
    pub line: RunLine,
    /// The names of its scenarios.
    pub scenarios: Vec<String>,
    /// Its figures.
    pub figures: Vec<Figure>,
}

/// A stack over all runs, by its name without a version.
pub(crate) struct StackEntry {
    /// Its versions, oldest first.
    pub versions: Vec<Version>,
    /// Build and capabilities of the newest version.
    pub record: StackRecord,
}

/// A version of a stack that was measured.
pub(crate) struct Version {
    /// The version.
    pub label: String,
    /// Its runs by their places in the catalogue, the newest first.
    pub runs: Vec<usize>,
}

impl Version {
    /// Its newest run.
    pub(crate) fn newest_run(&self) -> usize {
        // A version is made with its first run.
        self.runs[0]
    }
}

/// Everything that lists and pages of stacks and scenarios need.
pub(crate) struct Catalogue {
    /// The runs, newest first.
    pub runs: Vec<RunEntry>,
    /// The stacks by their names without versions.
    pub stacks: BTreeMap<String, StackEntry>,
    /// The scenarios by their names, as the newest run has them.
    pub scenarios: BTreeMap<String, Scenario>,
}

impl Catalogue {
    /// Reads a database.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub(crate) fn read(source: &Source, labels: &LabelOrder) -> anyhow::Result<Self> {
        let mut catalogue = Self { runs: Vec::new(), stacks: BTreeMap::new(), scenarios: BTreeMap::new() };
        for run in source.runs(RunKind::Measured)? {
            let plan = source.plan(&run.id)?;
            let mut figures = source.figures(&run.id)?;
            figures.retain(|figure| is_shown(&figure.series.metric));
            let failed =
                figures.iter().filter(|figure| matches!(figure.outcome, FigureOutcome::Failed { .. }));
            let line = RunLine {
                started: time(run.started_unix_ms),
                suite: run.suite,
                is_complete: run.complete,
                stacks: plan.stacks.iter().map(|stack| stack.name.clone()).collect(),
                scenarios: plan.scenarios.len(),
                metrics: plan.metrics.iter().map(|metric| metric.name().to_owned()).collect(),
                host: plan.host.summary(),
                failed: failed.count(),
                id: run.id,
            };
            let scenarios = plan.scenarios.iter().map(|scenario| scenario.name.clone()).collect();
            for scenario in plan.scenarios {
                catalogue.scenarios.entry(scenario.name.clone()).or_insert(scenario);
            }
            let at = catalogue.runs.len();
            for (place, record) in plan.stacks.into_iter().enumerate() {
                catalogue.add((at, place), record, &figures, labels);
            }
            catalogue.runs.push(RunEntry { line, scenarios, figures });
        }
        for (name, stack) in &mut catalogue.stacks {
            stack.versions.sort_by(|one, other| labels.compare(name, &one.label, &other.label));
        }
        Ok(catalogue)
    }

    /// Whether the cryptography of a stack, by its name without a version, does nothing.
    pub(crate) fn protects_nothing(&self, stack: &str) -> bool {
        self.stacks.get(stack).is_some_and(|entry| entry.record.protects_nothing())
    }

    /// Adds a stack of a run. Runs come newest first.
    fn add(
        &mut self,
        (run, place): (usize, usize),
        record: StackRecord,
        figures: &[Figure],
        labels: &LabelOrder,
    ) {
        let Some(figure) = figures.iter().find(|figure| figure.place as usize == place) else { return };
        let (name, label) = (&figure.series.stack, &figure.label);
        let version = Version { label: label.clone(), runs: vec![run] };
        match self.stacks.get_mut(name) {
            None => {
                self.stacks.insert(name.clone(), StackEntry { versions: vec![version], record });
            }
            Some(entry) => {
                if let Some(known) = entry.versions.iter_mut().find(|known| known.label == *label) {
                    known.runs.push(run);
                    return;
                }
                let is_newest =
                    entry.versions.iter().all(|known| labels.compare(name, &known.label, label).is_lt());
                if is_newest {
                    entry.record = record;
                }
                entry.versions.push(version);
            }
        }
    }

    /// The figures of a stack in a version, each metric of a cell from the newest run that has it, with the
    /// places of the runs.
    pub(crate) fn figures_of<'c>(
        &'c self,
        stack: &'c str,
        version: &'c Version,
    ) -> impl Iterator<Item = (usize, &'c Figure)> {
        let figures = version
            .runs
            .iter()
            .flat_map(move |run| self.runs[*run].figures.iter().map(move |figure| (*run, figure)));
        let mut known = BTreeMap::new();
        figures.filter(move |(run, figure)| {
            let series = &figure.series;
            let is_it = series.stack == stack && figure.label == version.label;
            is_it && *known.entry((&series.scenario, &series.side, &series.metric)).or_insert(*run) == *run
        })
    }

    /// How many cells of a version have a value, are unsupported, or failed. A cell is a scenario on a side.
    pub(crate) fn cells(&self, stack: &str, version: &Version) -> [usize; 3] {
        let mut cells: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (_, figure) in self.figures_of(stack, version) {
            let kind = match figure.outcome {
                FigureOutcome::Value(_) => 0,
                FigureOutcome::Unsupported { .. } => 1,
                FigureOutcome::Failed { .. } => 2,
            };
            let cell = cells.entry((&figure.series.scenario, &figure.series.side)).or_insert(kind);
            // A cell with a value in one metric has a value, even if other metrics failed.
            *cell = (*cell).min(kind);
        }
        let count = |kind| cells.values().filter(|found| **found == kind).count();
        [count(0), count(1), count(2)]
    }
}

impl StackEntry {
    /// The newest version.
    pub(crate) fn newest(&self) -> &Version {
        // An entry is made with its first version.
        self.versions.last().expect("a stack has a version")
    }

    /// Why it did not take part in its newest run, if it did not.
    pub(crate) fn failure(&self) -> Option<&str> {
        match &self.record.state {
            StackState::Failed(reason) => Some(reason),
            StackState::Ready(_) => None,
        }
    }
}

/// Metrics that lists and pages of stacks show.
fn is_shown(metric: &str) -> bool {
    tlslab_lab::is_whole(metric) || ["latency.p99", "response.p99"].contains(&metric)
}

/// A time in RFC 3339, to the second.
pub(crate) fn time(unix_ms: u64) -> String {
    let at = i64::try_from(unix_ms).ok().and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    let seconds = at.and_then(|at| at.round(jiff::Unit::Second).ok());
    seconds.map(|at| at.to_string()).unwrap_or_default()
}

/// A figure as pages show it.
pub(crate) fn show_figure(figure: &Figure) -> Option<Shown> {
    let value = figure.outcome.value()?;
    Some(Shown {
        value: value.value,
        lower: value.lower,
        upper: value.upper,
        unit: figure.series.unit.clone(),
    })
}
