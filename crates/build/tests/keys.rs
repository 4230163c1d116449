//! Changes that affect a key, and others that do not.

mod lab;

use std::sync::atomic::AtomicBool;

use lab::Lab;
use tlslab_build::{Builder, Stage};
use tlslab_recipe::Recipe;

/// The keys of the stages, in order.
fn keys(lab: &Lab, recipe: &Recipe) -> Vec<(Stage, String)> {
    keys_by(&lab.builder(), recipe)
}

fn keys_by(builder: &Builder, recipe: &Recipe) -> Vec<(Stage, String)> {
    let planned = builder.plan(std::slice::from_ref(recipe), &AtomicBool::new(false)).remove(0);
    let stages = planned.stages.unwrap();
    stages.into_iter().map(|stage| (stage.stage, stage.key.unwrap().to_string())).collect()
}

/// The stages whose keys an edit of the tree changes.
fn changed_by(edit: impl FnOnce(&Lab)) -> Vec<Stage> {
    let lab = Lab::new();
    let recipe = lab.recipe("demo", "path = \"../library\"");
    let before = keys(&lab, &recipe);
    edit(&lab);
    differing(&before, &keys(&lab, &recipe))
}

/// The stages whose keys an edit of the recipe changes.
fn changed_in_recipe(from: &str, to: &str) -> Vec<Stage> {
    let lab = Lab::new();
    assert!(RECIPE.contains(from));
    let before = keys(&lab, &lab.parse(RECIPE));
    differing(&before, &keys(&lab, &lab.parse(&RECIPE.replace(from, to))))
}

fn differing(before: &[(Stage, String)], after: &[(Stage, String)]) -> Vec<Stage> {
    assert_eq!(before.len(), after.len());
    before.iter().zip(after).filter(|(before, after)| before != after).map(|(before, _)| before.0).collect()
}

const RECIPE: &str = r#"
name = "demo"
title = "Demo"
licence = "MIT"
driver = "demo"
[source]
path = "../library"
[build]
env = { LEVEL = "3" }
steps = [["make", "install", "PREFIX={prefix}"]]
[link]
cflags = ["-DX"]
args = ["-lanswer"]
"#;

use Stage::{Driver, Kit, Prefix, Source};

#[test]
fn every_input_counts_where_it_goes_in() {
    assert_eq!(changed_by(|lab| lab.write("library/answer.c", "//")), [Source, Prefix, Driver]);
    assert_eq!(changed_by(|lab| lab.write("library/new.c", "//")), [Source, Prefix, Driver]);
    assert_eq!(changed_by(|lab| lab.write("crates/protocol/src/lib.rs", "//")), [Kit, Driver]);
    assert_eq!(changed_by(|lab| lab.write("crates/driver-kit/include/new.h", "//")), [Kit, Driver]);
    assert_eq!(changed_by(|lab| lab.write("drivers/demo/more.c", "//")), [Driver]);
    assert_eq!(changed_in_recipe("install", "install all"), [Prefix, Driver]);
    assert_eq!(changed_in_recipe("LEVEL = \"3\"", "LEVEL = \"2\""), [Prefix, Driver]);
    assert_eq!(changed_in_recipe("-DX", "-DY"), [Driver]);
    assert_eq!(changed_in_recipe("-lanswer", "-lquestion"), [Driver]);
}

#[test]
fn what_is_no_input_does_not_count() {
    assert_eq!(changed_by(|_| {}), []);
    assert_eq!(changed_by(|lab| lab.write("crates/build/src/lib.rs", "//")), []);
    assert_eq!(changed_by(|lab| lab.write("crates/driver-kit/tests/new.rs", "//")), []);
    assert_eq!(changed_by(|lab| lab.write("drivers/other/main.c", "//")), []);
    assert_eq!(changed_by(|lab| lab.edit("crates/driver-kit/Cargo.toml", "# A comment.", "")), []);
    // The kit has a profile of its own.
    assert_eq!(changed_by(|lab| lab.edit("Cargo.toml", "line-tables-only", "full")), []);
    assert_eq!(changed_by(|lab| lab.edit("Cargo.toml", "0.14", "0.15")), []);
    assert_eq!(changed_by(|lab| lab.edit("Cargo.lock", "0.14.0", "0.15.0")), []);
    assert_eq!(changed_in_recipe("name = \"demo\"", "name = \"another\""), []);
    assert_eq!(changed_in_recipe("\"Demo\"", "\"Another\""), []);
    assert_eq!(changed_in_recipe("MIT", "ISC"), []);
}

#[test]
fn a_driver_in_rust_has_a_key_of_its_own_inputs() {
    let lab = Lab::new();
    lab.write(
        "drivers/rust/Cargo.toml",
        "[package]\nname = \"d\"\nversion = \"0.1.0\"\n[dependencies]\nx = \"1\"\n",
    );
    lab.write("drivers/rust/Cargo.lock", "version = 4\n[[package]]\nname = \"x\"\nversion = \"1.2.3\"\n");
    lab.write("drivers/rust/src/main.rs", "");
    let text = "name = \"r\"\ntitle = \"R\"\nlicence = \"MIT\"\ndriver = \"rust\"\n[cargo]\npackage = \"x\"\n\
                version = \"1.2.3\"\nfeatures = [\"a\"]\n";
    let key = |text: &str| keys(&lab, &lab.parse(text)).remove(0);
    let first = key(text);
    assert_eq!(first.0, Driver, "the committed lock file has what the recipe asks for");
    assert_eq!(key(&text.replace("\"r\"", "\"s\"")), first);
    assert_ne!(key(&text.replace("[\"a\"]", "[\"b\"]")), first);
    assert_ne!(key(&format!("{text}default_features = false\n")), first);
    assert_ne!(key(&format!("{text}rustflags = [\"-Copt-level=2\"]\n")), first);
    let other = lab.parse(&text.replace("1.2.3", "1.2.4"));
    let planned = lab.builder().plan(&[other], &AtomicBool::new(false)).remove(0).stages.unwrap();
    let stages: Vec<_> = planned.iter().map(|stage| (stage.stage, stage.key.is_some())).collect();
    assert_eq!(stages, [(Stage::Versions, true), (Driver, false)]);
    for (file, content) in [
        ("src/main.rs", "//"),
        ("Cargo.lock", "version = 4\n[[package]]\nname = \"x\"\nversion = \"1.2.3\"\nchecksum = \"0\"\n"),
    ] {
        let before = key(text);
        lab.write(&format!("drivers/rust/{file}"), content);
        assert_ne!(key(text), before, "{file} counts");
    }
    let before = key(text);
    lab.edit("Cargo.toml", "line-tables-only", "full");
    assert_eq!(key(text), before, "the profile of the lab is not the driver's");
}

#[test]
fn tools_count_by_what_they_write_into_a_product() {
    let lab = Lab::new();
    let recipe =
        lab.parse(&RECIPE.replace("[source]", "tools = [\"perl\", \"make\", \"generate\"]\n[source]"));
    let tools = |[perl, again, make, generate]: [&str; 4]| {
        lab.write_tool("perl", &format!("echo; echo perl {perl} # {again}"));
        lab.write_tool("make", &format!("exec /usr/bin/make \"$@\" # {make}"));
        lab.write_tool("generate", &format!("# {generate}"));
        keys_by(&lab.builder_with_tools(), &recipe)
    };
    let first = tools(["1", "a", "a", "a"]);
    assert_eq!(differing(&first, &tools(["1", "b", "b", "a"])), []);
    assert_eq!(differing(&first, &tools(["2", "a", "a", "a"])), [Prefix, Driver]);
    assert_eq!(differing(&first, &tools(["1", "a", "a", "b"])), [Prefix, Driver]);
}
