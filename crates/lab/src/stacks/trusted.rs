//! Which stacks consist only of the lab's own files and of released sources.

use std::path::{Path, PathBuf};

use tlslab_build::Trees;
use tlslab_recipe::{Origin, Place, Recipe, Spec, is_remote};

/// The folders of a tree that influence what is built and run.
const OF_A_TREE: [&str; 3] = ["stacks", "drivers", "variants"];

/// Whether a stack is one of the lab's tree at a released version. It is not if a user's own folder takes
/// part, if the stack's name has a source of its own, or if a job has checked out the lab's tree: then it may
/// be a proposal.
pub fn is_trusted(recipe: &Recipe, trees: &Trees, checkouts: &[PathBuf]) -> bool {
    let has_own = trees.own.as_ref().is_some_and(|own| OF_A_TREE.iter().any(|name| own.join(name).exists()));
    let is_proposal = checkouts.iter().any(|checkout| is_within(&trees.lab, checkout));
    !has_own && !is_proposal && is_of_tree(recipe, &trees.lab)
}

fn is_of_tree(recipe: &Recipe, lab: &Path) -> bool {
    let is_known = |source: &&tlslab_recipe::Source| {
        is_published(&source.origin) && source.patches.iter().all(|patch| is_within(patch, lab))
    };
    is_released(&recipe.name)
        && is_within(Path::new(&recipe.file), lab)
        && recipe.sources().iter().all(is_known)
        && recipe.needs.iter().all(|need| is_of_tree(&need.recipe, lab))
}

/// Whether a name uses the recipe's sources, at most at another version.
fn is_released(name: &str) -> bool {
    Spec::parse(name).is_ok_and(|spec| spec.places().all(|place| *place == Place::System))
}

/// Whether every user gets the same source there.
fn is_published(origin: &Origin) -> bool {
    match origin {
        Origin::Crate { .. } | Origin::Debian { .. } | Origin::Pypi { .. } => true,
        Origin::Archive { location, .. } => is_remote(location),
        Origin::Git { repository, .. } => !Path::new(repository).exists(),
        Origin::Checkout(_) => false,
    }
}

fn is_within(path: &Path, folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    folder.is_absolute() && real(path).starts_with(real(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_brings_a_source_is_no_release() {
        for name in ["rustls/ring", "rustls/ring@0.23.35", "openssl+debug", "rustls/ring,ring=0.17.14"] {
            assert!(is_released(name), "{name}");
        }
        let archive = format!("openssl@archive:a.tar#{}", "0".repeat(64));
        for name in [
            "rustls/ring@path:.",
            "rustls/ring@patch:a.patch",
            "openssl@git:https://example.com/a.git#main",
            "openssl@git:#main",
            &archive,
            "rustls/ring,ring=path:ring",
            "rustls/ring,ring=git:https://example.com/ring.git#main",
            "",
        ] {
            assert!(!is_released(name), "{name}");
        }
    }

    #[test]
    fn what_a_job_has_checked_out_is_a_proposal_even_if_it_is_the_lab() {
        let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let builder = tlslab_build::Builder::new(&lab, folder.path());
        let recipe = builder.recipe_index().unwrap().named("rustls/ring").unwrap();
        let mut trees = Trees { lab: lab.clone(), own: None };
        assert!(is_trusted(&recipe, &trees, &[]));
        assert!(is_trusted(&recipe, &trees, &[folder.path().to_owned()]));
        assert!(!is_trusted(&recipe, &trees, std::slice::from_ref(&lab)));
        assert!(!is_trusted(&recipe, &trees, &[lab.parent().unwrap().to_owned()]));

        // A user's own folder may replace drivers of the lab.
        trees.own = Some(folder.path().to_owned());
        assert!(is_trusted(&recipe, &trees, &[]), "it has settings at most");
        std::fs::create_dir(folder.path().join("drivers")).unwrap();
        assert!(!is_trusted(&recipe, &trees, &[]));

        trees.own = None;
        let patched = Recipe { name: "rustls/ring@patch:a.patch".to_owned(), ..recipe.clone() };
        assert!(!is_trusted(&patched, &trees, &[]));
        let elsewhere = Recipe { file: "/elsewhere/stacks/rustls.toml".to_owned(), ..recipe };
        assert!(!is_trusted(&elsewhere, &trees, &[]));
    }

    #[test]
    fn every_recipe_of_the_lab_is_trusted() {
        let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let index = tlslab_build::Builder::new(&lab, folder.path()).recipe_index().unwrap();
        let trees = Trees { lab, own: None };
        for file in index.files().iter().filter(|file| file.is_stack) {
            let recipe = index.named(&file.name).unwrap();
            assert!(is_trusted(&recipe, &trees, &[]), "{}", recipe.name);
        }
    }
}
