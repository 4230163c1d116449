//! Criterion's folder: the files of every benchmark below it.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tlslab_foreign::{CriterionFiles, Parsed, Text, criterion};

use crate::bounded_read::read;

/// The longest file that is imported, bytes.
pub(super) const LONGEST: u64 = 1 << 30;

/// The files of one benchmark, in one folder.
const FILES: [&str; 3] = ["benchmark.json", "estimates.json", "sample.json"];

/// The folders `new` of all benchmarks below a folder, or the folder of one of its files.
///
/// # Errors
/// Fails if a folder cannot be listed or has no benchmark, or if a file is not criterion's.
pub(super) fn folders(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if root.is_file() {
        let folder = root.parent().unwrap_or(Path::new(".")).to_owned();
        let is_of_it = root.file_name().is_some_and(|name| FILES.iter().any(|file| name == *file));
        if !is_of_it || !folder.join(FILES[0]).is_file() {
            bail!("{} is a file; name criterion's folder instead, such as target/criterion", root.display());
        }
        return Ok(vec![folder]);
    }
    let files = tlslab_artifact::files(root, &|_| true)
        .with_context(|| format!("cannot list the folder {}", root.display()))?;
    let estimates = files.into_iter().filter(|file| file.ends_with("new/estimates.json"));
    let found: Vec<PathBuf> = estimates.filter_map(|file| Some(root.join(file.parent()?))).collect();
    if found.is_empty() {
        bail!(
            "there is no new/estimates.json below {}; give the folder that cargo bench wrote, such as target/criterion",
            root.display()
        );
    }
    Ok(found)
}

/// The benchmark of a folder `new`.
///
/// # Errors
/// Fails if a file cannot be read.
pub(super) fn benchmark(folder: &Path) -> anyhow::Result<Parsed> {
    let [benchmark, estimates, sample] = FILES.map(|name| folder.join(name));
    let names = [&benchmark, &estimates, &sample].map(|path| path.display().to_string());
    let (benchmark, estimates) = (read(&benchmark, LONGEST)?, read(&estimates, LONGEST)?);
    let sample = if sample.is_file() { Some(read(&sample, LONGEST)?) } else { None };
    Ok(criterion(CriterionFiles {
        benchmark: Text { file: &names[0], text: &benchmark },
        estimates: Text { file: &names[1], text: &estimates },
        sample: sample.as_deref().map(|text| Text { file: &names[2], text }),
    }))
}
