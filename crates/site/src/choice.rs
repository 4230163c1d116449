//! The data of the chooser: the costs of each stack.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_choice::{Candidate, Cost, Work, profiles};
use tlslab_pages::site::Choice;
use tlslab_protocol::Side;
use tlslab_record::Figure;

use crate::catalogue::{Catalogue, RunEntry};
use crate::source::Source;

/// The metric that costs are of: counts of instructions do not rank libraries.
const TIME: &str = "time";

/// The times of one run, so that they compare. Without times there are no candidates.
///
/// # Errors
/// Fails if the database cannot be read.
pub(crate) fn choice(catalogue: &Catalogue, source: &Source) -> anyhow::Result<Choice> {
    let timed = timed(catalogue);
    let run = timed.map(|run| &*run.line.id).unwrap_or_default();
    let mut candidates: BTreeMap<(String, String), Candidate> = BTreeMap::new();
    let times = timed.into_iter().flat_map(|run| &run.figures).filter(|figure| figure.series.metric == TIME);
    for figure in times {
        let Some(scenario) = catalogue.scenarios.get(&figure.series.scenario) else { continue };
        let (stack, label) = (figure.series.stack.clone(), figure.label.clone());
        let candidate = candidates.entry((stack.clone(), label.clone())).or_insert_with(|| Candidate {
            stack,
            label,
            costs: Vec::new(),
        });
        let mut costs = Cost::of(scenario, figure, run);
        if catalogue.protects_nothing(&figure.series.stack) {
            costs = costs.into_iter().map(Cost::unranked).collect();
        }
        candidate.add(costs);
    }
    let candidates: Vec<Candidate> = candidates.into_values().filter(|it| !it.costs.is_empty()).collect();
    let pairs = source.pairs(&candidates)?;
    let line = timed.map(|run| &run.line);
    Ok(Choice {
        pairs,
        mixes: profiles(),
        candidates,
        run: line.map(|line| line.id.clone()).unwrap_or_default(),
        host: line.map(|line| line.host.clone()).unwrap_or_default(),
    })
}

/// The newest run among those in which the most stacks have a time for a full handshake.
fn timed(catalogue: &Catalogue) -> Option<&RunEntry> {
    let stacks = |run: &RunEntry| {
        let has = |figure: &&Figure| {
            figure.series.metric == TIME
                && figure.outcome.value().is_some()
                && catalogue
                    .scenarios
                    .get(&figure.series.scenario)
                    .is_some_and(|it| matches!(Work::of(it, Side::Server), Some(Work::Full(_))))
        };
        let names = run.figures.iter().filter(has).map(|figure| figure.place);
        names.collect::<BTreeSet<_>>().len()
    };
    // Of several with as many, the last in reverse order is the newest.
    let best = catalogue.runs.iter().rev().max_by_key(|run| stacks(run))?;
    (stacks(best) > 0).then_some(best)
}
