//! The functions of a cell.

use std::path::Path;

use anyhow::Context;
use tlslab_profile::{Counted, Sheet, Side};

use super::INSTRUCTIONS;
use super::counted;
use super::sheet::{Functions, notes};
use crate::error::Error;
use crate::request::ProfileRequest;
use crate::session::workshop::Workshop;

/// The page in a stored folder.
const PAGE: &str = "profile.html";

/// Counts the instructions of a cell by function.
///
/// # Errors
/// Fails if the scenario or stack is unknown, was not built, or cannot be counted; the error has the reason.
pub fn profile(workshop: &Workshop<'_>, request: &ProfileRequest) -> Result<Functions, Error> {
    profile_into(workshop, request, None)
}

/// The same, with the files stored in a folder.
///
/// # Errors
/// As [`profile`]; also fails if the folder cannot be written.
pub fn profile_into(
    workshop: &Workshop<'_>,
    request: &ProfileRequest,
    folder: Option<&Path>,
) -> Result<Functions, Error> {
    let counted = counted_sheet(workshop, request, folder);
    match workshop.reporter.is_cancelled() {
        true => Err(Error::EARLY),
        false => Ok(counted?),
    }
}

fn counted_sheet(
    workshop: &Workshop<'_>,
    request: &ProfileRequest,
    kept: Option<&Path>,
) -> anyhow::Result<Functions> {
    let parts = workshop.environment.parts()?;
    let scratch = tempfile::tempdir().context("cannot create a folder for counts")?;
    let folder = match kept {
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
            std::path::absolute(folder)?
        }
        None => scratch.path().to_owned(),
    };
    counted::count(workshop, &request.stack, &request.scenario, &request.counting, &folder)?;
    let found = counted::of_folder(&folder, &request.selection)?;
    let sides = found.sides.iter().map(|(name, (profile, stacks))| {
        let counted = Counted { profile, stacks, iterations: found.iterations };
        Side::of(name, counted, INSTRUCTIONS, &parts, request.selection.top.get() as usize)
    });
    let sides = sides.collect();
    let sheet = Sheet { title: found.title.clone(), baseline: None, sides, notes: notes(&[&found]) };
    if let (Some(_), Some(pages)) = (kept, workshop.environment.pages) {
        let file = folder.join(PAGE);
        std::fs::write(&file, pages.functions(&sheet))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(Functions { sheet })
}
