//! The measurement and the versions of a document's figures.

use std::fmt::Write;

use tlslab_text::markdown as escaped;

use super::words::took;
use crate::model::{HostOf, Reproduction, RunNote};
use crate::provenance::{Commit, PartProvenance, Provenance, StackVersion};

/// How many digits of a commit are shown.
const DIGITS: usize = 12;

/// The hosts, each in a few words.
pub fn here_on(reproduction: &Reproduction) -> String {
    match reproduction.hosts.as_slice() {
        [] => reproduction.host.summary(),
        hosts => hosts.iter().map(|of| of.host.summary()).collect::<Vec<_>>().join("; "),
    }
}

/// The runs, each with its host if there are several.
pub fn runs_of(reproduction: &Reproduction) -> Vec<(Option<&str>, &RunNote)> {
    match reproduction.hosts.as_slice() {
        [] => reproduction.runs.iter().map(|run| (None, run)).collect(),
        hosts => {
            let all = hosts.iter().flat_map(|host| host.runs.iter().map(move |run| (host, run)));
            all.map(|(host, run)| (Some(host.name.as_str()), run)).collect()
        }
    }
}

/// How long it took, on each host.
pub fn took_lines(reproduction: &Reproduction) -> Vec<String> {
    match reproduction.hosts.as_slice() {
        [] => reproduction.took.iter().map(took).collect(),
        hosts => {
            let line = |of: &HostOf| Some(format!("{}: {}", of.name, took(of.took.as_ref()?)));
            hosts.iter().filter_map(line).collect()
        }
    }
}

/// How it was measured, as pairs of a term and its value.
pub fn provenance_facts(reproduction: &Reproduction) -> Vec<(&'static str, String)> {
    match reproduction.hosts.as_slice() {
        [] => reproduction.provenance.as_ref().map(facts).unwrap_or_default(),
        hosts => {
            let of = |of: &HostOf| {
                let facts = of.provenance.as_ref().map(facts).unwrap_or_default().into_iter();
                facts.map(|(term, value)| (term, format!("{}: {value}", of.name))).collect::<Vec<_>>()
            };
            hosts.iter().flat_map(of).collect()
        }
    }
}

fn facts(of: &Provenance) -> Vec<(&'static str, String)> {
    let mut facts = vec![("Measured by", measured_by(of))];
    facts.extend(loads(of).map(|loads| ("Load of the last minute", loads)));
    let repeated: Vec<&str> =
        of.parts.iter().filter(|part| part.repeated).map(|part| part.part.as_str()).collect();
    if !repeated.is_empty() {
        let why = "the host was busy the first time; the quieter of the two is shown";
        facts.push(("Measured twice", format!("{}: {why}", repeated.join(", "))));
    }
    facts
}

fn measured_by(of: &Provenance) -> String {
    let commit = |commit: &Commit| {
        let changed = if commit.dirty { ", with changes that are not committed" } else { "" };
        format!("commit {}{changed}", commit.id.chars().take(DIGITS).collect::<String>())
    };
    let version = (!of.lab_version.is_empty()).then(|| format!("tlslab {}", of.lab_version));
    version.into_iter().chain(of.commits.iter().map(commit)).collect::<Vec<_>>().join("; ")
}

/// The load at the start of the first part, the range over all starts and ends, and the use by others.
fn loads(of: &Provenance) -> Option<String> {
    let all = |load: fn(&PartProvenance) -> Option<f64>| of.parts.iter().filter_map(load).collect::<Vec<_>>();
    let starts = all(|part| part.load_at_start);
    let mut text = match starts.as_slice() {
        [] => return None,
        [only] => format!("{only:.2} at the start"),
        [first, ..] => {
            format!("{first:.2} at the start of the first part, {} at all starts", range(&starts)?)
        }
    };
    // Writing to a string cannot fail.
    if let Some(ends) = range(&all(|part| part.load_at_end)) {
        let _ = write!(text, ", {ends} at the end, the lab's own work included");
    }
    let most = |load| all(load).into_iter().max_by(f64::total_cmp);
    if let Some(cpus) = most(|part| part.others_busy_cpus) {
        let _ = write!(text, "; other processes kept up to {cpus:.2} CPUs busy");
    }
    if let Some(percent) = most(|part| part.steal_percent) {
        let _ = write!(text, "; the hypervisor took up to {percent:.2} % of a CPU's time");
    }
    Some(text)
}

/// The smallest and the largest; one where they are the same.
fn range(loads: &[f64]) -> Option<String> {
    let smallest = loads.iter().copied().min_by(f64::total_cmp)?;
    let largest = loads.iter().copied().max_by(f64::total_cmp)?;
    Some(match smallest < largest {
        true => format!("{smallest:.2} to {largest:.2}"),
        false => format!("{smallest:.2}"),
    })
}

/// Stacks with their versions; the first line has the titles. What no stack has is no column. Empty if no
/// version is known.
pub fn versions_table(reproduction: &Reproduction) -> Vec<Vec<String>> {
    let versions = &reproduction.versions;
    if versions.is_empty() {
        return vec![];
    }
    type Column = (&'static str, &'static str, fn(&StackVersion) -> Option<&String>);
    let columns: [Column; 4] = [
        ("asked for as", "", |of| of.asked.as_ref()),
        ("published", "not stated", |of| of.published.as_ref()),
        ("measured here", "not measured", |of| of.measured.as_ref()),
        ("C compiler", "not recorded", |of| of.compiler.as_ref()),
    ];
    let is_there = |(title, _, read): &&Column| {
        ["published", "measured here"].contains(title) || versions.iter().any(|of| read(of).is_some())
    };
    let columns: Vec<&Column> = columns.iter().filter(is_there).collect();
    let titles = ["stack"].into_iter().chain(columns.iter().map(|(title, ..)| *title));
    let line = |of: &StackVersion| {
        let cells = columns
            .iter()
            .map(|(_, without, read)| read(of).cloned().unwrap_or_else(|| (*without).to_owned()));
        [of.stack.clone()].into_iter().chain(cells).collect()
    };
    [titles.map(str::to_owned).collect()].into_iter().chain(versions.iter().map(line)).collect()
}

pub(super) fn versions_markdown(reproduction: &Reproduction) -> String {
    let table = versions_table(reproduction);
    if table.is_empty() {
        return String::new();
    }
    let mut text = "\n## Versions\n\n".to_owned();
    // Writing to a string cannot fail.
    for (at, line) in table.iter().enumerate() {
        let cells: Vec<String> = line.iter().map(|cell| escaped(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
        if at == 0 {
            let _ = writeln!(text, "|{}", "---|".repeat(line.len()));
        }
    }
    text
}

pub(super) fn provenance_markdown(reproduction: &Reproduction) -> String {
    let mut text = String::new();
    for (term, value) in provenance_facts(reproduction) {
        let _ = writeln!(text, "- {term}: {}", escaped(&value));
    }
    text
}

pub(super) fn provenance_terminal(reproduction: &Reproduction) -> String {
    let mut text = String::new();
    let facts = provenance_facts(reproduction);
    if !facts.is_empty() {
        text.push('\n');
    }
    for (term, value) in facts {
        let _ = writeln!(text, "{term}: {value}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reproduction(share: f64) -> Reproduction {
        let text = r#"{ "document": "it", "title": "It", "by": "x", "on": "y", "flaws": [], "runs": [], "tables": [], "claims": [] }"#;
        let part = |load_at_start, repeated| PartProvenance {
            part: "run".to_owned(),
            load_at_start: Some(load_at_start),
            load_at_end: Some(1.5),
            repeated,
            ..PartProvenance::default()
        };
        let provenance = Provenance {
            lab_version: "0.1.0".to_owned(),
            commits: vec![Commit { id: "0123456789abcdef0123".to_owned(), dirty: true }],
            share,
            parts: vec![part(0.25, false), part(0.5, true)],
            ..Provenance::default()
        };
        let version = StackVersion {
            stack: "one".to_owned(),
            published: Some("One 1.0".to_owned()),
            ..StackVersion::default()
        };
        let read: Reproduction = serde_json::from_str(text).unwrap();
        Reproduction { provenance: Some(provenance), versions: vec![version], ..read }
    }

    #[test]
    fn commit_loads_and_versions_are_stated() {
        let of = reproduction(1.0);
        let facts = provenance_facts(&of);
        assert_eq!(
            facts[0],
            (
                "Measured by",
                "tlslab 0.1.0; commit 0123456789ab, with changes that are not committed".to_owned()
            )
        );
        assert_eq!(
            facts[1].1,
            "0.25 at the start of the first part, 0.25 to 0.50 at all starts, 1.50 at the end, the lab's own work included"
        );
        assert!(facts[2].1.starts_with("run: the host was busy the first time"), "{facts:?}");
        assert!(versions_markdown(&of).contains("| one | One 1.0 | not measured |\n"));
        let patched = StackVersion {
            asked: Some("one@patch:a.patch".to_owned()),
            compiler: Some("cc 12.2.0".to_owned()),
            ..of.versions[0].clone()
        };
        let of = Reproduction { versions: vec![of.versions[0].clone(), patched], ..of };
        let text = versions_markdown(&of);
        assert!(
            text.contains("| stack | asked for as | published | measured here | C compiler |\n"),
            "{text}"
        );
        assert!(text.contains("| one |  | One 1.0 | not measured | not recorded |\n"), "{text}");
    }
}
