//! What work costs stacks, from what was measured before.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_choice::{Candidate, Cost, Mix, Total};
use tlslab_protocol::Scenario;
use tlslab_recipe::Spec;
use tlslab_record::Figure;
use tlslab_store::{RunKind, Store};

/// What is known of stacks.
#[derive(Default)]
pub struct Costs {
    /// The stacks, by name.
    pub candidates: Vec<Candidate>,
    /// The runs that the costs are of.
    pub runs: BTreeSet<String>,
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

/// The costs of each of these stacks for a mix, of all stacks if none is named: those of the newest version that has all of them, else of the
/// newest version. Of machines of a class alone, if one is named; only figures of these scenarios count, which are those of the lab today.
///
/// # Errors
/// A database that cannot be read.
pub fn costs(
    store: &dyn Store,
    mix: &Mix,
    class: Option<&str>,
    scenarios: &[Scenario],
    wanted: &[Wanted],
) -> anyhow::Result<Costs> {
    let by_name: BTreeMap<&str, &Scenario> =
        scenarios.iter().map(|scenario| (scenario.name.as_str(), scenario)).collect();
    let mut all: BTreeMap<(String, String), Found> = BTreeMap::new();
    // Newest first: what an older run says of the same is not asked for.
    for run in store.runs()?.into_iter().filter(|run| run.complete && run.kind == RunKind::Measured) {
        for figure in store.figures(&run.id)? {
            let Some(scenario) = by_name.get(figure.series.scenario.as_str()) else { continue };
            let is_here = class.is_none_or(|class| class == figure.series.class);
            let is_wanted = wanted.is_empty() || wanted.iter().any(|one| one.is(&figure));
            let costs_of = if is_here && is_wanted { Cost::of(scenario, &figure) } else { Vec::new() };
            if costs_of.is_empty() {
                continue;
            }
            let (stack, label) = (figure.series.stack.clone(), figure.label.clone());
            let found = all.entry((stack.clone(), label.clone())).or_default();
            (found.candidate.stack, found.candidate.label) = (stack, label);
            if found.candidate.add(costs_of) {
                found.runs.insert(run.id.clone());
                found.classes.insert(figure.series.class.clone());
            }
        }
    }
    let mut costs = Costs::default();
    let mut groups: BTreeMap<(String, Option<String>), Vec<Found>> = BTreeMap::new();
    for ((stack, label), found) in all {
        // A version that is asked for has a place of its own.
        let is_named = wanted.iter().any(|one| one.name == stack && one.version.as_ref() == Some(&label));
        groups.entry((stack, is_named.then_some(label))).or_default().push(found);
    }
    for mut versions in groups.into_values() {
        versions.sort_by(|one, other| tlslab_recipe::compare(&one.candidate.label, &other.candidate.label));
        let whole = |found: &Found| matches!(found.candidate.total(mix), Total::Known(_));
        let at = versions.iter().rposition(whole).unwrap_or(versions.len() - 1);
        let chosen = versions.swap_remove(at);
        costs.runs.extend(chosen.runs);
        costs.classes.extend(chosen.classes);
        costs.candidates.push(chosen.candidate);
    }
    Ok(costs)
}

/// What is known of a version.
#[derive(Default)]
struct Found {
    candidate: Candidate,
    runs: BTreeSet<String>,
    classes: BTreeSet<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_stands_for_releases_alone() {
        let wanted = Wanted::parse("ssl@1.2+lto").unwrap();
        assert_eq!((wanted.name.as_str(), wanted.version.as_deref()), ("ssl+lto", Some("1.2")));
        assert!(wanted.is_release && Wanted::parse("mine=ssl").unwrap().is_release);
        for text in ["ssl@path:../ssl", "ssl@patch:x.patch", "ssl@git:#main", "ssl,ring=0.17.8"] {
            assert!(!Wanted::parse(text).unwrap().is_release, "{text}");
        }
        assert!(Wanted::parse("no stack").is_err());
    }
}
