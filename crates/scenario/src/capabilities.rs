//! Capabilities of stacks, as data that is committed, compared and shown. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::{Deserialize, Serialize};
use tlslab_protocol::{Capabilities, Description, Scenario};

use crate::{Claim, claims};

/// The placeholder for a missing reason.
const NO_REASON: &str = "no reason given";

/// Per axis, the shorter values first: simple ones before those that are composed of them.
type Values = BTreeMap<String, Vec<String>>;

/// Every value in some scenarios: those that a stack claims, and the reasons for the others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackCapabilities {
    /// The library and its version.
    pub library: String,
    /// Its claims, by axis.
    pub can: Values,
    /// The values that it lacks, grouped by reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cannot: Vec<Lack>,
    /// Its claims that no scenario uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untried: Vec<String>,
    /// The axes on which its client offers more than requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers_more: Vec<String>,
    /// Notes for readers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Values that a stack does not support for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lack {
    /// The reason, in the driver's words.
    pub reason: String,
    /// The values by axis.
    pub values: Values,
}

impl StackCapabilities {
    /// A driver's report, reduced to the scenarios' values.
    #[must_use]
    pub fn of(description: &Description, scenarios: &[Scenario]) -> Self {
        let able = &description.capabilities;
        let mut asked: Vec<Claim> = scenarios.iter().flat_map(|scenario| claims(scenario, able)).collect();
        asked.sort_by_key(|claim| (claim.axis, claim.value.len(), claim.value.clone()));
        asked.dedup_by(|one, other| (one.axis, &one.value) == (other.axis, &other.value));
        let (mut can, mut cannot) = (Values::new(), Vec::<Lack>::new());
        for claim in asked {
            let claimed = can.entry(claim.axis.to_owned()).or_default();
            if claim.met {
                claimed.push(claim.value);
                continue;
            }
            let reason = claim.reason.unwrap_or_else(|| NO_REASON.to_owned());
            let at = cannot.iter().position(|lack| lack.reason == reason).unwrap_or(cannot.len());
            if at == cannot.len() {
                cannot.push(Lack { reason, values: Values::new() });
            }
            cannot[at].values.entry(claim.axis.to_owned()).or_default().push(claim.value);
        }
        let library = &description.library;
        Self {
            library: format!("{} {}", library.name, library.version),
            untried: untried(able, &can),
            can,
            cannot,
            offers_more: able.offers_more.clone(),
            notes: able.notes.clone(),
        }
    }

    /// The capabilities as text for readers.
    #[must_use]
    pub fn text(&self, stack: &str) -> String {
        let mut text = format!("## {stack}\n\n{}\n\n", self.library);
        // Writing to a String cannot fail.
        for (axis, values) in &self.can {
            let values = if values.is_empty() { "none".to_owned() } else { values.join(", ") };
            let _ = writeln!(text, "- {axis}: {values}");
        }
        for lack in &self.cannot {
            let values = lack.values.iter().map(|(axis, values)| format!("{axis} {}", values.join(", ")));
            let _ = writeln!(text, "- not {}: {}", values.collect::<Vec<_>>().join("; "), lack.reason);
        }
        for value in &self.untried {
            let _ = writeln!(text, "- not tried by any scenario: {value}");
        }
        if !self.offers_more.is_empty() {
            let axes = self.offers_more.join(", ");
            let _ = writeln!(text, "- the client offers more than it is asked to: {axes}");
        }
        for note in &self.notes {
            let _ = writeln!(text, "- note: {note}");
        }
        text
    }

    /// How a stack's capabilities differ from the committed ones. The words of reasons and notes may change;
    /// claims may not, and every value that it lacks needs a reason.
    #[must_use]
    pub fn drift(&self, stack: &str, committed: &BTreeMap<String, Self>) -> Vec<String> {
        let owed = self.cannot.iter().filter(|lack| lack.reason == NO_REASON);
        let mut found: Vec<String> = owed
            .flat_map(|lack| pairs(&lack.values))
            .map(|(axis, value)| format!("{stack}: not {axis} {value}: {NO_REASON}"))
            .collect();
        found.extend(self.untried.iter().map(|value| format!("{stack}: not tried by any scenario: {value}")));
        let Some(committed) = committed.get(stack) else {
            found.push(format!("{stack}: it is not in the document"));
            return found;
        };
        let (now, then) = (pairs(&self.can), pairs(&committed.can));
        let lost = then.difference(&now);
        found.extend(lost.map(|(axis, value)| format!("{stack}: {axis} {value} is no longer claimed")));
        let new = now.difference(&then);
        found.extend(new.map(|(axis, value)| format!("{stack}: {axis} {value} is new")));
        if self.offers_more != committed.offers_more {
            let [now, then] = [self, committed].map(|one| one.offers_more.join(", "));
            found.push(format!("{stack}: its client offers unasked: {now}; before: {then}"));
        }
        found
    }
}

/// Pairs of axis and value.
fn pairs(values: &Values) -> BTreeSet<(&str, &str)> {
    values.iter().flat_map(|(axis, all)| all.iter().map(move |one| (axis.as_str(), one.as_str()))).collect()
}

/// Claims that no scenario uses.
fn untried(able: &Capabilities, can: &Values) -> Vec<String> {
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
        ("defaults", able.defaults.then(|| "true".to_owned()).into_iter().collect()),
        ("work", able.works.clone()),
        ("primitive", able.primitives.clone()),
        ("threads", able.threads.then(|| "several".to_owned()).into_iter().collect()),
    ];
    let is_tried = |axis: &str, value: &String| can.get(axis).is_some_and(|tried| tried.contains(value));
    let mut untried = Vec::new();
    for (axis, values) in claimed {
        untried.extend(
            values.iter().filter(|value| !is_tried(axis, value)).map(|value| format!("{axis} {value}")),
        );
    }
    untried
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::{Group, Library, Limit};

    use super::*;

    fn values(axis: &str, values: &[&str]) -> Values {
        Values::from([(axis.to_owned(), values.iter().map(|&value| value.to_owned()).collect())])
    }

    fn with_groups(groups: &[&str]) -> StackCapabilities {
        StackCapabilities { can: values("group", groups), ..StackCapabilities::default() }
    }

    fn committed() -> BTreeMap<String, StackCapabilities> {
        BTreeMap::from([("a".to_owned(), with_groups(&["x25519", "p-256"]))])
    }

    fn lack(reason: &str) -> Vec<Lack> {
        vec![Lack { reason: reason.to_owned(), values: values("group", &["p-384"]) }]
    }

    #[test]
    fn nothing_has_changed_when_only_words_have() {
        let now = StackCapabilities {
            library: "A 2".to_owned(),
            cannot: lack("other words"),
            notes: vec!["new".to_owned()],
            ..with_groups(&["p-256", "x25519"])
        };
        assert_eq!(now.drift("a", &committed()), Vec::<String>::new());
    }

    #[test]
    fn what_changed_is_named() {
        let drift = |groups: &[&str], stack| with_groups(groups).drift(stack, &committed());
        assert_eq!(drift(&["p-256"], "a"), ["a: group x25519 is no longer claimed"]);
        assert_eq!(drift(&["x25519", "p-256", "p-384"], "a"), ["a: group p-384 is new"]);
        assert_eq!(drift(&[], "c"), ["c: it is not in the document"]);
        let now =
            StackCapabilities { offers_more: vec!["group".to_owned()], ..with_groups(&["x25519", "p-256"]) };
        assert_eq!(now.drift("a", &committed()), ["a: its client offers unasked: group; before: "]);
    }

    #[test]
    fn every_no_needs_a_reason_and_every_claim_a_trial() {
        let untried = vec!["group x448".to_owned()];
        let now = StackCapabilities { cannot: lack(NO_REASON), untried, ..with_groups(&["x25519", "p-256"]) };
        assert_eq!(
            now.drift("a", &committed()),
            ["a: not group p-384: no reason given", "a: not tried by any scenario: group x448"]
        );
    }

    #[test]
    fn a_reason_is_given_once() {
        let text = "name = \"h/{group}/{suite}\"\n[axes]\ngroup = [\"x25519\", \"p-384\"]\nsuite = [\"aes-128-gcm\", \"aes-256-gcm\"]\n";
        let scenarios = crate::Family::parse("f.toml", text).unwrap().remove(0).scenarios;
        let limit = |axis: &str| Limit {
            axis: axis.to_owned(),
            value: "any".to_owned(),
            reason: "too old".to_owned(),
        };
        let able = Capabilities {
            groups: vec![Group::X25519],
            limits: ["group", "suite"].map(limit).to_vec(),
            ..Capabilities::default()
        };
        let library = Library { name: "A".to_owned(), version: "1".to_owned(), components: Vec::new() };
        let description = Description {
            protocol: 1,
            driver: "a".to_owned(),
            library,
            capabilities: able,
            metrics: Vec::new(),
            features: Vec::new(),
            hidden: None,
        };
        let found = StackCapabilities::of(&description, &scenarios);
        assert_eq!(found.can["group"], ["x25519"]);
        let old = found.cannot.iter().find(|lack| lack.reason == "too old").unwrap();
        assert_eq!(old.values["group"], ["p-384"]);
        assert_eq!(old.values["suite"], ["aes-128-gcm", "aes-256-gcm"]);
        let text = found.text("a");
        assert!(text.contains("\n- not group p-384; suite aes-128-gcm, aes-256-gcm: too old\n"), "{text}");
    }
}
