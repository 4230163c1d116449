//! `tlslab stacks`: the stacks, their state, and how to build them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use serde_json::Value;
use tlslab_job::Status;
use tlslab_lab::{Cancel, Environment, StackState, driver_pages, stack_states, write_driver_pages};
use tlslab_protocol::Description;
use tlslab_recipe::{Recipe, RecipeIndex};
use tlslab_scenario::capabilities::StackCapabilities;
use tlslab_text::Listing;
use tlslab_text::number::counted;

use crate::cli::{Invocation, ListFormat};
use crate::session::Lab;

/// Arguments of `stacks`.
#[derive(Args)]
pub(crate) struct StacksArgs {
    /// The stacks, in any version, source or variant [default: every version of every recipe].
    #[arg(value_name = "STACK")]
    pub stacks: Vec<String>,
    /// Show the capabilities of each built stack, and the reasons for those that it lacks.
    #[arg(long)]
    pub capabilities: bool,
    /// Compare the capabilities of the built stacks with a file that --format json has printed; differences
    /// end with status 3.
    #[arg(long, value_name = "FILE", requires = "capabilities")]
    pub check: Option<PathBuf>,
    /// Write a page for each driver into this folder, for experts on the library: choices that affect
    /// results, the build, the calls of the library. No stack has to be built.
    #[arg(long, value_name = "DIR", conflicts_with = "capabilities")]
    pub drivers: Option<PathBuf>,
    /// The output format. With --capabilities, JSON is what --check and `tlslab site` read.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Lists stacks, or prints their capabilities.
pub(crate) fn stacks(lab: &Lab, args: &StacksArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let environment = &lab.environment;
    let index = environment.recipe_index()?;
    for cause in index.broken() {
        errln!("skipped: {cause}");
    }
    let recipes = match args.stacks.is_empty() {
        true => index.every_edition()?,
        false => args.stacks.iter().map(|name| index.named(name)).collect::<Result<_, _>>()?,
    };
    if let Some(folder) = &args.drivers {
        for file in write_driver_pages(folder, &driver_pages(environment, &index, &recipes)?)? {
            outln!("{}", file.display());
        }
        return Ok(Status::Done);
    }
    let states = stack_states(environment, &lab.isolation, &recipes, &Cancel::new())?;
    let broken = states.iter().any(|(_, state)| matches!(state, StackState::Broken(_)));
    let has_drifted = match args.capabilities {
        true => capabilities(environment, &index, args, &states)?,
        false => {
            list(&recipes, &states, args.format);
            if args.format == ListFormat::Table {
                let next = "`tlslab build STACK` builds one; a name without @ is the recipe's own choice of version.";
                outln!("\n{}", invocation.complete(next));
                list_variants(&index);
            }
            false
        }
    };
    Ok(if broken || has_drifted { Status::WithFailures } else { Status::Done })
}

fn list(recipes: &[Recipe], states: &[(String, StackState)], format: ListFormat) {
    let mut listing = Listing::new(["stack", "reported version", "licence", "state"]);
    for (recipe, (_, state)) in recipes.iter().zip(states) {
        let version = state.description().map(version);
        let state = match state {
            StackState::Built(..) => "built".to_owned(),
            StackState::Broken(reason) => format!("failed: {reason}"),
            StackState::NotBuilt => "not built".to_owned(),
        };
        let (name, licence) = (recipe.name.clone(), recipe.licence.clone());
        listing.add([Value::from(name), Value::from(version), Value::from(licence), Value::from(state)]);
    }
    out!("{}", listing.text(format.into()));
}

fn list_variants(index: &RecipeIndex) {
    outln!("\nVariants, such as openssl+lto:");
    for (name, title) in index.variants() {
        outln!("  +{name:14} {title}");
    }
    for file in index.files().iter().filter(|file| file.is_stack) {
        let own: Vec<String> = file.variants().map(|variant| format!("+{variant}")).collect();
        if !own.is_empty() {
            outln!("  {}: {}", file.name, own.join(" "));
        }
    }
    outln!(
        "\nProcessors that a stack can be run as, by hiding features; this chooses code, and is no forecast of their speed:"
    );
    for (name, title) in index.processors().names() {
        outln!("  +cpu-{name:14} {title}");
    }
    outln!(
        "  +cpu-without-FEATURE[-FEATURE...] and +cpu-NAME-without-FEATURE hide single features, such as vaes"
    );
}

/// Prints the capabilities of the built stacks. Returns whether a committed table differs.
fn capabilities(
    environment: &Environment,
    index: &RecipeIndex,
    args: &StacksArgs,
    states: &[(String, StackState)],
) -> anyhow::Result<bool> {
    let catalogue = environment.catalogue()?;
    let scenarios = catalogue.select(&catalogue.suite(CONFORMANCE)?.scenarios)?;
    let able: BTreeMap<String, StackCapabilities> = states
        .iter()
        .filter_map(|(name, state)| {
            Some((index.with_version(name), StackCapabilities::of(state.description()?, &scenarios)))
        })
        .collect();
    let left_out = states.len() - able.len();
    if left_out > 0 {
        errln!("skipped, not built: {}; `tlslab build STACK` builds one", counted(left_out, "stack"));
    }
    let Some(file) = &args.check else {
        match args.format {
            ListFormat::Json => outln!("{}", serde_json::to_string_pretty(&able)?),
            ListFormat::Table | ListFormat::Markdown => {
                let texts: Vec<String> = able.iter().map(|(stack, able)| able.text(stack)).collect();
                out!("{}", texts.join("\n"));
            }
        }
        return Ok(false);
    };
    let committed = committed_capabilities(file)?;
    ensure!(
        !able.is_empty(),
        "{}: no stack is built, so there is nothing to compare with it",
        file.display()
    );
    let mut drifted: Vec<String> =
        able.iter().flat_map(|(stack, able)| able.drift(stack, &committed)).collect();
    if args.stacks.is_empty() {
        let known: BTreeSet<String> = states.iter().map(|(name, _)| index.with_version(name)).collect();
        let gone = committed.keys().filter(|stack| !known.contains(*stack));
        drifted.extend(gone.map(|stack| format!("{stack}: its recipe no longer exists")));
    }
    for line in &drifted {
        outln!("{line}");
    }
    outln!("{} compared, {}", counted(able.len(), "stack"), counted(drifted.len(), "difference"));
    Ok(!drifted.is_empty())
}

/// The content of a file that `stacks --capabilities --format json` printed.
pub(crate) fn committed_capabilities(file: &Path) -> anyhow::Result<BTreeMap<String, StackCapabilities>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let form = "`tlslab stacks --capabilities --format json` prints such a file";
    serde_json::from_str(&text)
        .with_context(|| format!("cannot read {} as capabilities; {form}", file.display()))
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
