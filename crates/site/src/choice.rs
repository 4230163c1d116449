//! What the chooser ranks by: what pieces of work cost each stack.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_choice::{Candidate, Cost, Mix, Work, profiles};
use tlslab_pages::site::Choice;
use tlslab_protocol::Side;
use tlslab_record::Figure;

use crate::catalogue::{Catalogue, RunEntry};

/// The metrics that costs are of.
const TIME: &str = "time";
const COUNT: &str = "count.instructions";

/// The times of one run, so that they compare; counts of the newest version of each stack, as they do not depend on the run.
pub fn choice(catalogue: &Catalogue) -> Choice {
    let timed = timed(catalogue);
    let mut candidates: BTreeMap<(String, String), Candidate> = BTreeMap::new();
    let mut add = |figure: &Figure| {
        let Some(scenario) = catalogue.scenarios.get(&figure.series.scenario) else { return };
        let (stack, label) = (figure.series.stack.clone(), figure.label.clone());
        let candidate = candidates.entry((stack.clone(), label.clone())).or_insert_with(|| Candidate {
            stack,
            label,
            costs: Vec::new(),
        });
        candidate.add(Cost::of(scenario, figure));
    };
    let times = timed.into_iter().flat_map(|run| &run.figures).filter(|figure| figure.series.metric == TIME);
    times.for_each(&mut add);
    // Newest first: what an older run says of the same is not asked for.
    let counts = catalogue.runs.iter().flat_map(|run| &run.figures).filter(|figure| {
        let entry = catalogue.stacks.get(&figure.series.stack);
        figure.series.metric == COUNT && entry.is_some_and(|entry| entry.newest().label == figure.label)
    });
    counts.for_each(&mut add);
    let candidates: Vec<Candidate> = candidates.into_values().filter(|it| !it.costs.is_empty()).collect();
    let line = timed.map(|run| &run.line);
    Choice {
        mixes: mixes(if timed.is_some() { TIME } else { COUNT }),
        candidates,
        run: line.map(|line| line.id.clone()).unwrap_or_default(),
        host: line.map(|line| line.host.clone()).unwrap_or_default(),
    }
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

/// The profiles, by time where that is known.
fn mixes(metric: &str) -> Vec<Mix> {
    profiles().into_iter().map(|mix| Mix { metric: metric.to_owned(), ..mix }).collect()
}
