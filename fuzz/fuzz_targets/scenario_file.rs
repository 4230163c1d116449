//! A text as a scenario file, as a suite, and as a pattern over scenario names.

#![no_main]

use std::collections::HashSet;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tlslab_scenario::{Catalogue, Family, ScenarioError, SourceFile, Suite};

/// The repository's own scenarios, for a suite's patterns to choose from.
static CURATED: LazyLock<Catalogue> = LazyLock::new(|| {
    Catalogue::parse(&[
        file("curated/handshake.toml", include_str!("../../scenarios/curated/handshake.toml")),
        file("curated/transfer.toml", include_str!("../../scenarios/curated/transfer.toml")),
    ])
    .expect("the repository's scenarios resolve")
});

/// Scenarios of a family that are looked for by their names; more would only take time.
const LOOKED_FOR: usize = 4;

fuzz_target!(|text: &str| {
    if let Ok(families) = Family::parse("fuzz.toml", text) {
        resolves(&families, text);
    }
    if let Ok(suite) = Suite::parse("suites/fuzz.toml", "fuzz", text) {
        chooses(&suite, text);
    }
    if let Some(pattern) = text.lines().next() {
        let _ = CURATED.select(&[pattern]);
    }
});

fn resolves(families: &[Family], text: &str) {
    let scenarios: Vec<_> = families.iter().flat_map(|family| family.scenarios.clone()).collect();
    let names: HashSet<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    let catalogue = match Catalogue::parse(&[file("fuzz.toml", text)]) {
        Ok(catalogue) => catalogue,
        Err(cause) => {
            assert!(names.len() < scenarios.len(), "families that are no catalogue: {cause}");
            return;
        }
    };
    assert_eq!(names.len(), scenarios.len());
    assert_eq!(catalogue.families, families);
    assert_eq!(catalogue.select(&["**"]).expect("a family has scenarios"), scenarios);
    for scenario in scenarios.iter().take(LOOKED_FOR) {
        let found = catalogue.select(&[&scenario.name]).expect("a name is a pattern that matches itself");
        assert_eq!(found, [scenario.clone()]);
    }
    // Scenarios without a name have that of their file.
    let twice = Catalogue::parse(&[file("fuzz.toml", text), file("again/fuzz.toml", text)]);
    assert!(matches!(twice, Err(ScenarioError::SameName { .. })));
}

fn chooses(suite: &Suite, text: &str) {
    let catalogue = Catalogue::parse(&[file("suites/fuzz.toml", text)]).expect("a suite is a catalogue");
    assert_eq!(catalogue.suite("fuzz").expect("it has its file's name"), suite);
    if let Ok(chosen) = CURATED.select(&suite.scenarios) {
        assert!(suite.scenarios.is_empty() || !chosen.is_empty());
        assert!(chosen.iter().all(|scenario| CURATED.scenarios().any(|known| known == scenario)));
    }
}

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), text: text.to_owned(), is_own: false }
}
