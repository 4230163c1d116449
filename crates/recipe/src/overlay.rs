//! Merging of tables. Pure.

use toml::{Table, Value};

use crate::settings;

/// Merges `over` into `base`: tables merge, needs and tools add up, everything else is replaced.
pub(crate) fn lay_over(base: &mut Table, over: &Table) {
    lay(base, over, true);
}

fn lay(base: &mut Table, over: &Table, is_top: bool) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            // A source is replaced as a whole: a path with another source's checksum would be invalid.
            (Some(Value::Table(below)), Value::Table(above)) if key != "source" => lay(below, above, false),
            (Some(Value::Array(below)), Value::Array(above)) if is_top && ADDS_UP.contains(&key.as_str()) => {
                for value in above {
                    // Another edition of the same need takes its place.
                    below.retain(|known| stem(known) != stem(value));
                    below.push(value.clone());
                }
            }
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}

/// The part of a variant's tables that applies to the recipe. `None` if nothing applies.
pub(crate) fn applicable(variant: &Table, recipe: &Table) -> Option<Table> {
    let applies = |key: &str| match key {
        "build" | "link" | "cargo" | "make" => recipe.contains_key(key),
        // The compilers are for libraries in C; cargo has its own table.
        "compiler" => !recipe.contains_key("cargo"),
        settings::KEY => variant.get(key).is_some_and(|settings| settings::apply_to(settings, recipe)),
        _ => true,
    };
    let left: Table = variant
        .iter()
        .filter(|(key, _)| applies(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let changes = |key: &String| !matches!(key.as_str(), "title" | "tools");
    left.keys().any(changes).then_some(left)
}

/// The placeholder of a need, regardless of its edition; a tool's own name.
fn stem(need: &Value) -> &str {
    let need = need.as_str().unwrap_or_default();
    need.split(['@', '+', ',']).next().filter(|stem| !stem.is_empty()).unwrap_or(need)
}

const ADDS_UP: [&str; 2] = ["needs", "tools"];

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn tables_merge_and_the_rest_is_replaced() {
        let mut base = table(
            "a = 1\ntools = ['x']\nsource = { crate = 'c', sha256 = '0' }\nlink = { args = [1], b = 2 }",
        );
        lay_over(
            &mut base,
            &table("a = 2\ntools = ['x', 'y']\nsource = { path = 'p' }\nlink = { args = [] }"),
        );
        assert_eq!(
            base,
            table("a = 2\ntools = ['x', 'y']\nsource = { path = 'p' }\nlink = { args = [], b = 2 }")
        );
    }

    #[test]
    fn another_edition_of_a_need_takes_its_place() {
        let mut base = table("needs = ['gmp+fat', 'nettle']\ntools = ['c++']");
        lay_over(&mut base, &table("needs = ['gmp']\ntools = ['c++', 'm4']"));
        assert_eq!(base, table("needs = ['nettle', 'gmp']\ntools = ['c++', 'm4']"));
    }

    #[test]
    fn a_variant_applies_where_there_is_something_to_change() {
        let variant = table("tools = ['clang']\ncompiler = { cc = 'clang' }");
        assert_eq!(applicable(&variant, &table("link = {}")), Some(variant.clone()));
        assert_eq!(applicable(&variant, &table("cargo = {}")), None);
        assert_eq!(applicable(&table("run = {}"), &table("cargo = {}")), Some(table("run = {}")));
    }
}
