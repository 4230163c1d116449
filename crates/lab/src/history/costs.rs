//! Costs of work for stacks, from recorded runs.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_choice::{Candidate, Cost, Mix, Pair, Total};
use tlslab_protocol::Scenario;
use tlslab_recipe::StackRequest;
use tlslab_record::{Figure, Plan, StackRecord};
use tlslab_store::{RunKind, Store};

use super::LabelOrder;
use super::ratios::pairs;

/// Known costs of stacks.
#[derive(Default)]
pub struct Costs {
    /// Those with any cost, by the requested text; by their names if all are requested.
    pub candidates: BTreeMap<String, Candidate>,
    /// The runs that measured the costs.
    pub runs: BTreeSet<String>,
    /// The runner classes of these runs.
    pub classes: BTreeSet<String>,
    /// The ratios of candidates that one run measured in turns, by their indices.
    pub pairs: Vec<Pair>,
}

/// A requested stack.
pub struct Wanted {
    /// The requested text, without an alias.
    pub text: String,
    /// Its name with variants.
    name: String,
    /// Its version, if one is named.
    version: Option<String>,
    /// Whether recorded runs apply to it: sources elsewhere may have changed.
    pub is_release: bool,
}

/// Which recorded runs apply.
#[derive(Clone, Copy)]
pub enum Asked<'c> {
    /// Runs on machines of a class, of exactly the requested stacks.
    On(&'c str),
    /// Runs on any machine, of any version of a stack whose version is not named.
    Anywhere,
}

impl Wanted {
    /// By the text of a stack, perhaps with an alias before it.
    ///
    /// # Errors
    /// Fails if the text is not a stack.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let spec = StackRequest::parse(text)?.spec;
        let is_release = spec.source.is_none() && spec.dependencies.is_empty();
        let name = spec.series_name();
        Ok(Self { name, is_release, version: spec.version, text: spec.text })
    }

    fn is(&self, figure: &Figure, plan: &Plan, asked: Asked<'_>) -> bool {
        match asked {
            Asked::On(class) => {
                let stack = plan.stacks.get(figure.place as usize);
                let built = stack.and_then(|stack| stack.identity.as_ref());
                figure.series.class == class && built.is_some_and(|built| built.recipe == self.text)
            }
            Asked::Anywhere => {
                figure.series.stack == self.name
                    && self.version.as_ref().is_none_or(|version| *version == figure.label)
            }
        }
    }
}

/// The costs of each of these stacks for a mix, of all stacks if none is named: those of the newest version
/// that has all of them, else of the newest version. Only figures of these scenarios count, which are the
/// lab's current ones.
///
/// # Errors
/// Fails if the database cannot be read.
pub fn costs(
    store: &dyn Store,
    mix: &Mix,
    asked: Asked<'_>,
    scenarios: &[Scenario],
    wanted: &[Wanted],
) -> anyhow::Result<Costs> {
    let by_name: BTreeMap<&str, &Scenario> =
        scenarios.iter().map(|scenario| (scenario.name.as_str(), scenario)).collect();
    let mut all: BTreeMap<(String, String), Found> = BTreeMap::new();
    // Newest first: older runs of the same are ignored.
    for run in store.runs()?.into_iter().filter(|run| run.complete && run.kind == RunKind::Measured) {
        let plan = store.plan(&run.id)?;
        for figure in store.figures(&run.id)? {
            let Some(scenario) = by_name.get(figure.series.scenario.as_str()) else { continue };
            let texts: Vec<&String> = match wanted.is_empty() {
                true => vec![&figure.series.stack],
                false => {
                    wanted.iter().filter(|one| one.is(&figure, &plan, asked)).map(|one| &one.text).collect()
                }
            };
            for text in texts {
                let found = all.entry((text.clone(), figure.label.clone())).or_default();
                found.candidate.stack.clone_from(&figure.series.stack);
                found.candidate.label.clone_from(&figure.label);
                let mut costs = Cost::of(scenario, &figure, &run.id);
                if plan.stacks.get(figure.place as usize).is_some_and(StackRecord::protects_nothing) {
                    costs = costs.into_iter().map(Cost::unranked).collect();
                }
                if found.candidate.add(costs) {
                    found.runs.insert(run.id.clone());
                    found.classes.insert(figure.series.class.clone());
                }
            }
        }
    }
    let mut by_text: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for ((text, _), found) in all.into_iter().filter(|(_, found)| !found.runs.is_empty()) {
        by_text.entry(text).or_default().push(found);
    }
    let order = LabelOrder::read(store, &[])?;
    let mut costs = Costs::default();
    for (text, mut versions) in by_text {
        versions.sort_by(|one, other| {
            let (one, other) = (&one.candidate, &other.candidate);
            order.compare(&one.stack, &one.label, &other.label)
        });
        let whole = |found: &Found| matches!(found.candidate.total(mix), Total::Known(_));
        let at = versions.iter().rposition(whole).unwrap_or(versions.len() - 1);
        let chosen = versions.swap_remove(at);
        costs.runs.extend(chosen.runs);
        costs.classes.extend(chosen.classes);
        costs.candidates.insert(text, chosen.candidate);
    }
    let candidates: Vec<Candidate> = costs.candidates.values().cloned().collect();
    let parts = mix.parts();
    let is_asked = |cost: &Cost| {
        cost.metric == mix.metric
            && cost.side == mix.side
            && parts.iter().any(|(work, _)| work.name() == cost.work)
    };
    costs.pairs = pairs(store, &candidates, &is_asked)?;
    Ok(costs)
}

/// Known costs of a version.
#[derive(Default)]
struct Found {
    candidate: Candidate,
    runs: BTreeSet<String>,
    classes: BTreeSet<String>,
}

#[cfg(test)]
mod tests {
    use tlslab_choice::profiles;
    use tlslab_protocol::{Capabilities, Work};
    use tlslab_record::{FigureOutcome, FigureValue, Series, StackIdentity, StackState};
    use tlslab_store::{Address, Owner};

    use super::*;

    fn stack(asked: &str) -> StackRecord {
        StackRecord {
            name: asked.to_owned(),
            title: String::new(),
            licence: String::new(),
            identity: Some(StackIdentity { recipe: asked.to_owned(), ..StackIdentity::default() }),
            driver_digest: String::new(),
            driver: String::new(),
            environment: Default::default(),
            state: StackState::Failed("not built here".to_owned()),
        }
    }

    fn figure(place: u32, label: &str, value: f64) -> Figure {
        let text = |text: &str| text.to_owned();
        let (side, metric, unit) = (text("server"), text("time"), text("ns"));
        let series =
            Series { scenario: text("s"), stack: text("ssl"), side, metric, unit, class: text("here") };
        let value = FigureValue { value, lower: None, upper: None, n: 8 };
        let outcome = FigureOutcome::Value(value);
        Figure { series, stack: text("ssl"), place, label: text(label), epoch: String::new(), outcome }
    }

    #[test]
    fn a_machine_knows_what_it_measured_of_exactly_the_stack_that_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = tlslab_store::open(&Address::Sqlite(folder.path().join("x.sqlite"))).unwrap();
        let scenario = Scenario { name: "s".to_owned(), ..Scenario::plain(Work::Handshake) };
        let stacks = ["ssl", "ssl@2", "ssl@path:../ssl"];
        let plan: Plan = serde_json::from_value(serde_json::json!({
            "id": "r", "started_unix_ms": 1, "lab_version": "0", "command": [], "suite": "s", "seed": 1, "budget_s": 1.0,
            "rounds": 1, "slice_ns": 1, "baseline": "ssl", "confidence": 0.99, "host": null, "pki_digest": "d",
            "scenarios": [scenario], "stacks": stacks.map(stack),
        }))
        .unwrap();
        store.create_run(&plan, &Owner::this_process()).unwrap();
        store
            .put_figures("r", &[figure(0, "1", 10.0), figure(1, "2", 20.0), figure(2, "2 (a)", 30.0)])
            .unwrap();
        store.complete_run("r").unwrap();
        let mix = Mix {
            key: format!("{} {}", scenario.signature, scenario.group.short_name()),
            ..profiles().remove(0)
        };
        let mix = Mix { resumed: 0.0, bytes: 0.0, ..mix };
        let labels = |asked: Asked<'_>, texts: &[&str]| -> Vec<String> {
            let wanted: Vec<Wanted> = texts.iter().map(|text| Wanted::parse(text).unwrap()).collect();
            let found = costs(&*store, &mix, asked, std::slice::from_ref(&scenario), &wanted).unwrap();
            found.candidates.into_values().map(|candidate| candidate.label).collect()
        };
        assert_eq!(labels(Asked::On("here"), &["ssl"]), ["1"]);
        assert_eq!(labels(Asked::On("here"), &stacks), ["1", "2", "2 (a)"]);
        assert_eq!(labels(Asked::On("elsewhere"), &["ssl"]), Vec::<String>::new());
        assert_eq!(labels(Asked::Anywhere, &["ssl@2"]), ["2"]);
        assert_eq!(labels(Asked::Anywhere, &["ssl"]).len(), 1, "one version stands for a stack");
        assert_eq!(labels(Asked::Anywhere, &[]).len(), 1);
        // A comparison's candidate is newer than its baseline, regardless of their hashes.
        let commits = [figure(0, "fbd8a0e5ff78", 10.0), figure(1, "d41e3e8aaaaa", 20.0)];
        store.put_figures("r", &commits).unwrap();
        let wanted = [Wanted::parse("ssl").unwrap()];
        let found = costs(&*store, &mix, Asked::Anywhere, std::slice::from_ref(&scenario), &wanted).unwrap();
        assert_eq!(found.candidates["ssl"].label, "d41e3e8aaaaa");
    }

    #[test]
    fn a_stack_that_protects_nothing_has_no_rank() {
        let scenario = Scenario { name: "s".to_owned(), ..Scenario::plain(Work::Handshake) };
        let description = |protects_nothing| {
            let able = Capabilities { protects_nothing, ..Capabilities::default() };
            serde_json::json!({ "ready": {
                "protocol": 1, "driver": "d", "library": { "name": "ssl", "version": "1" }, "capabilities": able,
            } })
        };
        let with = |protects_nothing| StackRecord {
            state: serde_json::from_value(description(protects_nothing)).unwrap(),
            ..stack("ssl")
        };
        for protects_nothing in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let mut store = tlslab_store::open(&Address::Sqlite(folder.path().join("x.sqlite"))).unwrap();
            let plan: Plan = serde_json::from_value(serde_json::json!({
                "id": "r", "started_unix_ms": 1, "lab_version": "0", "command": [], "suite": "s", "seed": 1,
                "budget_s": 1.0, "rounds": 1, "slice_ns": 1, "baseline": "ssl", "confidence": 0.99, "host": null,
                "pki_digest": "d", "scenarios": [scenario], "stacks": [with(protects_nothing)],
            }))
            .unwrap();
            store.create_run(&plan, &Owner::this_process()).unwrap();
            store.put_figures("r", &[figure(0, "1", 10.0)]).unwrap();
            store.complete_run("r").unwrap();
            let mix = Mix {
                key: format!("{} {}", scenario.signature, scenario.group.short_name()),
                resumed: 0.0,
                bytes: 0.0,
                ..profiles().remove(0)
            };
            let found = costs(&*store, &mix, Asked::Anywhere, std::slice::from_ref(&scenario), &[]).unwrap();
            let total = found.candidates["ssl"].total(&mix);
            assert_eq!(matches!(total, Total::Known(_)), !protects_nothing, "{total:?}");
        }
    }

    #[test]
    fn what_was_measured_stands_for_releases_alone() {
        let wanted = Wanted::parse("ssl@1.2+lto").unwrap();
        assert_eq!((wanted.name.as_str(), wanted.version.as_deref()), ("ssl+lto", Some("1.2")));
        let renamed = Wanted::parse("mine=ssl").unwrap();
        assert!(wanted.is_release && renamed.is_release && renamed.text == "ssl");
        for text in ["ssl@path:../ssl", "ssl@patch:x.patch", "ssl@git:#main", "ssl,ring=0.17.8"] {
            assert!(!Wanted::parse(text).unwrap().is_release, "{text}");
        }
        assert!(Wanted::parse("no stack").is_err());
    }
}
