//! Two folders with files of rows, such as `icounts.csv`: compared as they are, whoever made them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use tlslab_comparison::RowsCompared;
use tlslab_foreign::{ForeignValue, Text, ci_bench};

use crate::plain;

/// The files that are looked for.
const FILES: [&str; 2] = ["icounts.csv", "memory.csv"];
/// Bytes of a file of rows.
const LONGEST: u64 = 16 << 20;

/// Whether both are folders of which one has such a file.
pub fn are_folders(base: &str, new: &str) -> bool {
    let folders = [base, new].map(Path::new);
    let has_rows = |folder: &&Path| FILES.iter().any(|file| folder.join(file).is_file());
    folders.iter().all(|folder| folder.is_dir()) && folders.iter().any(has_rows)
}

/// What differs in every file that both have.
pub fn compared(base: &str, new: &str) -> anyhow::Result<Vec<RowsCompared>> {
    let mut all = Vec::new();
    for file in FILES {
        let paths = [base, new].map(|folder| Path::new(folder).join(file));
        if !paths.iter().all(|path| path.is_file()) {
            continue;
        }
        let [base, new] = [values(&paths[0])?, values(&paths[1])?];
        for (metric, base) in &base {
            let new = new.get(metric).with_context(|| format!("{} has other columns", paths[1].display()))?;
            all.push(RowsCompared::of(metric, base, new));
        }
    }
    if all.is_empty() {
        bail!("{base} and {new} have no file in common: icounts.csv or memory.csv is needed in both");
    }
    Ok(all)
}

/// The figures of a file by metric, then by row.
fn values(path: &Path) -> anyhow::Result<BTreeMap<String, BTreeMap<String, f64>>> {
    let text = plain::read(path, LONGEST)?;
    let file = path.display().to_string();
    let parsed = ci_bench(Text { file: &file, text: &text });
    let values = parsed.map_err(|bad| {
        let told: Vec<String> = bad.iter().map(ToString::to_string).collect();
        anyhow::anyhow!(told.join("\n"))
    })?;
    let mut by_metric: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for ForeignValue { benchmark, side, metric, unit, value, .. } in values {
        let name = if side.is_empty() { benchmark } else { format!("{benchmark}_{side}") };
        by_metric.entry(format!("{metric}, {unit}")).or_default().insert(name, value);
    }
    Ok(by_metric)
}
