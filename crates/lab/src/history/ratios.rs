//! Ratios of stacks that one run measured in turns, from its samples.

use std::collections::BTreeMap;

use tlslab_choice::{Candidate, Cost, Pair, Source};
use tlslab_estimate::{PairRatio, PairedTimes};
use tlslab_protocol::Side;
use tlslab_record::RunRecord;
use tlslab_store::Store;

use crate::calibration;

/// A request for the ratio of two stacks' times, under their names in the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedRatio {
    /// The run that measured both.
    pub run: String,
    /// The scenario.
    pub scenario: String,
    /// The side.
    pub side: Side,
    /// The stack.
    pub stack: String,
    /// The other stack.
    pub over: String,
}

/// Ratios in the order of the request; each run is read once. `None` if the samples are deleted or too few.
///
/// # Errors
/// Fails if the database cannot be read.
pub fn ratios(store: &dyn Store, asked: &[AskedRatio]) -> anyhow::Result<Vec<Option<PairRatio>>> {
    let mut by_run: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, one) in asked.iter().enumerate() {
        by_run.entry(&one.run).or_default().push(at);
    }
    let mut found = vec![None; asked.len()];
    for (run, places) in by_run {
        let record = store.load(run)?;
        let layouts = calibration::layouts::effects_of_host(store, &record.plan.host)?;
        let record = calibration::between_runs::as_of_its_start(store, record)?;
        let record = RunRecord { layouts, ..record };
        let times = PairedTimes::of(&record);
        for at in places {
            let AskedRatio { scenario, side, stack, over, .. } = &asked[at];
            found[at] = times.ratio(scenario, *side, stack, over);
        }
    }
    Ok(found)
}

/// The ratios of all candidates whose times for a piece of work come from one run; for the requested work.
///
/// # Errors
/// Fails if the database cannot be read.
pub fn pairs(
    store: &dyn Store,
    candidates: &[Candidate],
    is_asked: &dyn Fn(&Cost) -> bool,
) -> anyhow::Result<Vec<Pair>> {
    let mut places = Vec::new();
    let mut asked = Vec::new();
    let costs = |at: usize| {
        let costs = candidates[at].costs.iter().filter(|cost| cost.metric == "time" && is_asked(cost));
        costs.filter_map(|cost| Some((cost, cost.source.as_ref()?)))
    };
    for one in 0..candidates.len() {
        for (cost, source) in costs(one) {
            let Source { run, scenario, side, stack } = source;
            for other in one + 1..candidates.len() {
                let is_it = |(known, from): &(&Cost, &Source)| {
                    known.work == cost.work
                        && known.side == cost.side
                        && (&from.run, &from.scenario, from.side) == (run, scenario, *side)
                };
                let Some((_, beside)) = costs(other).find(is_it) else { continue };
                places.push((cost.work.clone(), cost.side, [one, other]));
                asked.push(AskedRatio {
                    run: run.clone(),
                    scenario: scenario.clone(),
                    side: *side,
                    stack: stack.clone(),
                    over: beside.stack.clone(),
                });
            }
        }
    }
    let found = ratios(store, &asked)?.into_iter().zip(places);
    let pair =
        |(ratio, (work, side, of)): (Option<PairRatio>, _)| Some(Pair { work, side, of, ratio: ratio? });
    Ok(found.filter_map(pair).collect())
}
