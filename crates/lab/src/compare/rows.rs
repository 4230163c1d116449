//! Two folders with files of rows, such as `icounts.csv`, compared regardless of the program that wrote them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_comparison::{FigureKind, NamedRows, RowsCompared};
use tlslab_foreign::{ForeignValue, Text, ci_bench};

use crate::bounded_read;

/// The files that are compared, with the kind of their figures.
const FILES: [(&str, FigureKind); 3] = [
    (COUNTS, FigureKind::Counted),
    ("memory.csv", FigureKind::Counted),
    ("walltime.csv", FigureKind::MedianOfTimes),
];
/// The file whose rows have profiles.
pub(super) const COUNTS: &str = "icounts.csv";
/// Bytes of a file of rows.
const LONGEST: u64 = 16 << 20;

/// The comparison of a file's figures of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileCompared {
    /// The file's name.
    pub file: String,
    /// The figures.
    pub rows: RowsCompared,
}

/// The differences of every file that both folders have.
pub(super) fn compared(baseline: &str, candidate: &str) -> anyhow::Result<Vec<FileCompared>> {
    let mut all = Vec::new();
    for (file, kind) in FILES {
        let folders = [baseline, candidate].map(Path::new);
        if !folders.iter().all(|folder| folder.join(file).is_file()) {
            continue;
        }
        let [baseline, candidate] = [read_named_rows(folders[0], file)?, read_named_rows(folders[1], file)?];
        for (metric, baseline) in &baseline {
            let candidate = candidate
                .get(metric)
                .with_context(|| format!("{} has other columns", folders[1].join(file).display()))?;
            all.push(FileCompared {
                file: file.to_owned(),
                rows: RowsCompared::of(metric, kind, baseline, candidate),
            });
        }
    }
    if all.is_empty() {
        bail!(
            "{baseline} and {candidate} have no file in common: icounts.csv, memory.csv or walltime.csv is needed in both"
        );
    }
    Ok(all)
}

/// The figures of a file by metric, and those of further files that have the same figures under other names.
fn read_named_rows(folder: &Path, file: &str) -> anyhow::Result<BTreeMap<String, NamedRows>> {
    let rows = values(&folder.join(file))?.into_iter();
    let mut by_metric: BTreeMap<String, NamedRows> =
        rows.map(|(metric, rows)| (metric, NamedRows { rows, others: Vec::new() })).collect();
    for other in with_other_names(folder, file)? {
        for (metric, rows) in values(&other)? {
            if let Some(named) = by_metric.get_mut(&metric) {
                named.others.push((other.display().to_string(), rows));
            }
        }
    }
    Ok(by_metric)
}

/// The further files, named like it with a word before the ending: `icounts.WORD.csv`.
fn with_other_names(folder: &Path, file: &str) -> anyhow::Result<Vec<PathBuf>> {
    let begins = file.strip_suffix("csv").unwrap_or(file);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(begins) && name.ends_with(".csv") && name != file && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The figures of a file by metric, then by row.
fn values(path: &Path) -> anyhow::Result<BTreeMap<String, BTreeMap<String, f64>>> {
    let text = bounded_read::read(path, LONGEST)?;
    let file = path.display().to_string();
    let parsed = ci_bench(Text { file: &file, text: &text });
    let values = parsed.map_err(|bad| {
        let described: Vec<String> = bad.iter().map(ToString::to_string).collect();
        anyhow::anyhow!(described.join("\n"))
    })?;
    let mut by_metric: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for ForeignValue { benchmark, side, metric, unit, value, .. } in values {
        let name = if side.is_empty() { benchmark } else { format!("{benchmark}_{side}") };
        by_metric.entry(format!("{metric}, {unit}")).or_default().insert(name, value);
    }
    Ok(by_metric)
}
