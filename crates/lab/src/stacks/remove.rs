//! Removal of artifacts from the build cache.

use anyhow::ensure;
use tlslab_build::Holding;
use tlslab_recipe::Recipe;

use crate::session::cancel::Cancel;
use crate::session::environment::Environment;

/// The artifacts to remove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// Whether to remove those that no recipe uses.
    pub unused: bool,
    /// The stacks whose artifacts to remove, unless others use them: NAME in every version, or NAME@VERSION.
    pub stacks: Vec<String>,
    /// Whether to remove all artifacts.
    pub everything: bool,
}

/// The result of a removal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// The number of folders.
    pub folders: usize,
    /// Their size, bytes.
    pub bytes: u64,
}

/// Whether no recipe uses an artifact. Cargo's data between builds belong to no stack, so they are never
/// unused.
pub fn is_unused(holding: &Holding) -> bool {
    holding.used_by.is_empty() && holding.part != "work"
}

/// Removes some of the artifacts in the cache for these recipes.
///
/// # Errors
/// Fails if a stack does not exist, or if a folder cannot be removed.
pub fn remove(
    environment: &Environment,
    removal: &Removal,
    holdings: &[Holding],
    recipes: &[Recipe],
    cancel: &Cancel,
) -> anyhow::Result<Removed> {
    for stack in &removal.stacks {
        ensure!(
            recipes.iter().any(|recipe| is_named(&recipe.name, stack)),
            "no stack is called \"{stack}\"; `tlslab stacks` lists them"
        );
    }
    let mut removed = Removed::default();
    for holding in holdings.iter().filter(|holding| removal.has(holding)) {
        environment.builder().remove(holding, cancel.flag())?;
        removed.folders += 1;
        removed.bytes += holding.bytes;
    }
    Ok(removed)
}

impl Removal {
    fn has(&self, holding: &Holding) -> bool {
        let users = &holding.used_by;
        let only_of = |stack: &String| !users.is_empty() && users.iter().all(|user| is_named(user, stack));
        self.everything || self.unused && is_unused(holding) || self.stacks.iter().any(only_of)
    }
}

fn is_named(recipe: &str, stack: &str) -> bool {
    recipe == stack || recipe.split('@').next() == Some(stack)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_artifact_is_removed_only_with_all_its_users() {
        let holding = |users: &[&str], part: &str| Holding {
            part: part.to_owned(),
            key: "k".to_owned(),
            bytes: 1,
            used_by: users.iter().map(|user| (*user).to_owned()).collect(),
        };
        let of = |stack: &str| Removal { stacks: vec![stack.to_owned()], ..Removal::default() };
        assert!(of("a").has(&holding(&["a@1", "a@2"], "driver")));
        assert!(!of("a@1").has(&holding(&["a@1", "a@2"], "driver")));
        assert!(!of("a").has(&holding(&["a@1", "b@1"], "driver")));
        let unused = Removal { unused: true, ..Removal::default() };
        assert!(unused.has(&holding(&[], "driver")) && !unused.has(&holding(&["a"], "driver")));
        assert!(!unused.has(&holding(&[], "work")) && !of("a").has(&holding(&[], "driver")));
        assert!(Removal { everything: true, ..Removal::default() }.has(&holding(&["a"], "work")));
    }
}
