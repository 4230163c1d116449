//! The recipes in the lab's tree.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::recipe::{Recipe, RecipeError};
use crate::workshop::Workshop;

impl Workshop {
    /// Every recipe below `stacks/`, sorted by name.
    ///
    /// # Errors
    /// If a file cannot be read or is no recipe, or if two have one name.
    pub fn recipes(&self) -> Result<Vec<Recipe>, RecipeError> {
        let folder = self.root().join("stacks");
        let mut recipes = Vec::new();
        for file in recipe_files(&folder).map_err(|cause| unreadable(&folder, &cause))? {
            recipes.push(read_recipe(&file)?);
        }
        recipes.sort_by(|a, b| a.name.cmp(&b.name));
        match recipes.windows(2).find(|pair| pair[0].name == pair[1].name) {
            None => Ok(recipes),
            Some(pair) => Err(RecipeError {
                file: pair[1].file.clone(),
                key: "name".to_owned(),
                cause: format!("\"{}\" is the name of `{}` too", pair[1].name, pair[0].file),
                next_step: "give one of them another name".to_owned(),
            }),
        }
    }
}

/// Reads one recipe.
///
/// # Errors
/// If the file cannot be read or is no recipe.
pub fn read_recipe(file: &Path) -> Result<Recipe, RecipeError> {
    let text = fs::read_to_string(file).map_err(|cause| unreadable(file, &cause))?;
    Recipe::parse(&file.to_string_lossy(), &text)
}

fn recipe_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let found = crate::tree::files(folder, &|_| true)?;
    let recipes = found.into_iter().filter(|path| path.extension().is_some_and(|end| end == "toml"));
    Ok(recipes.map(|path| folder.join(path)).collect())
}

fn unreadable(path: &Path, cause: &io::Error) -> RecipeError {
    RecipeError {
        file: path.to_string_lossy().into_owned(),
        key: "file".to_owned(),
        cause: format!("it cannot be read: {cause}"),
        next_step: "check the path".to_owned(),
    }
}
