//! Files of one's own: optional keys, errors, and the effect of an error on other files.

use tlslab_scenario::{Catalogue, Family, SourceFile, Suite};

fn file(path: &str, text: &str, is_own: bool) -> SourceFile {
    SourceFile { path: path.to_owned(), text: text.to_owned(), is_own }
}

#[test]
fn everything_but_what_a_suite_is_of_may_be_left_out() {
    let empty = Family::parse("scenarios/mine.toml", "").unwrap().remove(0);
    assert_eq!((empty.title.as_str(), empty.scenarios.len()), ("mine", 1));
    assert_eq!(empty.scenarios[0].name, "mine");
    let two = Family::parse(
        "scenarios/mine.toml",
        "[axes]\ngroup = [\"x25519\", \"p-256\"]\nhello_retry = [false, true]",
    )
    .unwrap();
    let names: Vec<&str> = two[0].scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    assert_eq!(
        names,
        ["mine/x25519/direct", "mine/x25519/hello-retry", "mine/p-256/direct", "mine/p-256/hello-retry"]
    );
    let suite = Suite::parse("f", "mine", "scenarios = [\"mine/**\"]").unwrap();
    assert_eq!((suite.title.as_str(), suite.budget_s, suite.rounds), ("mine", 60.0, 16));
    assert!(Suite::parse("f", "mine", "").unwrap_err().to_string().contains("missing field `scenarios`"));
}

#[test]
fn all_mistakes_of_a_file_are_reported_at_once() {
    let text = "titel = \"a\"\nwork = \"dance\"\n\n[axes]\nversion = \"1.4\"\ngruop = \"x25519\"\n";
    insta::assert_snapshot!(Family::parse("mine.toml", text).unwrap_err());
    let text = "budget_s = \"long\"\nround = 3\nmetrics = [\"speed\"]\n";
    insta::assert_snapshot!(Suite::parse("suites/mine.toml", "mine", text).unwrap_err());
    let text = "scenarios = []\nbudget_s = 0\nrounds = 0\n";
    insta::assert_snapshot!(Suite::parse("suites/mine.toml", "mine", text).unwrap_err());
}

#[test]
fn a_mistake_in_a_file_of_ones_own_concerns_that_file_alone() {
    let files = [
        file("scenarios/suites/wrong.toml", "rounds = \"x\"", true),
        file("scenarios/suites/few.toml", "scenarios = [\"lab\"]\nrounds = 4", true),
        file("scenarios/suites/right.toml", "scenarios = [\"lab\"]\nrounds = 40", true),
        file("scenarios/broken.toml", "work = 3", true),
        file("scenarios/again.toml", "name = \"lab\"", true),
        file("scenarios/suites/right.toml", "scenarios = [\"lab\"]\nrounds = 9", false),
        file("scenarios/lab.toml", "", false),
    ];
    let catalogue = Catalogue::parse(&files).unwrap();
    // The user's own suite replaces the lab's.
    assert_eq!(catalogue.suite("right").unwrap().rounds, 40);
    assert_eq!(catalogue.select(&["**"]).unwrap().len(), 1);
    let broken: Vec<&str> = catalogue.broken.iter().map(|(stem, _)| stem.as_str()).collect();
    assert_eq!(broken, ["wrong", "few", "broken", "again"]);
    // A request for it returns the error.
    assert!(catalogue.suite("wrong").unwrap_err().to_string().contains("expected u32"));
    insta::assert_snapshot!(catalogue.suite("few").unwrap_err(), @"scenarios/suites/few.toml: rounds = 4 is too few for an interval; write at least 8, or omit it for 16");
    assert!(catalogue.select(&["broken/**"]).unwrap_err().to_string().contains("scenarios/broken.toml"));
    // An invalid file of the lab's is a bug, which nothing hides.
    assert!(Catalogue::parse(&[file("scenarios/lab.toml", "work = 3", false)]).is_err());
}
