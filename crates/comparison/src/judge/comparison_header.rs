//! The header of a comparison: runs, design, pairs, warnings.

use std::collections::{BTreeMap, HashSet};

use tlslab_protocol::Measure;
use tlslab_record::{ComparisonPlan, Plan, RunRecord, StackRecord, StackState};
use tlslab_text::shell_word;

use crate::model::{Change, Comparison, Design, FORMAT, Pair};

/// Of stacks that were measured together.
pub(super) fn comparison(record: &RunRecord, plan: &ComparisonPlan, changes: Vec<Change>) -> Comparison {
    let pair = |pair: &tlslab_record::StackPair| {
        let (baseline, candidate) = (&record.plan.stacks[pair.baseline], &record.plan.stacks[pair.candidate]);
        Pair {
            baseline: baseline.name.clone(),
            baseline_version: version(baseline),
            candidate: candidate.name.clone(),
            candidate_version: version(candidate),
            identical: pair.identical,
            fixed_layout: pair.fixed_layout.clone(),
            version: None,
            baseline_in_history: None,
            definitions: BTreeMap::new(),
            processor: None,
        }
    };
    Comparison {
        format: FORMAT,
        runs: vec![record.plan.id.clone()],
        lab_version: record.plan.lab_version.clone(),
        started_unix_ms: record.plan.started_unix_ms,
        complete: record.complete,
        measuring_s: record.measuring_s,
        host: record.plan.host.clone(),
        design: Design {
            arrangement: plan.arrangement.name().to_owned(),
            chosen: plan.arrangement_chosen.clone(),
            counter: counter(&record.plan),
            canary: canary(record),
            seeds: record.plan.counting.as_ref().map_or(0, |counting| counting.seeds.len()),
            fixed_layout: !plan.moves,
            placement: record.plan.placement,
            looks: plan.looks.clone(),
            confirmation: plan.confirmation,
            false_discovery_rate: plan.false_discovery_rate,
            time_floor_percent: 100.0 * plan.time_floor.exp_m1(),
            exact_floor_percent: 100.0 * plan.exact_floor.exp_m1(),
            negligible_percent: 100.0 * plan.negligible.exp_m1(),
        },
        pairs: plan.pairs.iter().map(pair).collect(),
        command: command(&record.plan),
        changes,
        warnings: distinct(record.warnings.iter().cloned().chain(record.plan.unverified_times()))
            .into_iter()
            .chain(record.plan.build_notes())
            .collect(),
        profiles: Vec::new(),
    }
}

/// The counter, and its limits.
pub(super) fn counter(plan: &Plan) -> Option<String> {
    let counter = &plan.counting.as_ref().filter(|_| plan.has(Measure::Count))?.counter;
    let on = match counter.kind.is_native() {
        true => "in the code that runs on this processor",
        false => {
            "on an emulated processor with fewer features than this one. Where a library chooses other code here, \
             count and time can change independently"
        }
    };
    Some(format!("Instructions were counted by {} {on}.", counter.name))
}

/// The canary and its cost.
fn canary(record: &RunRecord) -> Option<String> {
    let canaries = record.plan.canaries.as_ref()?;
    let named = canaries.stacks.iter().filter_map(|stack| record.plan.stacks.get(*stack));
    let named: Vec<String> = named.map(version).collect();
    let spent = |is_wanted: &dyn Fn(usize) -> bool| -> u64 {
        let wanted = record.samples.iter().filter(|sample| is_wanted(sample.stack));
        wanted.map(|sample| sample.measurement.elapsed_ns).fold(0, u64::saturating_add)
    };
    let (own, all) = (spent(&|stack| canaries.has(stack)), spent(&|_| true));
    let cost = match all {
        0 => String::new(),
        all => format!(", which took {:.0} % of the time", 100.0 * own as f64 / all as f64),
    };
    let rounds = match canaries.every {
        1 => "each round".to_owned(),
        every => format!("one of {every} rounds"),
    };
    Some(format!("{} was timed as a canary in {rounds}, for the history{cost}", named.join(" and ")))
}

/// A stack's version as its library reports it.
pub(super) fn version(stack: &StackRecord) -> String {
    match &stack.state {
        StackState::Ready(description) => {
            format!("{} {}", description.library.name, description.library.version)
        }
        StackState::Failed(_) => "unknown".to_owned(),
    }
}

/// Sentences that differ in their numbers alone, as of a load that was read at each stage, are one: the
/// first.
pub(super) fn distinct(sentences: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let words = |text: &str| {
        text.split(|letter: char| letter.is_ascii_digit() || ".,".contains(letter)).collect::<String>()
    };
    sentences.filter(|sentence| seen.insert(words(sentence))).collect()
}

/// The command line of a run, for a shell.
fn command(plan: &Plan) -> Option<String> {
    let words: Vec<String> = plan.command.iter().map(|word| shell_word(word)).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::distinct;

    #[test]
    fn a_warning_that_comes_at_each_stage_is_one() {
        let all = [
            "load 3.4 on 2 CPUs: wait",
            "load 3.61 on 2 CPUs: wait",
            "process 12 (rustc) ran",
            "process 7 (cc) ran",
        ];
        let left = distinct(all.into_iter().map(str::to_owned));
        assert_eq!(left, [all[0], all[2], all[3]]);
    }
}
