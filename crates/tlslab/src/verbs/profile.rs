//! `tlslab profile`: which functions take a cell's instructions.

use std::path::Path;

use anyhow::Context;
use tlslab_profile::{Counted, Sheet, Side, markdown, page, text};

use crate::Ended;
use crate::cli::{ProfileArgs, SheetFormat};
use crate::counted::{self, CountedFunctions};
use crate::house::House;
use crate::signals::cancel_flag;

/// The event that functions are shown by.
pub const INSTRUCTIONS: &str = "Ir";

/// The page in a folder that is kept.
const PAGE: &str = "profile.html";

/// Counts the cell and prints a table for each side.
pub fn profile(house: &House, args: &ProfileArgs) -> anyhow::Result<Ended> {
    let cancel = cancel_flag()?;
    let parts = house.parts()?;
    let scratch = tempfile::tempdir().context("cannot make a folder for what is counted")?;
    let folder = match &args.out {
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
            std::path::absolute(folder)?
        }
        None => scratch.path().to_owned(),
    };
    counted::count(house, &args.stack, &args.scenario, &args.how, &folder, &cancel)?;
    let found = counted::of_folder(&folder, &args.shown)?;
    let sides = found.sides.iter().map(|(name, (profile, stacks))| {
        let counted = Counted { profile, stacks, iterations: found.iterations };
        Side::of(name, counted, INSTRUCTIONS, &parts, args.shown.top)
    });
    let sheet =
        Sheet { title: found.title.clone(), base: None, sides: sides.collect(), notes: notes(&[&found]) };
    if args.out.is_some() {
        write(&folder.join(PAGE), &page(&sheet))?;
    }
    print!("{}", shown(&sheet, args.shown.format, args.callers)?);
    Ok(Ended::Well)
}

/// The sheet in a format.
pub fn shown(sheet: &Sheet, format: SheetFormat, callers: bool) -> anyhow::Result<String> {
    Ok(match format {
        SheetFormat::Table => text(sheet, callers),
        SheetFormat::Markdown => markdown(sheet),
        SheetFormat::Json => serde_json::to_string_pretty(sheet)? + "\n",
        SheetFormat::Html => page(sheet),
    })
}

/// Who counted, and what that is not.
pub fn notes(all: &[&CountedFunctions]) -> Vec<String> {
    let mut counters: Vec<(&String, bool)> =
        all.iter().filter_map(|found| Some((found.counter.as_ref()?, found.native))).collect();
    counters.dedup();
    let note = |(counter, native): (&String, bool)| match native {
        true => format!("Counted by {counter}."),
        false => {
            format!("Counted by {counter}, whose processor has fewer features than this one's may have.")
        }
    };
    counters.into_iter().map(note).collect()
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
