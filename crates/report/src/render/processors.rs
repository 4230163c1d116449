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
    format!("{} {}", relative.amount(), relative.range).trim_end().to_owned()
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
    // A stack's largest loss; `None` if it has no significant one.
    let mut stacks: Vec<(String, Option<(&AsProcessor, &Estimated)>)> = Vec::new();
    for one in report.processors.iter().filter(|one| one.processor == processor) {
        // Without an interval nothing is known.
        let Some(ratio) = one.ratio.as_ref().filter(|ratio| ratio.interval.is_some()) else { continue };
        let at = stacks.iter().position(|(stack, _)| *stack == one.stack).unwrap_or_else(|| {
            stacks.push((one.stack.clone(), None));
            stacks.len() - 1
        });
        let known = stacks[at].1.map_or(1.0, |(_, known)| known.value);
        if is_loss(ratio) && ratio.value > known {
            stacks[at].1 = Some((one, ratio));
        }
    }
    let loss = |of: &(String, Option<(&AsProcessor, &Estimated)>)| of.1.map_or(1.0, |(_, ratio)| ratio.value);
    stacks.sort_by(|one, other| loss(other).total_cmp(&loss(one)));
    let words = |(stack, lost): &(String, Option<(&AsProcessor, &Estimated)>), how: &str| match lost {
        Some((one, ratio)) => {
            let amount = Relative::of(ratio).amount();
            format!("{} loses {how}: {amount} in {}", clean(stack), clean(&one.scenario))
        }
        None => format!("{} has no significant loss", clean(stack)),
    };
    let processor = clean(processor);
    match &stacks[..] {
        [] => None,
        [(_, None), _, ..] => Some(format!("As {processor}, no stack has a significant loss.")),
        [one] => Some(format!("As {processor}, {}.", words(one, "most"))),
        [most, .., least] => {
            Some(format!("As {processor}, {}; {}.", words(most, "most"), words(least, "least")))
        }
    }
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
