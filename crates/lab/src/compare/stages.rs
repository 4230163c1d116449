//! A comparison's stages, one after the other.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use anyhow::Context;
use tlslab_comparison::{Comparison, Flagged};
use tlslab_measure::{Observer, RunError, Runner, Sofar, Stage};
use tlslab_pki::Pki;
use tlslab_protocol::Measure;
use tlslab_record::{
    CONFIRMING_PROCESSES, ComparisonPlan, FIRST_PROCESSES, Plan, RunRecord, Seconds, StackState,
};

use super::layouts::Places;
use super::recorder::{MemoryRecorder, Recorder};
use crate::host::processors;
use crate::host::{self, Watch};
use crate::session::cancel::Interrupted;
use crate::session::workshop::Workshop;

/// The inputs of every stage.
pub(super) struct Measuring<'b> {
    /// The keys and certificates.
    pub pki: &'b Pki,
    /// Where drivers run, and the cancellation flag.
    pub workshop: &'b Workshop<'b>,
    /// The time limit of a driver's answer.
    pub timeout: Duration,
    /// The observer.
    pub observer: &'b mut dyn Observer,
}

/// Measures until every cell is decided, and then flagged cells again. Work from before a kill is not
/// repeated.
pub(super) fn finish(
    plan: &Plan,
    places: &dyn Places,
    recorder: &mut dyn Recorder,
    measuring: &mut Measuring<'_>,
) -> anyhow::Result<()> {
    let terms = plan.comparison.as_ref().context("the run is not a comparison")?;
    let mut from = 0;
    for (at, look) in terms.looks.iter().enumerate() {
        let record = recorder.record()?;
        let cells = if at == 0 { able(plan) } else { tlslab_comparison::open(&record) };
        if cells.is_empty() {
            break;
        }
        let mut stage = stage(plan, terms, places, from..*look, Some(cells))?;
        if at > 0 {
            let lengths = tlslab_comparison::visit_lengths(&record).into_iter();
            stage.slots = lengths.map(|(at, visit_s)| (at, Seconds::nearest(visit_s).duration())).collect();
        }
        one(plan, &stage, &record, recorder, measuring)?;
        from = *look;
    }
    let Flagged { timed, counted, weighed } = tlslab_comparison::to_confirm(&recorder.record()?);
    if !timed.is_empty() && terms.confirmation > 0 {
        let stage = stage(plan, terms, places, terms.confirming(), Some(timed))?;
        one(plan, &stage, &recorder.record()?, recorder, measuring)?;
    }
    if !counted.is_empty() && !terms.confirmation_seeds.is_empty() {
        let (from, seeds) = (terms.rounds() + terms.confirmation, terms.confirmation_seeds.clone());
        let layouts = places.layouts(from, seeds.len() as u32)?;
        let stage = Stage { cells: Some(counted), layouts, seeds: Some(seeds), ..Stage::default() };
        one(plan, &stage, &recorder.record()?, recorder, measuring)?;
    }
    if !weighed.is_empty() {
        let processes = Some(FIRST_PROCESSES..FIRST_PROCESSES + CONFIRMING_PROCESSES);
        let stage = Stage { cells: Some(weighed), seeds: Some(Vec::new()), processes, ..Stage::default() };
        one(plan, &stage, &recorder.record()?, recorder, measuring)?;
    }
    let mut from = terms.rounds() + terms.confirmation + terms.confirmation_seeds.len() as u32;
    for (place, seeds) in terms.further_seeds.iter().enumerate() {
        let record = recorder.record()?;
        let cells = tlslab_comparison::to_draw(&record, place);
        if cells.is_empty() {
            break;
        }
        let layouts = places.layouts(from, seeds.len() as u32)?;
        let stage = Stage { cells: Some(cells), layouts, seeds: Some(seeds.clone()), ..Stage::default() };
        one(plan, &stage, &record, recorder, measuring)?;
        from += seeds.len() as u32;
    }
    Ok(())
}

/// Every cell of pairs in which both stacks take part.
fn able(plan: &Plan) -> HashSet<(usize, usize)> {
    let is_ready = |stack: usize| matches!(plan.stacks[stack].state, StackState::Ready(_));
    let pairs = plan.comparison.iter().flat_map(|comparison| &comparison.pairs);
    let able = pairs.filter(|pair| is_ready(pair.baseline) && is_ready(pair.candidate));
    let stacks: Vec<usize> = able.flat_map(|pair| [pair.baseline, pair.candidate]).collect();
    let scenarios = 0..plan.scenarios.len();
    scenarios.flat_map(|scenario| stacks.iter().map(move |stack| (scenario, *stack))).collect()
}

/// Carries out a whole plan, and keeps only its result.
pub fn judge_unrecorded(
    workshop: &Workshop<'_>,
    plan: &Plan,
    places: &dyn Places,
    timeout: Duration,
    observer: &mut dyn Observer,
) -> anyhow::Result<Comparison> {
    let pki = workshop.keys(&plan.scenarios)?;
    let mut recorder = MemoryRecorder::of(plan.clone());
    let mut measuring = Measuring { pki: &pki, workshop, timeout, observer };
    finish(plan, places, &mut recorder, &mut measuring)?;
    let record = RunRecord { complete: true, ..recorder.record()? };
    tlslab_comparison::judge(&record).context("the run is not a comparison")
}

fn stage(
    plan: &Plan,
    terms: &ComparisonPlan,
    places: &dyn Places,
    rounds: std::ops::Range<u32>,
    cells: Option<HashSet<(usize, usize)>>,
) -> anyhow::Result<Stage> {
    Ok(Stage {
        layouts: places.layouts(rounds.start, rounds.len() as u32)?,
        rounds,
        cells,
        slot: Some(Seconds::nearest(terms.visit_s).duration()),
        moves: places.moves(),
        arrangement: terms.arrangement,
        // It exceeds a short visit, and is the same in all.
        calibrated_rounds: Some(1),
        canaries: plan.canaries.clone(),
        seeds: None,
        processes: None,
        slots: HashMap::new(),
    })
}

/// One stage.
fn one(
    plan: &Plan,
    stage: &Stage,
    record: &RunRecord,
    recorder: &mut dyn Recorder,
    measuring: &mut Measuring<'_>,
) -> anyhow::Result<()> {
    let sofar = Sofar {
        cells: record.cells.clone(),
        pairs: record.pairs.clone(),
        visits: record.visits.clone(),
        counts: record.counts.clone(),
        weights: record.weights.clone(),
        measuring_s: record.measuring_s,
    };
    let is_timed = plan.has(Measure::Time) && !stage.rounds.is_empty();
    let _alone = if is_timed { Some(host::measure_alone(&measuring.workshop.reporter)?) } else { None };
    let watch = is_timed.then(Watch::start);
    let cpus = processors::choose_cpus();
    let launcher = measuring.workshop.launcher_on(&cpus).pinned_to(plan);
    let mut journal = recorder.journal();
    let outcome = Runner {
        plan,
        stage,
        pki: measuring.pki,
        launch: &launcher,
        timeout: measuring.timeout,
        journal: &mut *journal,
        observer: &mut *measuring.observer,
    }
    .run(sofar);
    for warning in watch.iter().flat_map(Watch::warnings) {
        journal.warn(&warning).map_err(|cause| anyhow::anyhow!("cannot record: {cause}"))?;
    }
    match outcome {
        Ok(()) => Ok(()),
        Err(RunError::Interrupted) => Err(Interrupted.into()),
        Err(error) => Err(error).context(format!("run {}", plan.id)),
    }
}
