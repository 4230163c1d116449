//! The recipes and variants in the lab's tree and in a user's folder.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Table;

use tlslab_artifact::{Halt, read_plain_text};
use tlslab_recipe::{DriverFolder, Processors, RecipeError, RecipeFile, RecipeIndex};

use crate::builder::Builder;
use crate::driver;
use crate::registries::Clients;

impl Builder {
    /// A driver's folder for readers.
    ///
    /// # Errors
    /// Fails if the driver has no folder, or if it cannot be read.
    pub fn driver_folder(&self, name: &str) -> Result<DriverFolder, Halt> {
        driver::read(self.trees(), name)
    }

    /// Every recipe below `stacks/`, every variant in `variants/` and the processors of `processors.toml`. A
    /// user's own folder is read too.
    ///
    /// # Errors
    /// Fails if a file cannot be read or is not a recipe, or if two have one name.
    pub fn recipe_index(&self) -> Result<RecipeIndex, RecipeError> {
        let (mut recipes, mut variants, mut broken) = (Vec::new(), BTreeMap::new(), Vec::new());
        for tree in self.trees().all() {
            let is_own = *tree != *self.trees().lab;
            let mut of_tree: Vec<RecipeFile> = Vec::new();
            for file in toml_files(&tree.join("stacks"))? {
                let parsed = text(&file).and_then(|text| RecipeFile::parse(&file.to_string_lossy(), &text));
                match parsed {
                    // A mistake in a user's own file is reported when its stack is requested.
                    Err(cause) if is_own => broken.push((name_of(&file, &tree.join("stacks")), cause)),
                    parsed => of_tree.push(parsed?),
                }
            }
            // The user's own tree comes first and wins.
            of_tree.retain(|file| !recipes.iter().any(|known: &RecipeFile| known.name == file.name));
            recipes.extend(of_tree);
            for file in toml_files(&tree.join("variants"))? {
                let (name, table) = variant(&file)?;
                // The user's own tree comes first and wins.
                variants.entry(name).or_insert(table);
            }
        }
        let mut processors = Processors::default();
        // The lab's come first: the user's own may be like those, and replace them.
        let trees: Vec<&Path> = self.trees().all().collect();
        for file in trees.iter().rev().map(|tree| tree.join(PROCESSORS)).filter(|file| file.is_file()) {
            processors = processors.with_file(&file.to_string_lossy(), &text(&file)?)?;
        }
        Ok(RecipeIndex::new(recipes, variants)?
            .with_broken(broken)
            .with_processors(processors)
            .with_registries(Arc::new(Clients::new(self.clone()))))
    }
}

/// The name that a recipe's file should have by its place: `rustls/ring` of `stacks/rustls/ring.toml`.
fn name_of(file: &Path, stacks: &Path) -> String {
    file.strip_prefix(stacks).unwrap_or(file).with_extension("").to_string_lossy().into_owned()
}

/// A variant's name, which is its file's, and its tables.
fn variant(file: &Path) -> Result<(String, Table), RecipeError> {
    let text = text(file)?;
    let table: Table = toml::from_str(&text)
        .map_err(|error| RecipeError::not_toml(&file.to_string_lossy(), &text, &error))?;
    if let Some(key) = table.keys().find(|key| !OF_A_VARIANT.contains(&key.as_str())) {
        let next_step = format!("there are {}", OF_A_VARIANT.join(", "));
        let cause = "a variant has no key of that name";
        return Err(RecipeError::new(&file.to_string_lossy(), key, cause, &next_step));
    }
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name, table))
}

fn text(file: &Path) -> Result<String, RecipeError> {
    read_plain_text(file, LONGEST).map_err(|cause| unreadable(file, &cause))
}

/// The processors that stacks can be run as.
const PROCESSORS: &str = "processors.toml";

/// The longest recipe, bytes.
const LONGEST: u64 = 1 << 20;

/// Every such file below a folder, which may not exist.
fn toml_files(folder: &Path) -> Result<Vec<PathBuf>, RecipeError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let found = tlslab_artifact::files(folder, &|_| true).map_err(|cause| unreadable(folder, &cause))?;
    let wanted = found.into_iter().filter(|path| path.extension().is_some_and(|end| end == "toml"));
    Ok(wanted.map(|path| folder.join(path)).collect())
}

fn unreadable(path: &Path, cause: &io::Error) -> RecipeError {
    RecipeError::new(
        &path.to_string_lossy(),
        "file",
        &format!("it cannot be read: {cause}"),
        "check the path",
    )
}

const OF_A_VARIANT: [&str; 11] =
    ["title", "target", "tools", "needs", "compiler", "build", "link", "cargo", "make", "run", "settings"];
