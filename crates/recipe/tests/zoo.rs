//! Recipes of the zoo: each is rejected.

#[path = "../../../tests/zoo/mod.rs"]
mod zoo;

use tlslab_recipe::Recipe;
use zoo::{judge, try_all};

#[test]
fn recipes() {
    try_all("recipes", 1, |specimen| {
        let error = Recipe::parse("stacks/demo.toml", &specimen.text).err().map(|error| error.to_string());
        judge(specimen, error.as_deref())
    });
}
