//! What each library does if nothing is configured, by stack and version.

use std::collections::BTreeMap;

use tlslab_lab::LabelOrder;
use tlslab_pages::site::{DefaultsChange, DefaultsLine, DefaultsPage};
use tlslab_record::{CellState, Defaults};

use crate::catalogue::{Catalogue, RunEntry};
use crate::source::Source;

/// The newest version of each stack, and the versions that changed a default.
///
/// # Errors
/// Fails if the database cannot be read.
pub(crate) fn defaults(
    catalogue: &Catalogue,
    source: &Source,
    labels: &LabelOrder,
) -> anyhow::Result<DefaultsPage> {
    let mut stacks: BTreeMap<String, Vec<DefaultsLine>> = BTreeMap::new();
    let is_seen = |name: &String| catalogue.scenarios.get(name).is_some_and(|scenario| scenario.defaults);
    for run in catalogue.runs.iter().filter(|run| run.scenarios.iter().any(is_seen)) {
        for line in lines(source, run)? {
            let known = stacks.entry(line.stack.clone()).or_default();
            // Runs come newest first.
            if known.iter().all(|one| one.label != line.label) {
                known.push(line);
            }
        }
    }
    let mut page = DefaultsPage::default();
    for (stack, mut versions) in stacks {
        versions.sort_by(|one, other| labels.compare(&stack, &one.label, &other.label));
        let change = |pair: &[DefaultsLine]| {
            let [before, now] = pair else { return None };
            let changes = before.defaults.changes(&now.defaults);
            (!changes.is_empty()).then(|| DefaultsChange {
                stack: stack.clone(),
                before: before.label.clone(),
                label: now.label.clone(),
                changes,
            })
        };
        page.changes.extend(versions.windows(2).rev().filter_map(change));
        page.lines.extend(versions.pop());
    }
    Ok(page)
}

/// The stacks that a run has seen with their defaults.
fn lines(source: &Source, run: &RunEntry) -> anyhow::Result<Vec<DefaultsLine>> {
    let id = &run.line.id;
    let plan = source.plan(id)?;
    let line = |cell: CellState| {
        let defaults = Defaults::of(plan.scenarios.get(cell.scenario)?, &cell.proof)?;
        let figure = run.figures.iter().find(|figure| figure.place as usize == cell.stack)?;
        let (stack, label) = (figure.series.stack.clone(), figure.label.clone());
        Some(DefaultsLine { stack, label, run: id.clone(), defaults })
    };
    Ok(source.store().cells(id)?.into_iter().filter_map(line).collect())
}
