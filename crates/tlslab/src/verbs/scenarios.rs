//! `tlslab scenarios`: every scenario, and which stacks support it.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::Value;
use tlslab_job::Status;
use tlslab_lab::{Cancel, stack_states};
use tlslab_protocol::{Capabilities, Scenario};
use tlslab_text::number::counted;
use tlslab_text::{Listing, markdown};

use crate::cli::{Invocation, ListFormat};
use crate::session::Lab;

/// Arguments of `scenarios`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ScenariosArgs {
    /// Other commands for scenarios.
    #[command(subcommand)]
    pub verb: Option<ScenariosVerb>,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
    /// Only the scenarios of this suite.
    #[arg(long, value_name = "NAME")]
    pub suite: Option<String>,
    /// Only the scenarios that match this pattern; may be repeated. * stays within a part of a name, ** does
    /// not.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// The same as a positional argument.
    #[arg(value_name = "GLOB")]
    pub patterns: Vec<String>,
}

/// Commands for scenarios other than listing them.
#[derive(Subcommand)]
pub(crate) enum ScenariosVerb {
    /// Write a commented file of scenarios to start from; `tlslab schema scenario` describes it.
    #[command(after_help = "Example: tlslab scenarios new scenarios/mine.toml")]
    New {
        /// The file, which must not exist yet [default: standard output].
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// A suite's file instead.
        #[arg(long)]
        suite: bool,
    },
}

/// Lists them. Only the capabilities of built stacks are known.
pub(crate) fn scenarios(lab: &Lab, args: &ScenariosArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let environment = &lab.environment;
    let catalogue = environment.catalogue()?;
    for (_, cause) in &catalogue.broken {
        errln!("skipped: {cause}");
    }
    let patterns: Vec<&String> = args.scenarios.iter().chain(&args.patterns).collect();
    let chosen = match (&args.suite, patterns.is_empty()) {
        (Some(suite), _) => catalogue.select(&catalogue.suite(suite)?.scenarios)?,
        (None, false) => catalogue.select(&patterns)?,
        (None, true) => catalogue.scenarios().cloned().collect(),
    };
    let recipes = environment.recipe_index()?.every_edition()?;
    let stacks: Vec<(String, Capabilities)> =
        stack_states(environment, &lab.isolation, &recipes, &Cancel::new())?
            .into_iter()
            .filter_map(|(name, state)| Some((name, state.description()?.capabilities.clone())))
            .collect();
    let mut reasons: Vec<String> = Vec::new();
    let columns = std::iter::once("scenario").chain(stacks.iter().map(|(name, _)| name.as_str()));
    let mut listing = Listing::new(columns);
    for scenario in &chosen {
        let marks = stacks.iter().map(|(name, able)| match args.format {
            ListFormat::Json => supported(scenario, able),
            _ => mark(scenario, name, able, &mut reasons),
        });
        listing.add(std::iter::once(scenario.name.clone()).chain(marks.collect::<Vec<_>>()));
    }
    out!("{}", listing.text(args.format.into()));
    if args.format == ListFormat::Json {
        return Ok(Status::Done);
    }
    let is_markdown = args.format == ListFormat::Markdown;
    if is_markdown {
        outln!();
    }
    for (index, reason) in reasons.iter().enumerate() {
        match is_markdown {
            true => outln!("- [{}] unsupported: {}", index + 1, markdown(reason)),
            false => outln!("[{}] unsupported: {reason}", index + 1),
        }
    }
    if stacks.is_empty() {
        let next = "No stack is built yet, so no capabilities are known; `tlslab build` builds them.";
        outln!("{}", invocation.complete(next));
    }
    outln!("\n{}. Suites:\n", counted(chosen.len(), "scenario"));
    let mut suites = Listing::new(["suite", "scenarios", "budget_s", "title"]);
    for suite in &catalogue.suites {
        let count = Value::from(catalogue.select(&suite.scenarios)?.len());
        let budget_s = Value::from(suite.budget_s.round() as u64);
        suites.add([suite.name.clone().into(), count, budget_s, suite.title.clone().into()]);
    }
    out!("{}", suites.text(args.format.into()));
    Ok(Status::Done)
}

/// `yes`, or the reason.
fn supported(scenario: &Scenario, able: &Capabilities) -> String {
    let hole = tlslab_scenario::hole(scenario, able);
    hole.map_or_else(|| "yes".to_owned(), |reason| format!("unsupported: {reason}"))
}

/// `yes`, or the number of the reason.
fn mark(scenario: &Scenario, stack: &str, able: &Capabilities, reasons: &mut Vec<String>) -> String {
    let Some(reason) = tlslab_scenario::hole(scenario, able) else {
        return "yes".to_owned();
    };
    let reason = format!("{stack}: {reason}");
    let known = reasons.iter().position(|known| *known == reason);
    let index = known.unwrap_or_else(|| {
        reasons.push(reason);
        reasons.len() - 1
    });
    format!("[{}]", index + 1)
}
