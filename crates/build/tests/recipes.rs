//! Recipes: those in the lab's tree, and errors of invalid ones.

use std::path::Path;

use proptest::prelude::*;
use tlslab_build::Builder;
use tlslab_recipe::Recipe;

#[test]
fn every_recipe_in_the_tree_is_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let index = Builder::new(&root, Path::new("unused")).recipe_index().unwrap();
    for file in index.files() {
        let path = Path::new(&file.file).strip_prefix(root.join("stacks")).unwrap().with_extension("");
        let name = path.strip_prefix("libraries").unwrap_or(&path);
        assert_eq!(name, Path::new(&file.name), "a recipe is called after its file");
        for variant in file.variants() {
            let name = format!("{}+{variant}", file.name);
            index.named(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
    for recipe in index.every_edition().unwrap() {
        let driver = &recipe.driver.as_ref().unwrap().folder;
        assert!(root.join("drivers").join(driver).is_dir(), "{} has no driver", recipe.name);
    }
    let everything: Vec<_> = index.every_edition().unwrap();
    let unknown: Vec<_> = tlslab_build::missing_tools(&everything, std::ffi::OsStr::new(""))
        .into_iter()
        .filter(|missing| missing.debian_package.is_none() && missing.tool != "cargo")
        .map(|missing| missing.tool)
        .collect();
    assert!(unknown.is_empty(), "there are no instructions to install {unknown:?}");
    let of_one_driver: Vec<&str> = index.settings().map(|(variant, _)| variant).collect();
    for (variant, _) in index.variants() {
        let stacks = if of_one_driver.contains(&variant) {
            &["openssl", "aws-lc"]
        } else {
            &["openssl", "rustls/ring"]
        };
        for stack in stacks {
            let name = format!("{stack}+{variant}");
            index.named(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn what_is_said_of_bad_recipes() {
    let head = "name = \"a\"\ntitle = \"A\"\nlicence = \"MIT\"\ndriver = \"d\"\n";
    let cargo = "[cargo]\npackage = \"p\"\n";
    let steps = "[build]\nsteps = [[\"make\"]]\n[link]\n";
    let bad = [
        "name = ".to_owned(),
        "name = \"a\"".to_owned(),
        format!("{head}colour = 1\n"),
        head.to_owned(),
        head.replace("\"a\"", "\"../a\""),
        head.replace("\"A\"", "\" \""),
        head.replace("\"d\"", "\"d/e\""),
        format!("{head}tools = [\"/usr/bin/perl\"]\n"),
        format!("{head}[cargo]\npackage = \"p\"\nversion = \"1.2\"\n"),
        format!("{head}{cargo}"),
        format!("{head}{cargo}version = \"1.2.3\"\n[link]\n"),
        format!("{head}{cargo}version = \"1.2.3\"\n{}", "[build]\nsteps = [[\"make\"]]\n"),
        format!("{head}{cargo}version = \"1.2.3\"\n[cargo.pins]\nring = \"^0.17\"\n"),
        format!("{head}[source]\ncrate = \"p\"\n{cargo}"),
        format!("{head}[link]\n"),
        format!("{head}[source]\n{steps}"),
        format!("{head}[source]\npath = \"p\"\n[link]\n"),
        format!("{head}[source]\npath = \"p\"\ngit = \"g\"\n{steps}"),
        format!("{head}[source]\npath = \"p\"\nfolder = \"../q\"\n{steps}"),
        format!("{head}[source]\ncrate = \"p\"\nversion = \"1.2.3\"\nsha256 = \"ABC\"\n{steps}"),
        format!("{head}[source]\ncrate = \"p\"\n{steps}"),
        format!("{head}[source]\narchive = \"a.tar.gz\"\n{steps}"),
        format!("{head}[source]\ngit = \"g\"\n{steps}"),
        format!("{head}[source]\ngit = \"g\"\nrevision = \"--upload-pack=x\"\n{steps}"),
        format!("{head}[source]\nsystem = \"openssl\"\n{steps}"),
        format!("{head}[source]\npath = \"p\"\n[build]\nsteps = [[]]\n[link]\n"),
        format!("{head}[source]\npath = \"p\"\n[build]\nsteps = [[\"make\", \"{{prfix}}\"]]\n[link]\n"),
    ];
    let said: Vec<String> = bad
        .iter()
        .map(|text| match Recipe::parse("stacks/a.toml", text) {
            Ok(recipe) => panic!("taken for a recipe: {text}\n{recipe:?}"),
            Err(error) => error.to_string(),
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn relative_paths_start_from_the_recipe() {
    let text = "name = \"a\"\ntitle = \"A\"\nlicence = \"MIT\"\ndriver = \"d\"\n[source]\npath = \"../p\"\n\
                [cargo]\npackage = \"p\"\n";
    let recipe = Recipe::parse("/lab/stacks/a.toml", text).unwrap();
    insta::assert_debug_snapshot!(recipe.sources()[0].origin, @r#"
    Checkout(
        "/lab/stacks/../p",
    )
    "#);
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text: String) {
        let _ = Recipe::parse("a.toml", &text);
    }

    #[test]
    fn no_value_makes_the_checks_panic(value in "[ -~]{0,12}|\\PC{0,6}", at in 0..12usize) {
        let mut values = vec!["1.2.3".to_owned(); 12];
        values[at] = value;
        let keys = ["name", "title", "licence", "driver"];
        let mut text: String = keys.iter().zip(&values).map(|(key, value)| format!("{key} = {value:?}\n")).collect();
        text += &format!("tools = [{:?}]\n[source]\ncrate = {:?}\nversion = {:?}\n", values[4], values[5], values[6]);
        text += &format!("sha256 = {:?}\nfolder = {:?}\n[build]\nsteps = [[{:?}]]\n", values[7], values[8], values[9]);
        text += &format!("env = {{ A = {:?} }}\n[link]\nargs = [{:?}]\n", values[10], values[11]);
        let _ = Recipe::parse("a.toml", &text);
    }
}
