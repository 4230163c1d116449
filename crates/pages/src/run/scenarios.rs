//! Per scenario: the proven properties of each stack, and the command that measures each cell again.

use serde_json::Value;
use tlslab_estimate::{Metric, Report};
use tlslab_record::ProvenFacts;
use tlslab_text::number::counted;
use tlslab_text::{clean, shell_word};

use super::colour::colour;
use super::facts::{Fact, facts};
use crate::links::{Link, Links};
use crate::target::Target;

/// The proofs of up to so many stacks are on the page of their run.
const FEW_STACKS: usize = 6;

/// Whether proofs of a run with so many stacks have separate pages in a site.
#[must_use]
pub fn has_proof_pages(stacks: usize) -> bool {
    stacks > FEW_STACKS
}

/// One scenario.
pub(super) struct ScenarioDetails {
    /// Its place in the run.
    pub at: usize,
    pub name: Link,
    /// The page of its proof, if that is separate.
    pub page: Option<String>,
    /// How many stacks did the work.
    pub answer: String,
    /// The proof in a sentence.
    pub summary: String,
    pub stacks: Vec<(usize, String)>,
    /// Fact by fact, one value per stack.
    pub facts: Vec<FactRow>,
    /// Per stack, how the faults ended, or why the proof failed.
    pub outcomes: Vec<StackOutcome>,
    pub commands: Vec<Commands>,
}

/// One fact.
pub(super) struct FactRow {
    pub name: String,
    /// Whether stacks differ in it.
    pub differs: bool,
    pub values: Vec<Option<Fact>>,
}

impl FactRow {
    /// The value that all stacks with one share, if there are several: it is shown once.
    pub(super) fn shared(&self) -> Option<&Fact> {
        let mut known = self.values.iter().flatten();
        let first = known.next()?;
        let (mut others, mut is_alone) = (known, true);
        let is_alike = others.all(|fact| {
            is_alone = false;
            (&fact.value, &fact.sources) == (&first.value, &first.sources)
        });
        (is_alike && !is_alone).then_some(first)
    }

    /// How many stacks have it.
    pub(super) fn known(&self) -> usize {
        self.values.iter().flatten().count()
    }
}

/// The faults tried on a stack.
pub(super) struct StackOutcome {
    pub stack: String,
    pub faults: Vec<(String, String)>,
    pub hole: Option<(&'static str, String)>,
}

/// How to measure a cell again, and how to talk to its driver by hand.
pub(super) struct Commands {
    pub stack: String,
    pub run: String,
    pub by_hand: String,
}

pub(super) fn all(report: &Report, links: &dyn Links) -> Vec<ScenarioDetails> {
    let places = 0..report.scenarios.len();
    places.map(|at| details(report, at, links)).collect()
}

/// One scenario by its name, on its own page.
pub(super) fn one(report: &Report, name: &str, links: &dyn Links) -> Option<ScenarioDetails> {
    let at = report.scenarios.iter().position(|scenario| scenario.name() == name)?;
    Some(ScenarioDetails { page: None, ..details(report, at, links) })
}

fn answer(outcomes: &[StackOutcome]) -> String {
    let proven = outcomes.iter().filter(|outcome| outcome.hole.is_none()).count();
    format!("{proven} of {} did the work that was asked for", counted(outcomes.len(), "stack"))
}

fn summary(facts: &[FactRow], outcomes: &[StackOutcome]) -> String {
    let differing = facts.iter().filter(|fact| fact.differs).count();
    let faults: usize = outcomes.iter().map(|outcome| outcome.faults.len()).sum();
    format!(
        "{} are known of them, stacks differ in {differing}; {} tried.",
        counted(facts.len(), "fact"),
        counted(faults, "fault")
    )
}

/// A page shows all facts alike, those of other versions of the lab, too.
fn as_json(facts: &ProvenFacts) -> Value {
    serde_json::to_value(facts).unwrap_or_default()
}

fn details(report: &Report, at: usize, links: &dyn Links) -> ScenarioDetails {
    let name = report.scenarios[at].name();
    let of_stacks: Vec<Vec<(String, Fact)>> = report
        .participants()
        .map(|stack| {
            let proof =
                report.proofs.iter().find(|proof| proof.scenario == name && proof.stack == stack.name);
            proof.map(|proof| facts(&as_json(&proof.facts))).unwrap_or_default()
        })
        .collect();
    let mut names: Vec<&String> = Vec::new();
    for (fact, _) in of_stacks.iter().flatten() {
        if !names.contains(&fact) {
            names.push(fact);
        }
    }
    let row = |fact: &String| {
        let find = |facts: &Vec<(String, Fact)>| {
            facts.iter().find(|(name, _)| name == fact).map(|(_, fact)| fact.clone())
        };
        let values: Vec<Option<Fact>> = of_stacks.iter().map(find).collect();
        let mut shown = values.iter().flatten().map(|fact| &fact.value);
        let first = shown.next();
        let differs = shown.any(|value| Some(value) != first);
        FactRow { name: fact.clone(), differs, values }
    };
    let facts: Vec<FactRow> = names.into_iter().map(row).collect();
    let outcomes: Vec<StackOutcome> =
        report.participants().map(|stack| outcome(report, name, &stack.name)).collect();
    ScenarioDetails {
        at,
        page: has_proof_pages(report.stacks.len())
            .then(|| links.to(&Target::Proof(report.run.id.clone(), name.to_owned())))
            .flatten(),
        answer: answer(&outcomes),
        summary: summary(&facts, &outcomes),
        name: Link::new(links, &Target::Scenario(name.to_owned()), clean(name)),
        stacks: report
            .participants()
            .map(|stack| (colour(report, &stack.name), clean(&stack.name)))
            .collect(),
        facts,
        outcomes,
        commands: report
            .stacks
            .iter()
            .map(|stack| commands(report, name, &stack.name, &stack.driver))
            .collect(),
    }
}

fn outcome(report: &Report, scenario: &str, stack: &str) -> StackOutcome {
    let proof = report.proofs.iter().find(|proof| proof.scenario == scenario && proof.stack == stack);
    let faults = proof.map(|proof| proof.faults.as_slice()).unwrap_or_default();
    let time = report.cells_of(scenario, stack).find(|cell| cell.metric == Metric::Time);
    let hole = time.and_then(|cell| cell.outcome.hole());
    StackOutcome {
        stack: clean(stack),
        faults: faults.iter().map(|fault| (clean(&fault.name), clean(&fault.outcome))).collect(),
        hole: hole.map(|(kind, reason)| (kind, clean(reason))),
    }
}

fn commands(report: &Report, scenario: &str, stack: &str, driver: &str) -> Commands {
    let run = &report.run;
    let cell = format!("--stack {} --scenario {}", shell_word(stack), shell_word(scenario));
    let by_hand = match driver {
        "" => String::new(),
        driver => clean(&format!("tlslab requests {cell} | {}", shell_word(driver))),
    };
    Commands {
        stack: clean(stack),
        run: clean(&format!("tlslab run {cell} --seed {} --rounds {}", run.seed, run.rounds)),
        by_hand,
    }
}
