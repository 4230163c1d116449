//! `tlslab stacks`: what there is, in which state, and how to build it.

use anyhow::Context;
use comfy_table::{ContentArrangement, Table, presets};
use tlslab_lab::{Cancel, Environment, StackState, stack_states};
use tlslab_protocol::Description;
use tlslab_recipe::{Recipe, Shelf};

use crate::Ended;
use crate::capabilities::{document, drift, section};
use crate::cli::{StacksArgs, StacksFormat};

/// Lists stacks, or says what they can do.
pub fn stacks(environment: &Environment, args: &StacksArgs) -> anyhow::Result<Ended> {
    let shelf = environment.shelf()?;
    let recipes = match args.stacks.is_empty() {
        true => shelf.every_edition()?,
        false => args.stacks.iter().map(|name| shelf.named(name)).collect::<Result<_, _>>()?,
    };
    let states = stack_states(environment, &recipes, &Cancel::new());
    let broken = states.iter().any(|(_, state)| matches!(state, StackState::Broken(_)));
    let has_drifted = match args.capabilities {
        true => capabilities(environment, args, &states)?,
        false => {
            list(&recipes, &states);
            list_variants(&shelf);
            false
        }
    };
    Ok(if broken || has_drifted { Ended::WithFailures } else { Ended::Well })
}

fn list(recipes: &[Recipe], states: &[(String, StackState)]) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["stack", "version, as it reports itself", "licence", "state"]);
    for (recipe, (_, state)) in recipes.iter().zip(states) {
        let version = state.description().map_or_else(|| "-".to_owned(), version);
        let state = match state {
            StackState::Built(..) => "built".to_owned(),
            StackState::Broken(reason) => format!("failed: {reason}"),
            StackState::NotBuilt => "not built".to_owned(),
        };
        table.add_row([recipe.name.clone(), version, recipe.licence.clone(), state]);
    }
    println!("{table}\n");
    println!("`tlslab build STACK` builds one; a name without @ is the recipe's own choice of version.");
}

fn list_variants(shelf: &Shelf) {
    println!("\nVariants, such as openssl+lto:");
    for (name, title) in shelf.variants() {
        println!("  +{name:14} {title}");
    }
    for file in shelf.files().iter().filter(|file| file.is_stack) {
        let own: Vec<String> = file.variants().map(|variant| format!("+{variant}")).collect();
        if !own.is_empty() {
            println!("  {}: {}", file.name, own.join(" "));
        }
    }
}

/// Prints what the built ones can do. Whether a committed table says otherwise.
fn capabilities(
    environment: &Environment,
    args: &StacksArgs,
    states: &[(String, StackState)],
) -> anyhow::Result<bool> {
    let catalogue = environment.catalogue()?;
    let scenarios = catalogue.select(&catalogue.suite(CONFORMANCE)?.scenarios)?;
    let sections: Vec<(&String, String)> = states
        .iter()
        .filter_map(|(name, state)| Some((name, section(name, state.description()?, &scenarios))))
        .collect();
    let Some(file) = &args.check else {
        let texts: Vec<String> = sections.into_iter().map(|(_, text)| text).collect();
        match args.format {
            StacksFormat::Markdown => print!("{}", document(&texts)),
            StacksFormat::Table => print!("{}", texts.join("\n")),
        }
        return Ok(false);
    };
    let committed =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let drifted: Vec<String> =
        sections.iter().flat_map(|(name, text)| drift(name, text, &committed)).collect();
    for line in &drifted {
        println!("{line}");
    }
    println!("{} stacks compared, {} differences", sections.len(), drifted.len());
    Ok(!drifted.is_empty())
}

/// The suite that has every value of every axis.
const CONFORMANCE: &str = "conformance";

fn version(description: &Description) -> String {
    let library = &description.library;
    let parts: Vec<String> =
        library.components.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let with = if parts.is_empty() { String::new() } else { format!(" with {}", parts.join(", ")) };
    format!("{} {}{with}", library.name, library.version)
}
