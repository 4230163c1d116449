//! A driver's page: what a reader of its figures might dispute, in one place, for those who know the library.

mod calls;
mod facts;
mod folder;
mod summary;
mod uses;

pub use folder::{CHOICES, DriverFolder};

use std::fmt::Write;

use tlslab_text::{markdown, markdown_code};

use crate::{Recipe, RecipeError, RecipeFile, RecipeIndex};

/// A recipe whose driver a page is about: its editions and own variants, resolved.
struct Stack<'i> {
    file: &'i RecipeFile,
    /// The recipe's own choice of version first; then the other editions, then the variants.
    builds: Vec<Recipe>,
}

/// The page of a driver. `flags` are those with which the lab compiles every driver in C.
///
/// # Errors
/// If a recipe of it cannot be used.
pub fn page(folder: &DriverFolder, index: &RecipeIndex, flags: &str) -> Result<String, RecipeError> {
    let stacks = stacks(&folder.name, index)?;
    let mut text = format!("# {}\n\n{MADE}\n\n", folder.name);
    let shared = folder.shares.iter().map(|name| format!("[{name}]({name}.md)")).collect::<Vec<_>>();
    let with =
        if shared.is_empty() { String::new() } else { format!(", with code of {}", shared.join(", ")) };
    let (name, lines) = (&folder.name, folder.lines());
    add(&mut text, &format!("`drivers/{name}` has {lines} lines{with}. {}\n\n", folder.introduction()));
    add(&mut text, &format!("## {CHOICES}\n\n{}\n\n", folder.choices()));
    add(
        &mut text,
        "`tlslab stacks --capabilities STACK` prints the notes that the driver reports in every run.\n\n",
    );
    add(&mut text, "## How it is built\n");
    for stack in &stacks {
        describe(&mut text, stack, &folder.name, flags);
    }
    add(&mut text, &calls::table(folder));
    Ok(text)
}

/// The page that leads to the others, each with the stacks that its driver serves.
///
/// # Errors
/// If a recipe of them cannot be used.
pub fn contents(folders: &[DriverFolder], index: &RecipeIndex) -> Result<String, RecipeError> {
    let mut text = format!(
        "# Drivers, for review\n\n{MADE}\n\n{INTRODUCTION}\n\n| driver | stacks | lines |\n|---|---|---:|\n"
    );
    for folder in folders {
        let served = stacks(&folder.name, index)?;
        let names = served.iter().map(|stack| markdown_code(&stack.file.name)).collect::<Vec<_>>().join(", ");
        add(&mut text, &format!("| [{0}]({0}.md) | {names} | {1} |\n", folder.name, folder.lines()));
    }
    add(&mut text, "\nVariants of every build: ");
    let variants = index
        .variants()
        .map(|(name, title)| format!("{} ({})", markdown_code(&format!("+{name}")), markdown(title)));
    add(&mut text, &format!("{}.\n", variants.collect::<Vec<_>>().join(", ")));
    Ok(text)
}

const MADE: &str =
    "Made by `tlslab stacks --drivers DIR`, from the recipes in `stacks/` and the driver's folder.";

const INTRODUCTION: &str = "\
Each page is what somebody who knows the library needs to say whether its figures are fair: which options, callbacks and
caches are set or off and why, the exact commands and flags of its build, and every call of the library that the driver
makes. What is wrong there can be changed in the driver's folder or the recipe, and `tlslab run --suite conformance --stack STACK`
then tries every claim.";

fn stacks<'i>(folder: &str, index: &'i RecipeIndex) -> Result<Vec<Stack<'i>>, RecipeError> {
    let mut found = Vec::new();
    for file in index.files().iter().filter(|file| file.is_stack) {
        let own = index.with_version(&file.name);
        let mut names: Vec<String> = file.editions();
        names.sort_by_key(|name| *name != own);
        let default = names.first().cloned().unwrap_or_default();
        names.extend(file.variants().map(|variant| format!("{default}+{variant}")));
        let mut builds = names.iter().map(|name| index.named(name)).collect::<Result<Vec<_>, _>>()?;
        builds.retain(|recipe| recipe.driver.as_ref().is_some_and(|driver| driver.folder == folder));
        if !builds.is_empty() || file.driver_folders().contains(folder) {
            found.push(Stack { file, builds });
        }
    }
    Ok(found)
}

fn describe(text: &mut String, stack: &Stack<'_>, folder: &str, flags: &str) {
    let file = stack.file;
    add(text, &format!("\n### {}\n\n", markdown_code(&file.name)));
    if let Some(releases) = &file.releases {
        let package = markdown_code(&releases.package.name);
        let versions = markdown_code(&format!("tlslab versions {}", file.name));
        add(
            text,
            &format!(
                "Releases of the {} {package} can be built, too: {versions} lists them.\n\n",
                releases.package.registry
            ),
        );
    }
    let Some((first, others)) = stack.builds.split_first() else {
        add(text, &format!("Of its releases, those whose table says `driver = \"{folder}\"`.\n"));
        return;
    };
    add(
        text,
        &format!(
            "{}: {}, {}.\n\n",
            markdown_code(&first.name),
            markdown(&first.title),
            markdown(&first.licence)
        ),
    );
    let base = facts::list_all(first, flags);
    add(text, &facts::list(&base));
    for other in others {
        add(text, &format!("\n{}, {}:\n\n", markdown_code(&other.name), markdown(&other.title)));
        add(text, &facts::list(&facts::changed(&base, &facts::list_all(other, flags))));
    }
}

fn add(text: &mut String, more: &str) {
    // Writing to a text cannot fail.
    let _ = write!(text, "{more}");
}
