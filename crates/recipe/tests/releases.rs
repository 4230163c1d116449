//! Versions without a table: ranges, and lists of registries.

use std::collections::BTreeMap;
use std::sync::Arc;

use tlslab_recipe::{Listed, Origin, Package, RecipeFile, RecipeIndex, Registries};

const LIBRARY: &str = r#"
name = "library"
title = "A library"
licence = "MIT"
driver = "c"
version = "2.0.0"
[options]
configure = ["new"]
[build]
steps = [["configure", "{configure}"]]
[link]
args = ["-l"]
[releases]
crate = "library-src"
named = "metadata"
[releases.lay]
source = { crate = "library-src", version = "{version}", sha256 = "{sha256}" }
[versions."<2"]
options = { configure = ["old"] }
[versions."2.0.0"]
source = { crate = "library-src", version = "20.0.0", sha256 = "aa" }
"#;

const RUST: &str = r#"
name = "rust"
title = "A library in Rust"
licence = "MIT"
driver = "new"
[cargo]
package = "library"
version = "0.23.0"
[versions."<0.22"]
driver = "old"
"#;

/// A registry that knows these versions, or cannot be reached.
struct Known(Option<&'static [&'static str]>);

impl Registries for Known {
    fn list(&self, package: &Package, _: &dyn Fn(&[Listed]) -> bool) -> Result<Vec<Listed>, String> {
        assert!(package.name.starts_with("library"), "{package:?}");
        let listed = |version: &&str| Listed {
            version: (*version).to_owned(),
            sha256: Some("ab".repeat(32)),
            published: None,
            is_withdrawn: false,
        };
        Ok(self.0.ok_or("no network")?.iter().map(listed).collect())
    }
}

fn index(known: Option<&'static [&'static str]>) -> RecipeIndex {
    let digest = "ab".repeat(32);
    let texts = [LIBRARY.replace("\"aa\"", &format!("\"{digest}\"")), RUST.to_owned()];
    let files = texts.iter().map(|text| RecipeFile::parse("stacks/x.toml", text).unwrap()).collect();
    RecipeIndex::new(files, BTreeMap::new()).unwrap().with_registries(Arc::new(Known(known)))
}

fn built(index: &RecipeIndex, name: &str) -> (String, String) {
    let recipe = index.named(name).unwrap_or_else(|error| panic!("{error}"));
    let Some(tlslab_recipe::Library::Built { source, steps }) = &recipe.library else { panic!("{recipe:?}") };
    let Origin::Crate { version, .. } = &source.origin else { panic!("{source:?}") };
    (version.clone(), steps.commands[0][1].clone())
}

#[test]
fn a_release_that_a_registry_lists_needs_no_table() {
    let index = index(Some(&["11.0.0+1.1.1w", "20.0.0+2.0.0", "21.0.0+2.1.0"]));
    assert_eq!(built(&index, "library@2.1.0"), ("21.0.0".to_owned(), "new".to_owned()));
    assert_eq!(built(&index, "library@1.1.1w"), ("11.0.0".to_owned(), "old".to_owned()), "by its range");
    let names: Vec<String> =
        index.releases("library").unwrap().unwrap().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["1.1.1w", "2.0.0", "2.1.0"]);
}

#[test]
fn a_version_that_cannot_be_had_is_refused_with_those_near_it() {
    let index = index(Some(&["11.0.0+1.1.1w", "20.0.0+2.0.0", "21.0.0+2.1.0"]));
    let error = index.named("library@2.0.5").unwrap_err().to_string();
    let expected =
        "library has no version 2.0.5; near it are 1.1.1w, 2.0.0, 2.1.0; `tlslab versions library` lists all";
    assert_eq!(error, expected);
}

#[test]
fn what_has_a_table_needs_no_registry() {
    let index = index(None);
    assert_eq!(built(&index, "library").0, "20.0.0");
    let error = index.named("library@2.1.0").unwrap_err().to_string();
    assert!(error.contains("no network") && error.contains("try again"), "{error}");
    // Cargo asks the registry itself.
    assert!(index.named("rust@0.23.5").is_ok());
}

#[test]
fn a_range_may_choose_another_driver() {
    let index = index(Some(&["0.21.7", "0.23.0", "0.23.5"]));
    let driver = |name: &str| index.named(name).unwrap().driver.unwrap().folder;
    assert_eq!([driver("rust"), driver("rust@0.23.5"), driver("rust@0.21.7")], ["new", "new", "old"]);
    assert!(
        index.named("rust@0.21.9").unwrap_err().to_string().contains("near it are 0.21.7, 0.23.0, 0.23.5")
    );
}

#[test]
fn what_is_no_range_or_names_no_package_is_refused() {
    for (text, expected) in [
        (RUST.replace("<0.22", "<x y"), "is not a range of versions"),
        (LIBRARY.replace("crate = \"library-src\"\nnamed", "named"), "it must name one package"),
        (LIBRARY.replace("named = \"metadata\"", "only = \"3\""), "is not a range"),
    ] {
        let error = RecipeFile::parse("stacks/x.toml", &text).map(drop).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
