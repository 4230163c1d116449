//! The parts of a comparison apart from its cells: facts, warnings, method, the command to repeat it.

use tlslab_comparison::{Comparison, Pair};
use tlslab_text::number::{counted, duration};
use tlslab_text::{shell_word, short_stack};

use crate::links::{Link, Links};
use crate::target::Target;

/// With more scenarios than this a command names none.
const MOST_SCENARIOS: usize = 6;
/// The value of `design.arrangement` for two runs that were not measured together.
const APART: &str = "apart";

/// A fact with its name.
pub(crate) struct Fact {
    pub(crate) name: &'static str,
    pub(crate) values: Vec<Link>,
    pub(crate) under: String,
}

/// A warning, and others that differ in their numbers alone.
pub(crate) struct Warning {
    pub(crate) first: String,
    pub(crate) others: Vec<String>,
}

pub(crate) fn facts(comparison: &Comparison, links: &dyn Links) -> Vec<Fact> {
    let mut facts = Vec::new();
    for pair in &comparison.pairs {
        for (name, stack, version) in [
            ("Baseline", &pair.baseline, &pair.baseline_version),
            ("Candidate", &pair.candidate, &pair.candidate_version),
        ] {
            let values = vec![Link::new(links, &Target::Stack(stack.clone()), short_stack(stack))];
            facts.push(Fact { name, values, under: version.clone() });
        }
    }
    let runs = comparison.runs.iter().map(|run| Link::new(links, &Target::Run(run.clone()), &**run));
    let name = if comparison.runs.len() == 1 { "Run" } else { "Runs" };
    let measuring = match comparison.measuring_s {
        nothing if nothing < 0.5 => "nothing timed".to_owned(),
        measuring_s => format!("{} of measuring", duration(measuring_s)),
    };
    facts.push(Fact { name, values: runs.collect(), under: measuring });
    let host = comparison.host.summary();
    facts.push(Fact { name: "Runner", values: vec![Link::none(host)], under: String::new() });
    let quiet = match comparison.warnings.len() {
        0 => "no warning".to_owned(),
        some => counted(some, "warning"),
    };
    let href = (!comparison.warnings.is_empty()).then(|| "#warnings".to_owned());
    facts.push(Fact { name: "Noise", values: vec![Link { text: quiet, href }], under: String::new() });
    facts
}

/// One entry for all warnings that differ only in numbers.
pub(crate) fn warnings(comparison: &Comparison) -> Vec<Warning> {
    let mut kinds: Vec<(String, Warning)> = Vec::new();
    for warning in &comparison.warnings {
        let kind: String =
            warning.chars().filter(|letter| !letter.is_ascii_digit() && *letter != '.').collect();
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, known)) => known.others.push(warning.clone()),
            None => kinds.push((kind, Warning { first: warning.clone(), others: vec![] })),
        }
    }
    kinds.into_iter().map(|(_, warning)| warning).collect()
}

/// The command that makes such a comparison again; none if nothing was compared.
pub(crate) fn command(comparison: &Comparison) -> Option<String> {
    if let (APART, [baseline, candidate]) = (&*comparison.design.arrangement, &*comparison.runs) {
        return Some(format!("tlslab compare --runs {} {}", shell_word(baseline), shell_word(candidate)));
    }
    if comparison.command.is_some() {
        return comparison.command.clone();
    }
    let (first, others) = comparison.pairs.split_first()?;
    let both = |pair: &Pair| format!("{} {}", shell_word(&pair.baseline), shell_word(&pair.candidate));
    let mut command = format!("tlslab compare {}", both(first));
    for pair in others {
        command += &format!(" --pair {}", both(pair));
    }
    let mut scenarios: Vec<&str> = Vec::new();
    for change in &comparison.changes {
        if !scenarios.contains(&&*change.scenario) {
            scenarios.push(&change.scenario);
        }
    }
    if scenarios.len() <= MOST_SCENARIOS {
        for scenario in scenarios {
            command += &format!(" --scenario {}", shell_word(scenario));
        }
    }
    Some(command)
}
