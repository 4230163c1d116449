//! A text as a recipe: what is taken holds nothing that a later stage would have to check again.

#![no_main]

use std::path::{Component, Path};

use libfuzzer_sys::fuzz_target;
use tlslab_recipe::Recipe;
use tlslab_recipe::{Library, Origin, Placeholders};

fuzz_target!(|text: &str| match Recipe::parse("stacks/fuzz.toml", text) {
    Ok(recipe) => is_checked(&recipe),
    Err(error) => {
        assert!(!error.cause.is_empty() && !error.next_step.is_empty());
    }
});

fn is_checked(recipe: &Recipe) {
    assert_eq!(recipe.digest.len(), 64);
    assert!(stays_below(&recipe.name) && !recipe.name.is_empty());
    assert!(recipe.driver.as_ref().is_none_or(|driver| is_one_part(&driver.folder)));
    assert!(is_one_part(&recipe.compiler.cc) && is_one_part(&recipe.compiler.cxx));
    let tools = recipe.all_tools();
    assert!(tools.is_sorted() && tools.iter().all(|tool| is_one_part(tool)));
    for source in recipe.sources() {
        let folder = &source.folder;
        assert!(folder.components().all(|part| matches!(part, Component::Normal(_))));
        match &source.origin {
            Origin::Crate { package, version, sha256 } => {
                assert!(
                    is_one_part(package)
                        && is_one_part(version)
                        && sha256.as_deref().map_or(!source.patches.is_empty(), is_digest)
                );
            }
            Origin::Archive { sha256, .. } => assert!(is_digest(sha256)),
            Origin::Debian { package, file, sha256, .. } | Origin::Pypi { package, file, sha256, .. } => {
                assert!(is_one_part(package) && is_one_part(file) && is_digest(sha256));
            }
            // Both become arguments of a program.
            Origin::Git { repository, revision } => {
                assert!(!repository.is_empty() && !repository.starts_with('-'));
                assert!(!revision.is_empty() && !revision.starts_with('-'));
            }
            Origin::Checkout(_) => {}
        }
    }
    if let Some(Library::Built { steps, .. }) = &recipe.library {
        let placeholders = Placeholders::new(&recipe.compiler, &[]).prefix(Path::new("/prefix")).jobs(2);
        for command in &steps.commands {
            assert!(!command[0].is_empty());
            let filled = placeholders.fill_words(command);
            assert!(filled.iter().all(|word| !word.contains("{prefix}") && !word.contains("{jobs}")));
        }
    }
}

fn stays_below(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

fn is_one_part(word: &str) -> bool {
    stays_below(word) && Path::new(word).components().count() == 1 && !word.starts_with('-')
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
