//! The functions of changed counts, before and after: files in callgrind's format, next to the comparison.

use std::io::Write;

use anyhow::Context;
use flate2::Compression;
use flate2::write::GzEncoder;
use tlslab_comparison::{Comparison, ProfilePair};
use tlslab_profile::{Flame, Profile, Stacks, write as in_callgrinds_format};

use crate::functions::counted::CountedFunctions;

/// The folder of the files, in the comparison's.
pub(super) const FOLDER: &str = "profiles";
/// The most scenarios with stored profiles: those of the largest changes.
pub(super) const MOST_SCENARIOS: usize = 32;
/// Bytes of all files of a comparison, compressed.
const MOST_BYTES: usize = 32 << 20;
/// The most boxes of a flame graph: the smallest ones are omitted.
const MOST_BOXES: usize = 200;
/// Boxes below this share of the whole are hardly visible.
const LEAST_SHARE: f64 = 0.001;
/// Characters of a scenario in a file's name.
const LONGEST_NAME: usize = 100;

/// The profiles of a comparison.
#[derive(Default)]
pub struct KeptProfiles {
    /// Files by their names below the comparison's folder.
    pub files: Vec<(String, Vec<u8>)>,
    /// The differential flame graph of each of [`Comparison::profiles`].
    pub flames: Vec<Flame>,
    scenarios: usize,
    bytes: usize,
}

impl KeptProfiles {
    /// Stores both profiles of each side of a scenario whose count changed.
    ///
    /// # Errors
    /// Fails if a profile cannot be compressed.
    pub fn keep(
        &mut self,
        comparison: &mut Comparison,
        (pair, scenario): (usize, &str),
        baseline: &CountedFunctions,
        candidate: &CountedFunctions,
    ) -> anyhow::Result<()> {
        self.scenarios += 1;
        let number = self.scenarios;
        for side in super::reasons::changed_sides(comparison, pair, scenario) {
            let name = side.name();
            let (Some(was), Some(is)) = (baseline.sides.get(name), candidate.sides.get(name)) else {
                continue;
            };
            let stem = format!("{FOLDER}/{number:02}-{}.{name}", file_name(scenario));
            let of = |which: &str, counted: &CountedFunctions, profile: &Profile| {
                let command = format!("{which}: {}", counted.title.replace(char::is_control, " "));
                let file = format!("{stem}.{which}.callgrind.gz");
                Ok::<_, anyhow::Error>((file, compressed(&in_callgrinds_format(profile, &command))?))
            };
            let files = [of("baseline", baseline, &was.0)?, of("candidate", candidate, &is.0)?];
            let bytes: usize = files.iter().map(|(_, content)| content.len()).sum();
            if self.bytes + bytes > MOST_BYTES {
                let most = MOST_BYTES >> 20;
                comparison.warnings.push(format!(
                    "the profiles of {scenario}, {name}, are not kept: a comparison keeps at most {most} MiB of them"
                ));
                continue;
            }
            self.bytes += bytes;
            comparison.profiles.push(ProfilePair {
                pair,
                scenario: scenario.to_owned(),
                side,
                baseline: files[0].0.clone(),
                candidate: files[1].0.clone(),
                iterations: candidate.iterations,
            });
            self.files.extend(files);
            self.flames.push(flame(name, (&was.1, baseline.iterations), (&is.1, candidate.iterations)));
        }
        Ok(())
    }
}

fn compressed(text: &str) -> anyhow::Result<Vec<u8>> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(text.as_bytes()).and_then(|()| gzip.finish()).context("a profile cannot be compressed")
}

/// A scenario's name as part of a file's.
fn file_name(scenario: &str) -> String {
    let plain = |letter: char| match letter {
        letter if letter.is_ascii_alphanumeric() || "-.".contains(letter) => letter,
        _ => '_',
    };
    scenario.chars().take(LONGEST_NAME).map(plain).collect()
}

fn flame(name: &str, before: (&Stacks, u64), after: (&Stacks, u64)) -> Flame {
    let whole = Flame::between(name, before, after);
    let mut share = LEAST_SHARE;
    loop {
        let pruned = whole.clone().above(share);
        if boxes(&pruned) <= MOST_BOXES || share >= 1.0 {
            return pruned;
        }
        share *= 2.0;
    }
}

fn boxes(flame: &Flame) -> usize {
    1 + flame.callees.iter().map(boxes).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_its_scenario() {
        assert_eq!(file_name("handshake/1.3/p-256"), "handshake_1.3_p-256");
        assert_eq!(file_name("../../etc/passwd\0é"), ".._.._etc_passwd__");
        assert_eq!(file_name(&"x".repeat(1000)).len(), LONGEST_NAME);
    }

    #[test]
    fn a_graph_has_no_more_boxes_than_its_bound() {
        let lines: String = (0..2_000).map(|number| format!("f{number} {}\n", 1 + number % 900)).collect();
        let stacks = Stacks::parse(&lines).unwrap();
        let graph = flame("client", (&stacks, 1), (&stacks, 1));
        assert!(boxes(&graph) <= MOST_BOXES, "{}", boxes(&graph));
        assert_eq!((graph.before, graph.after), (Some(stacks.total() as f64), stacks.total() as f64));
        let few = Stacks::parse("a;b 10\na 3\n").unwrap();
        assert_eq!(boxes(&flame("client", (&few, 1), (&few, 1))), 3);
    }

    #[test]
    fn twenty_changed_scenarios_leave_twenty_pairs() {
        let text = include_str!("../../../tlslab/tests/action/comparison.json");
        let mut comparison = tlslab_comparison::read(text).unwrap();
        let changed = comparison.changes[0].clone();
        assert!(changed.verdict().is_some_and(tlslab_comparison::Verdict::is_flagged));
        let name = |number: usize| format!("handshake/{number}");
        comparison.changes = (0..20)
            .map(|number| tlslab_comparison::Change { scenario: name(number), ..changed.clone() })
            .collect();
        let counted = |cost: u64| {
            let profile = tlslab_profile::parse(&format!("events: Ir\nfn=f\n0 {cost}\n")).unwrap();
            let stacks = Stacks::parse(&format!("f {cost}\n")).unwrap();
            CountedFunctions {
                title: "a stack".to_owned(),
                stack: None,
                counter: None,
                native: false,
                iterations: 1,
                sides: [("client".to_owned(), (profile, stacks))].into(),
            }
        };
        let mut kept = KeptProfiles::default();
        for number in 0..20 {
            kept.keep(&mut comparison, (0, &name(number)), &counted(10), &counted(11)).unwrap();
        }
        assert_eq!((comparison.profiles.len(), kept.files.len(), kept.flames.len()), (20, 40, 20));
        let mut names: Vec<&String> = kept.files.iter().map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 40);
        // The stored file is parsed again, whatever its origin.
        assert_eq!(tlslab_comparison::read(&tlslab_comparison::json(&comparison)).unwrap(), comparison);
    }
}
