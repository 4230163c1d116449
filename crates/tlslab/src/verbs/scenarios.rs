//! `tlslab scenarios`: every scenario, and which stack can do which.

use comfy_table::{Table, presets};
use tlslab_lab::{Cancel, Environment, stack_states};
use tlslab_protocol::{Capabilities, Scenario};

use crate::Ended;
use crate::cli::ScenariosArgs;

/// Lists them. Only stacks that are built can say what they can do.
pub fn scenarios(environment: &Environment, args: &ScenariosArgs) -> anyhow::Result<Ended> {
    let catalogue = environment.catalogue()?;
    let chosen = match (&args.suite, args.patterns.is_empty()) {
        (Some(suite), _) => catalogue.select(&catalogue.suite(suite)?.scenarios)?,
        (None, false) => catalogue.select(&args.patterns)?,
        (None, true) => catalogue.scenarios().cloned().collect(),
    };
    let recipes = environment.shelf()?.every_edition()?;
    let stacks: Vec<(String, Capabilities)> = stack_states(environment, &recipes, &Cancel::new())
        .into_iter()
        .filter_map(|(name, state)| Some((name, state.description()?.capabilities.clone())))
        .collect();
    let mut reasons: Vec<String> = Vec::new();
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(std::iter::once("scenario").chain(stacks.iter().map(|(name, _)| name.as_str())));
    for scenario in &chosen {
        let marks = stacks.iter().map(|(name, able)| mark(scenario, name, able, &mut reasons));
        table.add_row(std::iter::once(scenario.name.clone()).chain(marks.collect::<Vec<_>>()));
    }
    println!("{table}");
    for (index, reason) in reasons.iter().enumerate() {
        println!("[{}] unsupported: {reason}", index + 1);
    }
    if stacks.is_empty() {
        println!("No stack is built yet, so none can say what it can do; `tlslab build` builds them.");
    }
    println!("\n{} scenarios. Suites:", chosen.len());
    for suite in &catalogue.suites {
        let count = catalogue.select(&suite.scenarios)?.len();
        println!("  {:8} {count:4} scenarios, {:.0} s: {}", suite.name, suite.budget_s, suite.title);
    }
    Ok(Ended::Well)
}

/// `yes`, or the number of the reason why not.
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
