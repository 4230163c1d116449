//! Pages of drivers for experts on a library: generated from recipes and the drivers' folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tlslab_build::{C_FLAGS, CXX_FLAGS};
use tlslab_recipe::{Recipe, RecipeFile, RecipeIndex, driver_contents, driver_page};

use crate::session::environment::Environment;

/// Each page's name and text: one for every driver that these stacks' recipes name, for any edition, and an
/// index page.
///
/// # Errors
/// Fails if a folder cannot be read, or if recipes are invalid.
pub fn driver_pages(
    environment: &Environment,
    index: &RecipeIndex,
    recipes: &[Recipe],
) -> anyhow::Result<Vec<(String, String)>> {
    let is_asked = |file: &&RecipeFile| recipes.iter().any(|recipe| recipe.file == file.file);
    let files = index.files().iter().filter(is_asked);
    let names: BTreeSet<&str> = files.flat_map(RecipeFile::driver_folders).collect();
    let builder = environment.builder();
    let folders = names.iter().map(|name| builder.driver_folder(name)).collect::<Result<Vec<_>, _>>()?;
    let flags = format!("{}; for C++ {}", C_FLAGS.join(" "), CXX_FLAGS.join(" "));
    let mut pages = vec![("README.md".to_owned(), driver_contents(&folders, index)?)];
    for folder in &folders {
        pages.push((format!("{}.md", folder.name), driver_page(folder, index, &flags)?));
    }
    Ok(pages)
}

/// Writes them into a folder, which is created, and reports each path.
///
/// # Errors
/// Fails if a file cannot be written.
pub fn write_driver_pages(folder: &Path, pages: &[(String, String)]) -> anyhow::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let mut written = Vec::new();
    for (name, text) in pages {
        let file = folder.join(name);
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        written.push(file);
    }
    Ok(written)
}
