//! Checks of a document's contents.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Context, bail, ensure};
use tlslab_lab::Environment;
use tlslab_lab::run::together::{self, Otherwise};
use tlslab_protocol::{Measure, Pairing};
use tlslab_recipe::StackRequest;
use tlslab_record::ExaminationPolicy;
use tlslab_reproduction::{Basis, ComparisonOf, Document, Measurement, ProfileOf};
use tlslab_scenario::Catalogue;

use crate::request::ReproduceRequest;

/// Rejects a document that refers to cells outside of its runs, before anything is measured.
pub(crate) fn check(environment: &Environment, document: &Document) -> anyhow::Result<()> {
    check_cells(environment, document).with_context(|| format!("document {}", document.name))
}

fn check_cells(environment: &Environment, document: &Document) -> anyhow::Result<()> {
    let catalogue = environment.catalogue()?;
    let mut selected: BTreeMap<&str, HashSet<String>> = BTreeMap::new();
    for run in &document.measurements {
        let patterns = match &run.suite {
            Some(suite) => &catalogue.suite(suite)?.scenarios,
            None => &run.scenarios,
        };
        let scenarios = catalogue.select(patterns)?;
        let metrics = if run.metrics.is_empty() { &[Measure::Time][..] } else { &run.metrics };
        let otherwise = Otherwise { metrics, pairing: Pairing::Own, evicts: false };
        together::groups(&run.together, &scenarios, &otherwise)
            .with_context(|| format!("measurement \"{}\"", run.name))?;
        let scenarios = scenarios.into_iter().map(|scenario| scenario.name);
        selected.insert(&run.name, scenarios.collect());
    }
    check_versions(&catalogue, document)?;
    for of in &document.comparisons {
        catalogue.select(&of.scenarios).with_context(|| format!("comparison \"{}\"", of.name))?;
    }
    for of in &document.profiles {
        let is_known = catalogue.scenarios().any(|scenario| scenario.name == of.scenario);
        ensure!(is_known, "there is no scenario {}", of.scenario);
    }
    for asked in document.asked() {
        let run = document.measurements.iter().find(|run| run.name == asked.measurement);
        let run = run.with_context(|| format!("there is no measurement {}", asked.measurement))?;
        let (name, scenario) = (&run.name, &asked.scenario);
        if !selected[name.as_str()].contains(scenario) {
            bail!("measurement \"{name}\" has no scenario {scenario}; add it to the measurement");
        }
        let stack = &asked.stack;
        let has_it = stack.is_empty() || is_named_among(stacks_of(&catalogue, run)?, stack);
        if !has_it {
            bail!("measurement \"{name}\" has no stack {stack}; add it to the measurement");
        }
    }
    Ok(())
}

/// The stacks of a measurement: its own, or else those of its suite.
pub(crate) fn stacks_of<'a>(catalogue: &'a Catalogue, run: &'a Measurement) -> anyhow::Result<&'a [String]> {
    Ok(match &run.suite {
        Some(suite) if run.stacks.is_empty() => &catalogue.suite(suite)?.stacks,
        _ => &run.stacks,
    })
}

fn is_named_among(stacks: &[String], name: &str) -> bool {
    stacks.iter().any(|stack| StackRequest::parse(stack).is_ok_and(|asked| asked.name() == name))
}

/// Rejects a published version of a stack that the document does not measure.
fn check_versions(catalogue: &Catalogue, document: &Document) -> anyhow::Result<()> {
    let mut stacks: Vec<String> = Vec::new();
    for run in &document.measurements {
        stacks.extend(stacks_of(catalogue, run)?.to_vec());
    }
    stacks.extend(document.comparisons.iter().flat_map(|of| of.stacks("")));
    stacks.extend(document.profiles.iter().map(ProfileOf::shown));
    let is_known = |name: &String| is_named_among(&stacks, name);
    match document.published_versions.keys().find(|name| !is_known(name)) {
        Some(name) => bail!(
            "published_versions names the stack {name}, which the document does not measure; name one of its stacks"
        ),
        None => Ok(()),
    }
}

/// The contents that a comparison's run must have.
pub(crate) fn compared(of: &ComparisonOf, stacks: &[String; 2]) -> String {
    let metrics: Vec<String> = of.metrics.iter().map(|metric| format!("{metric:?}")).collect();
    format!("{} against {}; {}; {}", stacks[1], stacks[0], of.scenarios.join(" "), metrics.join(" "))
}

/// How long all requested parts take, s, without builds, counts and confirmations.
pub(crate) fn total_s(
    catalogue: &Catalogue,
    document: &Document,
    share: f64,
    is_wanted: impl Fn(Basis) -> bool,
) -> anyhow::Result<f64> {
    let mut total = 0.0;
    for run in document.measurements.iter().filter(|run| is_wanted(run.basis)) {
        total += budget_s(catalogue, run, share)? * f64::from(run.times.unwrap_or(1));
    }
    let comparisons = document.comparisons.iter().filter(|of| is_wanted(of.basis));
    Ok(total + comparisons.map(|of| of.budget_s * share).sum::<f64>())
}

/// The requested share of a document's own time; `whole_s` is all of it.
pub(crate) fn share(request: &ReproduceRequest, policy: &ExaminationPolicy, whole_s: f64) -> f64 {
    match request.budget_s {
        Some(budget_s) if whole_s > 0.0 => budget_s.get() / whole_s,
        _ if request.quick => policy.quick.0,
        _ => 1.0,
    }
}

/// The number of rounds of a measurement: fewer with a share of its time, but at least `least` of its own.
/// Its suite's by default.
pub(crate) fn rounds(
    catalogue: &Catalogue,
    run: &Measurement,
    share: f64,
    least: u32,
) -> anyhow::Result<Option<u32>> {
    if share >= 1.0 {
        return Ok(run.rounds);
    }
    let own = match (run.rounds, &run.suite) {
        (None, Some(suite)) => Some(catalogue.suite(suite)?.rounds),
        (own, _) => own,
    };
    let scaled = |own: u32| ((f64::from(own) * share).ceil() as u32).max(least).min(own);
    Ok(own.map(scaled))
}

/// How long a measurement takes, s: a share of its own time, or of its suite's.
pub(crate) fn budget_s(catalogue: &Catalogue, run: &Measurement, share: f64) -> anyhow::Result<f64> {
    let whole = match (run.budget_s, &run.suite) {
        (Some(budget_s), _) => budget_s,
        (None, Some(suite)) => catalogue.suite(suite)?.budget_s,
        (None, None) => bail!("measurement \"{}\" says no budget_s", run.name),
    };
    Ok(whole * share)
}
