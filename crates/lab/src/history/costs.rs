//! What work costs stacks, from what was measured before.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_choice::{Candidate, Cost};
use tlslab_protocol::Scenario;
use tlslab_recipe::Spec;
use tlslab_record::Figure;
use tlslab_store::{RunKind, Store};

/// What is known of stacks.
#[derive(Default)]
pub struct Costs {
    /// The stacks, by name.
    pub candidates: Vec<Candidate>,
    /// The runs that the costs are of, newest first.
    pub runs: Vec<String>,
    /// The machines that measured them.
    pub classes: BTreeSet<String>,
}

/// A stack that is asked for.
pub struct Wanted {
    /// Its name with variants.
    pub name: String,
    /// Its version, if one is named.
    pub version: Option<String>,
    /// Whether what was measured before may stand for it: sources elsewhere may have changed.
    pub is_release: bool,
}

impl Wanted {
    /// By the text of a stack, perhaps with an alias before it.
    ///
    /// # Errors
    /// A text that is no stack.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let spec = Spec::parse(crate::alias_of(text).1)?;
        let is_release = spec.source.is_none() && spec.dependencies.is_empty();
        Ok(Self { name: spec.series_name(), version: spec.version.clone(), is_release })
    }

    fn is(&self, figure: &Figure) -> bool {
        figure.series.stack == self.name
            && self.version.as_ref().is_none_or(|version| *version == figure.label)
    }
}

/// The newest costs of each of these stacks, of all stacks if none is named; of machines of a class alone, if one is named. Only figures of
/// these scenarios count, which are those of the lab today.
///
/// # Errors
/// A database that cannot be read.
pub fn costs(
    store: &dyn Store,
    class: Option<&str>,
    scenarios: &[Scenario],
    wanted: &[Wanted],
) -> anyhow::Result<Costs> {
    let by_name: BTreeMap<&str, &Scenario> =
        scenarios.iter().map(|scenario| (scenario.name.as_str(), scenario)).collect();
    let mut found: BTreeMap<String, Candidate> = BTreeMap::new();
    let mut costs = Costs::default();
    for run in store.runs()?.into_iter().filter(|run| run.complete && run.kind == RunKind::Measured) {
        let mut is_used = false;
        for figure in store.figures(&run.id)? {
            let Some(scenario) = by_name.get(figure.series.scenario.as_str()) else { continue };
            let is_here = class.is_none_or(|class| class == figure.series.class);
            let is_wanted = wanted.is_empty() || wanted.iter().any(|one| one.is(&figure));
            let costs_of = if is_here && is_wanted { Cost::of(scenario, &figure) } else { Vec::new() };
            if costs_of.is_empty() {
                continue;
            }
            let series = &figure.series;
            let candidate = found.entry(series.stack.clone()).or_insert_with(|| Candidate {
                stack: series.stack.clone(),
                label: figure.label.clone(),
                costs: Vec::new(),
            });
            // Runs come newest first: an older version is not mixed with a newer one.
            if candidate.label == figure.label && candidate.add(costs_of) {
                is_used = true;
                costs.classes.insert(series.class.clone());
            }
        }
        if is_used {
            costs.runs.push(run.id);
        }
    }
    costs.candidates = found.into_values().collect();
    Ok(costs)
}
