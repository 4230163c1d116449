//! The table of sizes: one row per stack, the smallest first.

use tlslab_estimate::{Report, Size};
use tlslab_record::SIZE_SCENARIO;
use tlslab_text::clean;
use tlslab_text::number::{significant, whole};

use super::further::with_version;
use super::table::{ExactRow, ExactTable, Hole, Subject};
use super::words::Relative;

/// The note next to the figures.
const NOT: &str = "of the library in the lab's driver program: the parts of its API that the driver uses, optimised as the recipe has \
                   it, without debug information, symbols, relocations and unwind tables";

/// The table of a report; without groups if no size was requested.
pub(super) fn table(report: &Report) -> ExactTable {
    let has_shared = report.sizes.iter().any(|size| size.shared.bytes().is_some());
    let mut columns = vec!["text", "data"];
    if has_shared {
        columns.push("shared");
    }
    columns.push("total");
    let mut table = ExactTable {
        subject: Subject::Size,
        title: "Size of the library, bytes",
        columns: columns.into_iter().map(str::to_owned).collect(),
        rows_are: "stack",
        groups: Vec::new(),
        reasons: Vec::new(),
    };
    if report.sizes.is_empty() {
        return table;
    }
    let mut sizes: Vec<&Size> = report.sizes.iter().collect();
    sizes.sort_by_key(|size| size.total().unwrap_or(u64::MAX));
    let rows = sizes.iter().map(|size| row(size, has_shared)).collect();
    table.groups.push((SIZE_SCENARIO.to_owned(), rows));
    table.reasons.push(NOT.to_owned());
    table.reasons.extend(holes(&sizes));
    table.reasons.extend(build_times(&sizes));
    table
}

/// The answer: which stack's library is smallest, and how many times as large the others are.
pub fn answer(report: &Report) -> Option<String> {
    let total = |size: &Size| Some((with_version(report, &clean(&size.stack)), size.total()?));
    let mut sizes: Vec<(String, u64)> = report.sizes.iter().filter_map(total).collect();
    sizes.sort_by_key(|(_, total)| *total);
    let ((stack, least), others) = sizes.split_first()?;
    let times = |(stack, total): &(String, u64)| match total == least {
        true => format!("{stack} the same"),
        false => format!("{stack} {}", Relative::exact(*total as f64 / *least as f64).bare()),
    };
    let others: Vec<String> = others.iter().map(times).collect();
    let least = format!("{} MB of code and data", significant(*least as f64 / 1e6, 3));
    Some(match others.is_empty() {
        true => format!("{stack} has {least}."),
        false => format!("{stack} is smallest: {least}; {}.", others.join(", ")),
    })
}

fn row(size: &Size, has_shared: bool) -> ExactRow {
    let bytes = |value: Option<u64>| value.map_or_else(|| "–".to_owned(), |value| whole(value as f64));
    let content = match (size.total(), size.text.hole()) {
        (None, Some((kind, reason))) => Err(Hole { kind, reason: clean(reason) }),
        (total, _) => {
            let mut figures = vec![bytes(size.text.bytes()), bytes(size.data.bytes())];
            if has_shared {
                figures.push(bytes(size.shared.bytes()));
            }
            figures.push(bytes(total));
            Ok(figures)
        }
    };
    ExactRow { name: clean(&size.stack), content }
}

/// Why figures are missing, each reason once.
fn holes(sizes: &[&Size]) -> Vec<String> {
    let mut found: Vec<(String, String, Vec<&str>, Vec<String>)> = Vec::new();
    for size in sizes {
        for (metric, outcome) in size.figures() {
            let Some((kind, reason)) = outcome.hole() else { continue };
            let (reason, stack) = (clean(reason), clean(&size.stack));
            match found.iter_mut().find(|found| found.0 == kind && found.1 == reason) {
                Some((_, _, metrics, stacks)) => {
                    if !metrics.contains(&metric) {
                        metrics.push(metric);
                    }
                    if !stacks.contains(&stack) {
                        stacks.push(stack);
                    }
                }
                None => found.push((kind.to_owned(), reason, vec![metric], vec![stack])),
            }
        }
    }
    let line = |(kind, reason, metrics, stacks): (String, String, Vec<&str>, Vec<String>)| {
        format!("{kind}, {} of {}: {reason}", metrics.join(" and "), stacks.join(", "))
    };
    found.into_iter().map(line).collect()
}

/// How long the builds took: no verdict rests on it.
fn build_times(sizes: &[&Size]) -> Option<String> {
    let time = |size: &&Size| Some(format!("{} {} s", clean(&size.stack), significant(size.build_s?, 3)));
    let times: Vec<String> = sizes.iter().filter_map(time).collect();
    (!times.is_empty()).then(|| {
        format!("built in (library and driver, once on this host, not judged): {}", times.join(", "))
    })
}
