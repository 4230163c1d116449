//! The model of the overview.

use std::collections::BTreeMap;

use tlslab_pages::Target;
use tlslab_pages::site::{Alert, ChangeLine, Gap, Level, Overview, StackPage};
use tlslab_text::number::counted;

use crate::catalogue::Catalogue;
use crate::imported::Imported;

/// The most changes and gaps that an overview lists.
const MOST: usize = 20;

/// Problems, changes and gaps of the newest results.
pub(crate) fn overview(
    catalogue: &Catalogue,
    stacks: &BTreeMap<String, StackPage>,
    imported: &BTreeMap<String, Imported>,
) -> Overview {
    let mut lines: Vec<_> = stacks.values().map(|page| page.line.clone()).collect();
    let rank =
        |mark: &str| ["failed", "regression", "warning", "quiet"].iter().position(|known| *known == mark);
    lines.sort_by_key(|line| (rank(&line.mark).unwrap_or(usize::MAX), line.name.clone()));
    let (changes, further_changes) = cut(changes(stacks, imported));
    let (gaps, further_gaps) = cut(gaps(catalogue, stacks));
    Overview {
        newest: newest(catalogue, imported),
        alerts: alerts(catalogue, stacks, imported),
        stacks: lines,
        imported: imported.values().map(|imported| imported.line.clone()).collect(),
        changes,
        further_changes,
        gaps,
        further_gaps,
        ..Overview::default()
    }
}

/// When the newest result was measured, by the lab or by another program.
fn newest(catalogue: &Catalogue, imported: &BTreeMap<String, Imported>) -> String {
    let runs = catalogue.runs.first().map(|run| run.line.started.as_str());
    let imported = imported.values().map(|imported| imported.line.measured.as_str());
    imported.chain(runs).max().unwrap_or_default().to_owned()
}

/// The first of a list, and how many there are beyond them.
fn cut<T>(mut all: Vec<T>) -> (Vec<T>, usize) {
    let further = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    (all, further)
}

fn alerts(
    catalogue: &Catalogue,
    stacks: &BTreeMap<String, StackPage>,
    imported: &BTreeMap<String, Imported>,
) -> Vec<Alert> {
    let of_stack = |page: &StackPage| {
        let line = &page.line;
        let level = match line.mark.as_str() {
            "failed" => Level::Failed,
            "regression" => Level::Regression,
            "warning" => Level::Warning,
            _ => return None,
        };
        let text = format!("{} {}: {}", line.name, line.label, line.why);
        Some(Alert { level, text, target: Some(Target::Stack(line.name.clone())) })
    };
    let incomplete = catalogue.runs.iter().filter(|run| !run.line.is_complete).map(|run| Alert {
        level: Level::Warning,
        text: format!("run {} is not complete", run.line.id),
        target: Some(Target::Run(run.line.id.clone())),
    });
    let regressed = imported.values().map(|imported| &imported.line).filter(|line| line.mark == "regression");
    let of_imported = regressed.map(|line| Alert {
        level: Level::Regression,
        text: format!("{} {}: {}", line.name, line.label, line.why),
        target: Some(Target::HistoryOf(line.name.clone())),
    });
    let mut alerts: Vec<Alert> =
        stacks.values().filter_map(of_stack).chain(of_imported).chain(incomplete).collect();
    // Regressions are what this page is for; then failures.
    let rank = |level| match level {
        Level::Regression => 0,
        Level::Failed => 1,
        Level::Warning => 2,
    };
    alerts.sort_by_key(|alert| rank(alert.level));
    alerts
}

/// The changes of the newest versions, the largest first, negligible ones last.
fn changes(stacks: &BTreeMap<String, StackPage>, imported: &BTreeMap<String, Imported>) -> Vec<ChangeLine> {
    let of_newest = |page: &StackPage| {
        let label = page.line.label.clone();
        page.changes.clone().into_iter().filter(move |change| change.label == label)
    };
    let of_imported = imported.values().flat_map(|imported| imported.line.changes.clone());
    let mut changes: Vec<ChangeLine> = stacks.values().flat_map(of_newest).chain(of_imported).collect();
    let size = |change: &ChangeLine| change.ratio.ln().abs();
    changes.sort_by(|one, other| {
        one.is_negligible.cmp(&other.is_negligible).then(size(other).total_cmp(&size(one)))
    });
    changes
}

/// Stacks and versions without a value, then cells, one line for each stack and reason.
fn gaps(catalogue: &Catalogue, stacks: &BTreeMap<String, StackPage>) -> Vec<Gap> {
    let mut gaps = Vec::new();
    for (name, page) in stacks {
        let target = Some(Target::Stack(name.clone()));
        for version in page.versions.iter().filter(|version| version.cells[0] == 0) {
            let kind = if version.cells[2] > 0 { "failed" } else { "unsupported" };
            let why = first_reason(catalogue, name, &version.label, kind);
            let what = format!("{name} {}", version.label);
            gaps.push(Gap { what, kind: kind.to_owned(), why, target: target.clone() });
        }
    }
    for (name, page) in stacks.iter().filter(|(_, page)| page.line.cells[0] > 0) {
        let mut by_reason: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for cell in &page.cells {
            if let Some((kind, why)) = &cell.hole {
                by_reason.entry((kind, why)).or_default().push(&cell.scenario);
            }
        }
        for ((kind, why), mut scenarios) in by_reason {
            scenarios.dedup();
            let what = match scenarios.as_slice() {
                [one] => format!("{name}: {one}"),
                many => format!("{name}: {} such as {}", counted(many.len(), "scenario"), many[0]),
            };
            let target = Some(Target::Stack(name.clone()));
            gaps.push(Gap { what, kind: kind.to_owned(), why: why.to_owned(), target });
        }
    }
    // Failed cells come before unsupported ones.
    gaps.sort_by_key(|gap| gap.kind != "failed");
    gaps
}

fn first_reason(catalogue: &Catalogue, stack: &str, label: &str, kind: &str) -> String {
    let version = catalogue.stacks[stack].versions.iter().find(|version| version.label == label);
    let figures = version.into_iter().flat_map(|version| catalogue.figures_of(stack, version));
    let mut holes = figures.filter_map(|(_, figure)| figure.outcome.hole());
    let reason = holes.find(|(found, _)| *found == kind).map(|(_, why)| why.to_owned());
    reason.unwrap_or_default()
}
