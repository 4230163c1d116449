//! Warnings by cause: one sentence for each, the worst first.

use std::collections::BTreeMap;

use tlslab_protocol::{Side, Work};
use tlslab_record::RunRecord;

use super::turns;
use crate::model::{Cause, Cell, Family, Headline, Metric, Modes, Whose};
use tlslab_text::number::{counted, significant};

/// All warnings by cause. `single` are the sentences about anything but two speeds.
pub(super) fn causes(
    record: &RunRecord,
    single: &[String],
    cells: &[Cell],
    headlines: &[Headline],
) -> Vec<Cause> {
    let names: Vec<&str> = record.plan.stacks.iter().map(|stack| stack.name.as_str()).collect();
    let mut causes = two_speeds(record, cells, headlines);
    causes.extend(same_sentence(single, &names));
    // Within either kind the order does not change.
    causes.sort_by_key(|cause| !cause.can_change_headline);
    causes
}

/// Equal sentences on several stacks become one.
fn same_sentence(warnings: &[String], names: &[&str]) -> Vec<Cause> {
    let mut alike: Vec<(&str, Vec<&str>, Vec<String>)> = Vec::new();
    for warning in warnings {
        let named = warning.split_once(": ").filter(|(name, _)| names.contains(name));
        let (names, rest) = named.map_or((vec![], warning.as_str()), |(name, rest)| (vec![name], rest));
        match alike.iter_mut().find(|known| known.0 == rest && !known.1.is_empty() && !names.is_empty()) {
            Some(known) => {
                known.1.extend(names);
                known.2.push(warning.clone());
            }
            None => alike.push((rest, names, vec![warning.clone()])),
        }
    }
    let cause = |(rest, names, cells): (&str, Vec<&str>, Vec<String>)| Cause {
        summary: if names.is_empty() { rest.to_owned() } else { format!("{}: {rest}", names.join(", ")) },
        cells: if cells.len() > 1 { cells } else { Vec::new() },
        can_change_headline: false,
    };
    alike.into_iter().map(cause).collect()
}

/// Cells whose processes run at two speeds: a cause for each stack in each kind of work, the farthest apart
/// first.
fn two_speeds(record: &RunRecord, cells: &[Cell], headlines: &[Headline]) -> Vec<Cause> {
    let mut groups: BTreeMap<(String, &str), Group<'_>> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| cell.metric == Metric::Time) {
        let Some(measured) = cell.outcome.measured() else { continue };
        let group = groups.entry((work_of(record, cell), &cell.stack)).or_default();
        group.of += 1;
        group.found.extend(measured.modes.map(|modes| (cell, modes)));
    }
    let mut found: Vec<_> = groups.into_iter().filter(|(_, group)| !group.found.is_empty()).collect();
    for (_, group) in &mut found {
        group.found.sort_by(|one, other| apart(&other.1).total_cmp(&apart(&one.1)));
    }
    found.sort_by(|(_, one), (_, other)| apart(&other.found[0].1).total_cmp(&apart(&one.found[0].1)));
    found.into_iter().map(|((work, stack), group)| group.cause(record, &work, stack, headlines)).collect()
}

#[derive(Default)]
struct Group<'c> {
    found: Vec<(&'c Cell, Modes)>,
    of: usize,
}

impl Group<'_> {
    fn cause(&self, record: &RunRecord, work: &str, stack: &str, headlines: &[Headline]) -> Cause {
        let middle = |of: fn(&Modes) -> f64| {
            let mut values: Vec<f64> = self.found.iter().map(|(_, modes)| of(modes)).collect();
            values.sort_by(f64::total_cmp);
            significant(values[values.len() / 2], 3)
        };
        let (lower, upper) = (middle(|modes| modes.lower), middle(|modes| modes.upper));
        let speeds = match record.plan.stacks.len() {
            1 => format!("{lower} µs or {upper} µs"),
            _ => format!("{lower}× or {upper}× of {}", record.plan.baseline),
        };
        let about = if self.found.len() > 1 { "about " } else { "" };
        Cause {
            summary: format!(
                "{work}: {stack} ran at two speeds in {} of {} ({about}{speeds}); the estimates are of mixtures, whose shares \
                 may differ in another run.",
                self.found.len(),
                counted(self.of, "cell")
            ),
            cells: self.found.iter().map(|(cell, modes)| turns::of_modes(record, cell, modes)).collect(),
            can_change_headline: headlines.iter().any(|headline| {
                let is_here =
                    |cell: &Cell| headline.side == cell.side && headline.scenarios.contains(&cell.scenario);
                self.found.iter().any(|(cell, _)| is_here(cell))
                    && headline.rests_on_two_speeds(cells_of(&self.found))
            }),
        }
    }
}

fn cells_of<'c>(found: &'c [(&'c Cell, Modes)]) -> impl Iterator<Item = &'c Cell> {
    found.iter().map(|(cell, _)| *cell)
}

fn apart(modes: &Modes) -> f64 {
    modes.upper / modes.lower
}

/// The work of a side in a cell, as the beginning of a sentence.
fn work_of(record: &RunRecord, cell: &Cell) -> String {
    let scenario = record.plan.scenarios.iter().find(|scenario| scenario.name == cell.scenario);
    let Some(scenario) = scenario else { return cell.side.to_string() };
    let family = Family::of(scenario);
    match (scenario.work, cell.side) {
        (Work::Transfer { sender, .. }, Whose::Client | Whose::Server) => {
            let sends = (cell.side == Whose::Client) == (sender == Side::Client);
            let over = if family == Family::SocketTransfer { " over loopback TCP" } else { "" };
            format!("{}{over}", if sends { "Sending" } else { "Receiving" })
        }
        (_, side) => format!("{family}, {side}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_several_stacks_is_one_sentence() {
        let warnings =
            ["a: its driver is old.", "The host is busy.", "b: its driver is old.", "c: its driver is old."];
        let warnings = warnings.map(str::to_owned);
        let causes = same_sentence(&warnings, &["a", "b"]);
        let summaries: Vec<&str> = causes.iter().map(|cause| cause.summary.as_str()).collect();
        assert_eq!(
            summaries,
            ["a, b: its driver is old.", "The host is busy.", "c: its driver is old."],
            "c is no stack of the run"
        );
        assert_eq!(causes[0].cells, ["a: its driver is old.", "b: its driver is old."]);
    }
}
