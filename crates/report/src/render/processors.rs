//! The table of stacks that were run as other processors: how much longer each takes there than as itself.

use tlslab_estimate::{AsProcessor, Estimated, Report};
use tlslab_text::clean;

use super::table::{ExactRow, ExactTable, Hole, Subject};
use super::words::Relative;

const TITLE: &str = "Time as another processor, over the same stack's time as this host's own";

/// A group for each scenario and side, a row for each stack, a column for each processor; no groups if no
/// stack was also measured with all features.
pub(super) fn table(report: &Report) -> ExactTable {
    let all = &report.processors;
    let processors = distinct(all.iter().map(|one| one.processor.as_str()));
    let mut table = ExactTable {
        subject: Subject::Processors,
        title: TITLE,
        columns: processors.iter().map(|name| clean(name)).collect(),
        rows_are: "stack",
        groups: Vec::new(),
        reasons: Vec::new(),
    };
    for (scenario, side) in distinct(all.iter().map(|one| (one.scenario.as_str(), one.side))) {
        let here: Vec<&AsProcessor> =
            all.iter().filter(|one| one.scenario == scenario && one.side == side).collect();
        let mut rows = Vec::new();
        for stack in distinct(here.iter().map(|one| one.stack.as_str())) {
            let of = |processor: &&str| {
                here.iter().find(|one| one.stack == stack && one.processor == *processor).copied()
            };
            let cells: Vec<Option<&AsProcessor>> = processors.iter().map(of).collect();
            for reason in cells.iter().flatten().filter_map(|one| one.no_ratio.as_deref()) {
                let line = format!("no ratio: {}", clean(reason));
                if !table.reasons.contains(&line) {
                    table.reasons.push(line);
                }
            }
            let words = |one: &Option<&AsProcessor>| {
                one.and_then(|one| one.ratio.as_ref()).map_or_else(|| "–".to_owned(), words)
            };
            let has_none = cells.iter().flatten().all(|one| one.ratio.is_none());
            let reason = cells.iter().flatten().find_map(|one| one.no_ratio.as_deref());
            let content = match reason {
                Some(reason) if has_none => Err(Hole { kind: "no ratio", reason: clean(reason) }),
                _ => Ok(cells.iter().map(words).collect()),
            };
            rows.push(ExactRow { name: clean(stack), content });
        }
        let several = all.iter().any(|one| one.scenario == scenario && one.side != side);
        let group = if several { format!("{} ({side})", clean(scenario)) } else { clean(scenario) };
        table.groups.push((group, rows));
    }
    table
}

/// A ratio with its interval.
fn words(ratio: &Estimated) -> String {
    let relative = Relative::of(ratio);
    match relative.range_with_unit() {
        range if range.is_empty() => relative.amount(),
        range => format!("{} {range}", relative.amount()),
    }
}

/// For each processor, which stack loses most and in what; and which loses least, if several were measured.
pub fn answers(report: &Report) -> Vec<String> {
    let all = &report.processors;
    distinct(all.iter().map(|one| one.processor.as_str()))
        .into_iter()
        .filter_map(|processor| answer(report, processor))
        .collect()
}

fn answer(report: &Report, processor: &str) -> Option<String> {
    let mut worst: Vec<(&AsProcessor, &Estimated)> = Vec::new();
    for one in report.processors.iter().filter(|one| one.processor == processor) {
        // Without an interval nothing is known to be a loss.
        let Some(ratio) = one.ratio.as_ref().filter(|ratio| ratio.interval.is_some()) else { continue };
        match worst.iter_mut().find(|(of, _)| of.stack == one.stack) {
            Some(known) if known.1.value < ratio.value => *known = (one, ratio),
            Some(_) => {}
            None => worst.push((one, ratio)),
        }
    }
    worst.sort_by(|one, other| other.1.value.total_cmp(&one.1.value));
    let (most, loss) = worst.first()?;
    let (processor, stack) = (clean(processor), clean(&most.stack));
    if !is_loss(loss) {
        let whom = if worst.len() > 1 { "no stack loses" } else { "it does not lose" };
        return Some(format!("As {processor}, {whom} time in any scenario."));
    }
    let lost = |one: &AsProcessor, ratio: &Estimated| {
        format!("{} in {}", Relative::of(ratio).amount(), clean(&one.scenario))
    };
    let first = format!("As {processor}, {stack} loses most: {}", lost(most, loss));
    let Some((least, ratio)) = worst.last().filter(|_| worst.len() > 1) else {
        return Some(format!("{first}."));
    };
    let least_stack = clean(&least.stack);
    Some(match is_loss(ratio) {
        true => format!("{first}; {least_stack} least: at most {}.", lost(least, ratio)),
        false => format!("{first}; {least_stack} loses nothing in any scenario."),
    })
}

/// Whether a stack surely takes longer.
fn is_loss(ratio: &Estimated) -> bool {
    ratio.interval.is_some_and(|interval| interval.lower > 1.0)
}

/// Each once, in the order of their first.
fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut known = Vec::new();
    for one in all {
        if !known.contains(&one) {
            known.push(one);
        }
    }
    known
}
