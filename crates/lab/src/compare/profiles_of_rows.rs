//! The functions that changed a row, if both folders have a profile of it: `callgrind/ROW` or
//! `cachegrind/ROW` in callgrind's format.

use std::path::{Path, PathBuf};

use anyhow::Context;
use tlslab_profile::{Counted, Parts, Profile, Sheet, Side, Stacks, markdown, parse};
use tlslab_record::is_file_name;

use super::rows::{COUNTS, FileCompared};
use crate::bounded_read;
use crate::functions::INSTRUCTIONS;
use crate::functions::rows::FOLDER;

/// The folder of profiles that `tlslab run-all` has made.
const OTHER_FOLDER: &str = "cachegrind";
/// Functions of each row.
const TOP: usize = 10;

/// For each row that differs by a share or more: the instructions of its functions before and after,
/// collapsed; or why they are unknown. Empty if no row differs.
///
/// # Errors
/// Fails if a profile cannot be read.
pub(super) fn changed_functions(
    all: &[FileCompared],
    (baseline, candidate): (&str, &str),
    threshold: f64,
    parts: &Parts,
) -> anyhow::Result<String> {
    let counts = all.iter().filter(|compared| compared.file == COUNTS);
    let differing = counts.flat_map(|compared| compared.rows.significant(threshold));
    // A name that leads out of the folder is rejected.
    let rows: Vec<&str> = differing.map(|row| row.name.as_str()).filter(|name| is_file_name(name)).collect();
    let mut text = String::new();
    for row in &rows {
        let paths = [baseline, candidate].map(|folder| profile_of(folder, row));
        if !paths.iter().all(|path| path.is_file()) {
            continue;
        }
        let [was, is] = [read(&paths[0])?, read(&paths[1])?];
        let stacks = Stacks::default();
        let counted = |profile| Counted { profile, stacks: &stacks, iterations: 1 };
        let side = Side::between("all", (counted(&was), counted(&is)), INSTRUCTIONS, parts, TOP);
        let sheet = Sheet {
            title: (*row).to_owned(),
            baseline: Some(baseline.to_owned()),
            notes: Vec::new(),
            sides: vec![side],
        };
        text.push_str(&markdown(&sheet));
        text.push('\n');
    }
    if !text.is_empty() {
        let summary = "Functions of the rows that differ";
        return Ok(format!("<details>\n<summary>{summary}</summary>\n\n{text}</details>\n\n"));
    }
    let has_profiles =
        |folder: &&str| [FOLDER, OTHER_FOLDER].iter().any(|below| Path::new(folder).join(below).is_dir());
    Ok(match [baseline, candidate].iter().filter(|folder| has_profiles(folder)).count() {
        _ if rows.is_empty() => String::new(),
        0 => format!(
            "Neither folder has profiles ({FOLDER}/ROW). `tlslab run --suite NAME --functions` makes them; `tlslab diff BASE NEW --scenario \
             NAME` of two stacks shows which functions changed.\n\n"
        ),
        1 => format!("Only one of the two has a folder {FOLDER}, so that no functions are compared.\n\n"),
        _ => format!("No row that differs has a profile in {FOLDER} of both folders.\n\n"),
    })
}

fn profile_of(folder: &str, row: &str) -> PathBuf {
    let other = Path::new(folder).join(OTHER_FOLDER).join(row);
    if other.is_file() { other } else { Path::new(folder).join(FOLDER).join(row) }
}

fn read(path: &Path) -> anyhow::Result<Profile> {
    parse(&bounded_read::profile(path, bounded_read::LONGEST_PROFILE)?)
        .with_context(|| format!("in {}", path.display()))
}
