//! What a document asks for.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Context, bail};
use tlslab_reproduction::{Document, Measurement};
use tlslab_scenario::Catalogue;

use crate::house::House;
use crate::plan;

/// Refuses a document that asks for what its runs will not have, before anything is measured.
pub fn check(house: &House, document: &Document) -> anyhow::Result<()> {
    let catalogue = house.catalogue()?;
    let mut selected: BTreeMap<&str, HashSet<String>> = BTreeMap::new();
    for run in &document.measurements {
        let patterns = match &run.suite {
            Some(suite) => &catalogue.suite(suite)?.scenarios,
            None => &run.scenarios,
        };
        let scenarios = catalogue.select(patterns)?.into_iter().map(|scenario| scenario.name);
        selected.insert(&run.name, scenarios.collect());
    }
    for asked in document.asked() {
        let run = document.measurements.iter().find(|run| run.name == asked.measurement);
        let run =
            run.with_context(|| format!("{} has no measurement {}", document.name, asked.measurement))?;
        let (file, name, scenario) = (&document.name, &run.name, &asked.scenario);
        if !selected[name.as_str()].contains(scenario) {
            bail!(
                "document {file}: measurement \"{name}\" has no scenario {scenario}; add it to the measurement"
            );
        }
        let stack = &asked.stack;
        let of_suite = || run.suite.as_ref().and_then(|suite| Some(&catalogue.suite(suite).ok()?.stacks));
        let stacks = if run.stacks.is_empty() { of_suite().unwrap_or(&run.stacks) } else { &run.stacks };
        let has_it = stack.is_empty() || stacks.iter().any(|known| plan::alias_of(known).0 == *stack);
        if !has_it {
            bail!("document {file}: measurement \"{name}\" has no stack {stack}; add it to the measurement");
        }
    }
    Ok(())
}

/// How long a measurement takes, s: a share of its own time, or of its suite's.
pub fn budget_s(catalogue: &Catalogue, run: &Measurement, share: f64) -> anyhow::Result<f64> {
    let whole = match (run.budget_s, &run.suite) {
        (Some(budget_s), _) => budget_s,
        (None, Some(suite)) => catalogue.suite(suite)?.budget_s,
        (None, None) => bail!("measurement \"{}\" says no budget_s", run.name),
    };
    Ok(whole * share)
}
