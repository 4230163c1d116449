//! A text as a recipe: what is taken holds nothing that a later stage would have to check again.

#![no_main]

use std::path::{Component, Path};

use libfuzzer_sys::fuzz_target;
use tlslab_build::Recipe;
use tlslab_build::recipe::{CBuild, Kind, Library, Origin, Placeholders, Source};

fuzz_target!(|text: &str| match Recipe::parse("stacks/fuzz.toml", text) {
    Ok(recipe) => is_checked(&recipe),
    Err(error) => {
        assert_eq!(error.file, "stacks/fuzz.toml");
        assert!(!error.key.is_empty() && !error.cause.is_empty() && !error.next_step.is_empty());
    }
});

fn is_checked(recipe: &Recipe) {
    assert_eq!(recipe.digest.len(), 64);
    assert!(stays_below(&recipe.name) && !recipe.name.is_empty());
    assert!(is_one_part(&recipe.driver));
    let tools = recipe.all_tools();
    assert!(tools.is_sorted() && tools.iter().all(|tool| is_one_part(tool)));
    if let Some(Source { origin, folder }) = recipe.source() {
        assert!(folder.components().all(|part| matches!(part, Component::Normal(_))));
        match origin {
            Origin::Crate { package, version, sha256 } => {
                assert!(is_one_part(package) && is_one_part(version) && is_digest(sha256));
            }
            Origin::Archive { sha256, .. } => assert!(is_digest(sha256)),
            // Both become arguments of a program.
            Origin::Git { repository, revision } => {
                assert!(!repository.is_empty() && !repository.starts_with('-'));
                assert!(!revision.is_empty() && !revision.starts_with('-'));
            }
            Origin::Checkout(_) => {}
        }
    }
    if let Kind::C(CBuild { library: Library::Built { steps, .. }, .. }) = &recipe.kind {
        let placeholders = Placeholders { prefix: Path::new("/prefix"), jobs: 2 };
        for command in &steps.commands {
            assert!(!command[0].is_empty());
            let filled: Vec<String> = command.iter().map(|word| placeholders.fill(word)).collect();
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
