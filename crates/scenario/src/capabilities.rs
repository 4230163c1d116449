//! What stacks can do, as a document that is committed and compared. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::claims;
use tlslab_protocol::{Capabilities, Description, Scenario};

/// What stands before a value that a stack claims and no scenario tries.
const NOT_TRIED: &str = "- not tried by any scenario: ";
/// What stands for a reason that a stack owes.
const NO_REASON: &str = "no reason given";

/// One stack's section: every value that the scenarios ask for, claimed or not, and why not.
pub fn section(stack: &str, description: &Description, scenarios: &[Scenario]) -> String {
    let able = &description.capabilities;
    let axes = axes(able, scenarios);
    let mut text = format!("## {stack}\n\n{} {}\n\n", description.library.name, description.library.version);
    for (axis, (yes, no)) in &axes {
        let yes = if yes.is_empty() { "none".to_owned() } else { yes.join(", ") };
        // Writing to a text cannot fail.
        let _ = writeln!(text, "- {axis}: {yes}");
        for (value, reason) in no {
            let _ = writeln!(text, "  - not {value}: {reason}");
        }
    }
    for value in untried(able, &axes) {
        let _ = writeln!(text, "{NOT_TRIED}{value}");
    }
    if !able.offers_more.is_empty() {
        let _ =
            writeln!(text, "- the client offers more than it is asked to: {}", able.offers_more.join(", "));
    }
    for note in &able.notes {
        let _ = writeln!(text, "- note: {note}");
    }
    text
}

/// Per axis: the values that are claimed, and those that are not with the reason.
pub type Axes<'a> = BTreeMap<&'a str, (Vec<String>, Vec<(String, String)>)>;

/// Every value that the scenarios ask for, claimed or not, and why not.
pub fn axes<'a>(able: &'a Capabilities, scenarios: &'a [Scenario]) -> Axes<'a> {
    let mut axes = Axes::new();
    for claim in scenarios.iter().flat_map(|scenario| claims(scenario, able)) {
        let (yes, no) = axes.entry(claim.axis).or_default();
        if claim.met && !yes.contains(&claim.value) {
            yes.push(claim.value);
        } else if !claim.met && !no.iter().any(|(value, _)| *value == claim.value) {
            no.push((claim.value, claim.reason.unwrap_or_else(|| NO_REASON.to_owned())));
        }
    }
    // The plain values before those that are put together from them.
    for (yes, no) in axes.values_mut() {
        yes.sort_by_key(|value| (value.len(), value.clone()));
        no.sort_by_key(|(value, _)| (value.len(), value.clone()));
    }
    axes
}

/// Claims that no scenario asks for.
fn untried(able: &Capabilities, axes: &Axes<'_>) -> Vec<String> {
    let claimed = [
        ("version", able.versions.iter().map(|it| it.short_name().into_owned()).collect::<Vec<_>>()),
        ("signature", able.signatures.iter().map(ToString::to_string).collect()),
        ("group", able.groups.iter().map(|it| it.short_name().into_owned()).collect()),
        ("suite", able.suites.iter().map(|it| it.short_name().into_owned()).collect()),
        ("verification", able.verification.iter().map(ToString::to_string).collect()),
        ("resumption", able.resumption.iter().map(ToString::to_string).collect()),
        ("authentication", able.mutual_authentication.then(|| "mutual".to_owned()).into_iter().collect()),
        ("hello_retry", able.hello_retry.then(|| "true".to_owned()).into_iter().collect()),
        (
            "server_key_share",
            able.pregenerated_key_shares.then(|| "pregenerated".to_owned()).into_iter().collect(),
        ),
        (
            "roots",
            able.reads_roots
                .then(|| Scenario::ROOTS.map(|roots| roots.to_string()))
                .into_iter()
                .flatten()
                .collect(),
        ),
        ("work", able.works.clone()),
        ("primitive", able.primitives.clone()),
        ("threads", able.threads.then(|| "several".to_owned()).into_iter().collect()),
    ];
    let is_tried = |axis: &str, value: &String| axes.get(axis).is_some_and(|(yes, _)| yes.contains(value));
    let mut untried = Vec::new();
    for (axis, values) in claimed {
        untried.extend(
            values.iter().filter(|value| !is_tried(axis, value)).map(|value| format!("{axis} {value}")),
        );
    }
    untried
}

/// The document of some sections.
pub fn document(sections: &[String]) -> String {
    let mut text = String::from(
        "# What each stack can do\n\n\
         Made by `tlslab stacks --capabilities --format markdown`; the tests compare it with what the drivers say, and\n\
         `tlslab run --suite conformance` tries every claim. What a stack cannot do has the reason in its own words.\n",
    );
    for section in sections {
        text.push('\n');
        text.push_str(section);
    }
    text
}

/// What differs between a stack's section now and the one in a committed document. The words of reasons and notes may
/// change; what is claimed may not, and every "not" needs a reason.
pub fn drift(stack: &str, section: &str, document: &str) -> Vec<String> {
    let mut found: Vec<String> = section
        .lines()
        .filter(|line| line.ends_with(NO_REASON) || line.starts_with(NOT_TRIED))
        .map(|line| format!("{stack}: {}", line.trim_start_matches([' ', '-'])))
        .collect();
    let Some(committed) = document.split("\n## ").find(|part| part.lines().next() == Some(stack)) else {
        found.push(format!("{stack}: it is not in the document"));
        return found;
    };
    let (now, then) = (claimed(section), claimed(committed));
    let lost = then.difference(&now);
    found.extend(lost.map(|(axis, value)| format!("{stack}: {axis} {value} is not claimed any more")));
    let new = now.difference(&then);
    found.extend(new.map(|(axis, value)| format!("{stack}: {axis} {value} is new")));
    found
}

/// The claims in a section: axis and value.
fn claimed(section: &str) -> BTreeSet<(String, String)> {
    let mut claims = BTreeSet::new();
    for line in section.lines() {
        let Some((axis, values)) = line.strip_prefix("- ").and_then(|line| line.split_once(": ")) else {
            continue;
        };
        if AXES.contains(&axis) {
            claims.extend(values.split(", ").map(|value| (axis.to_owned(), value.to_owned())));
        }
    }
    claims
}

const AXES: [&str; 16] = [
    "work",
    "version",
    "signature",
    "group",
    "suite",
    "verification",
    "resumption",
    "authentication",
    "chain",
    "tickets",
    "hello_retry",
    "early_data",
    "server_key_share",
    "roots",
    "threads",
    "primitive",
];

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str =
        "# T\n\n## a\n\nA 1\n\n- group: x25519, p-256\n  - not p-384: old\n\n## b\n\n- group: none\n";

    #[test]
    fn nothing_has_changed_when_only_words_have() {
        let now = "## a\n\nA 2\n\n- group: p-256, x25519\n  - not p-384: other words\n- note: new\n";
        assert_eq!(drift("a", now, DOCUMENT), Vec::<String>::new());
    }

    #[test]
    fn what_changed_is_named() {
        let lost = drift("a", "## a\n- group: p-256\n  - not x25519: broken\n", DOCUMENT);
        assert_eq!(lost, ["a: group x25519 is not claimed any more"]);
        let new = drift("a", "## a\n- group: x25519, p-256, p-384\n", DOCUMENT);
        assert_eq!(new, ["a: group p-384 is new"]);
        assert_eq!(drift("c", "## c\n", DOCUMENT), ["c: it is not in the document"]);
    }

    #[test]
    fn every_no_needs_a_reason_and_every_claim_a_trial() {
        let now = "## a\n- group: x25519, p-256\n  - not p-384: no reason given\n- not tried by any scenario: group x448\n";
        assert_eq!(
            drift("a", now, DOCUMENT),
            ["a: not p-384: no reason given", "a: not tried by any scenario: group x448"]
        );
    }
}
