//! The tables of the settings of programs are generated from the variants that have them. `UPDATE=1` writes
//! them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use tlslab_build::Builder;
use tlslab_recipe::{Settings, SettingsSide};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const PAGE: &str = "docs/methodology/settings.md";
const BEGIN: &str = "<!-- settings: written by `UPDATE=1 cargo test --workspace --test settings_page` -->\n";
const END: &str = "<!-- /settings -->\n";

/// The number that a side sets, or a flag's state, in words.
fn words(side: SettingsSide, name: &str, number: u32) -> String {
    let is_flag =
        ["SSL_OP_", "SSL_MODE_", "SSL_SESS_CACHE_", "X509_V_FLAG_"].iter().any(|of| name.starts_with(of));
    let state = match (is_flag, number) {
        (true, 0) => "off".to_owned(),
        (true, _) => "on".to_owned(),
        _ => number.to_string(),
    };
    match side {
        SettingsSide::Both => state,
        side => format!("{state}, {}", side.as_str()),
    }
}

fn tables(all: &BTreeMap<String, Settings>) -> String {
    let mut rows: BTreeMap<&str, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for (variant, settings) in all {
        for place in &settings.places {
            for (name, number) in &place.set {
                rows.entry(name)
                    .or_default()
                    .entry(variant)
                    .or_default()
                    .push(words(place.side, name, *number));
            }
        }
    }
    let variants: Vec<String> = all.keys().map(|variant| format!("`+{variant}`")).collect();
    let mut text = format!("| setting | {} |\n|---|{}\n", variants.join(" | "), "---|".repeat(all.len()));
    for (name, by_variant) in rows {
        let cells =
            all.keys().map(|variant| match by_variant.get(variant.as_str()).map(|said| said.as_slice()) {
                None => String::new(),
                // Both sides by a place each.
                Some([one, other]) if one.split(',').next() == other.split(',').next() => {
                    one.split(',').next().unwrap().to_owned()
                }
                Some(said) => said.join("; "),
            });
        writeln!(text, "| `{name}` | {} |", cells.collect::<Vec<_>>().join(" | ")).unwrap();
    }
    text.push_str("\nWhere each is set:\n\n| program | place | settings |\n|---|---|---|\n");
    for settings in all.values() {
        let mut program = format!("[{}]({})", settings.program, settings.source);
        for place in &settings.places {
            let names: Vec<&str> = place.set.keys().map(String::as_str).collect();
            let (function, address) = (&place.function, settings.address(place));
            let file = place.file.rsplit('/').next().unwrap();
            writeln!(text, "| {program} | [{file}, `{function}`]({address}) | {} |", shortened(&names))
                .unwrap();
            program.clear();
        }
    }
    text
}

/// The names, with a beginning that several share once.
fn shortened(names: &[&str]) -> String {
    let mut said = String::new();
    let mut last = "";
    for name in names {
        let beginning = ["SSL_OP_", "SSL_MODE_", "SSL_SESS_CACHE_", "X509_V_FLAG_"]
            .into_iter()
            .find(|beginning| name.starts_with(beginning))
            .unwrap_or_default();
        let is_same = !beginning.is_empty() && beginning == last;
        let shown = if is_same { &name[beginning.len() - 1..] } else { name };
        let comma = if said.is_empty() { "" } else { ", " };
        write!(said, "{comma}`{shown}`").unwrap();
        last = beginning;
    }
    said
}

#[test]
fn the_tables_are_what_the_variants_have() {
    let root = Path::new(ROOT);
    let index = Builder::new(root, Path::new("unused")).recipe_index().unwrap();
    let all: BTreeMap<String, Settings> =
        index.settings().map(|(variant, settings)| (variant.to_owned(), settings)).collect();
    assert!(all.len() >= 6, "{:?}", all.keys());
    let page = std::fs::read_to_string(root.join(PAGE)).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let made = format!("{before}{BEGIN}{}{END}{after}", tables(&all));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(root.join(PAGE), made).unwrap();
    } else {
        assert!(page == made, "`UPDATE=1 cargo test --workspace --test settings_page` writes {PAGE}");
    }
}

/// Each setting of a variant is one of the driver's list.
#[test]
fn the_driver_knows_every_setting() {
    let root = Path::new(ROOT);
    let index = Builder::new(root, Path::new("unused")).recipe_index().unwrap();
    for (variant, settings) in index.settings() {
        let driver = root.join("drivers").join(&settings.driver).join("settings.c");
        let source = std::fs::read_to_string(driver).unwrap();
        for name in settings.places.iter().flat_map(|place| place.set.keys()) {
            let is_listed =
                source.contains(&format!(", {name}),")) || source.contains(&format!("{{\"{name}\","));
            assert!(is_listed, "{variant}: {name}");
        }
    }
}
