//! Changed defaults of libraries, as notes on the points of series.

use std::collections::BTreeMap;

use tlslab_record::Defaults;
use tlslab_report::timeline::Timeline;
use tlslab_store::Store;

/// The changes that a note has; the rest is counted.
const MOST_WORDS: usize = 6;

/// By scenario and stack, as the run names them.
type OfRun = BTreeMap<(String, String), Defaults>;

/// The defaults that runs have seen, each run read once.
#[derive(Default)]
pub(crate) struct SeenDefaults {
    /// Whether a scenario leaves libraries at their defaults.
    scenarios: BTreeMap<String, bool>,
    runs: BTreeMap<String, OfRun>,
}

impl SeenDefaults {
    /// Adds a note to each point of a series whose library has other defaults than at the point before. Runs
    /// of other programs have none.
    pub(crate) fn annotate(&mut self, store: &dyn Store, timeline: &mut Timeline) {
        let scenario = timeline.series.scenario.clone();
        let Some(last) = timeline.points.last().map(|point| point.run.clone()) else { return };
        if !self.is_of_defaults(store, &scenario, &last) {
            return;
        }
        for at in 1..timeline.points.len() {
            let [before, now] = [at - 1, at].map(|at| {
                let point = &timeline.points[at];
                self.of(store, &point.run, (&scenario, &point.stack)).cloned()
            });
            let (Some(before), Some(now)) = (before, now) else { continue };
            let words = words(&before.changes(&now));
            if !words.is_empty() {
                let label = timeline.points[at].label.clone();
                timeline.annotate(&label, &words);
            }
        }
    }

    fn is_of_defaults(&mut self, store: &dyn Store, scenario: &str, run: &str) -> bool {
        if let Some(known) = self.scenarios.get(scenario) {
            return *known;
        }
        let plan = store.plan(run).ok();
        let found = plan.iter().flat_map(|plan| &plan.scenarios).find(|known| known.name == scenario);
        let is_it = found.is_some_and(|scenario| scenario.defaults);
        self.scenarios.insert(scenario.to_owned(), is_it);
        is_it
    }

    fn of(&mut self, store: &dyn Store, run: &str, cell: (&str, &str)) -> Option<&Defaults> {
        let of_run = self.runs.entry(run.to_owned()).or_insert_with(|| defaults_of_run(store, run));
        of_run.get(&(cell.0.to_owned(), cell.1.to_owned()))
    }
}

/// All defaults that a run has seen; empty if its records cannot be read.
fn defaults_of_run(store: &dyn Store, run: &str) -> OfRun {
    let (Ok(plan), Ok(cells)) = (store.plan(run), store.cells(run)) else { return OfRun::new() };
    let of_cell = |cell: &tlslab_record::CellState| {
        let (scenario, stack) = (plan.scenarios.get(cell.scenario)?, plan.stacks.get(cell.stack)?);
        let defaults = Defaults::of(scenario, &cell.proof)?;
        Some(((scenario.name.clone(), stack.name.clone()), defaults))
    };
    cells.iter().filter_map(of_cell).collect()
}

fn words(changes: &[String]) -> String {
    let named: Vec<&str> = changes.iter().take(MOST_WORDS).map(String::as_str).collect();
    match changes.len().saturating_sub(MOST_WORDS) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
