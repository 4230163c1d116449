//! The inputs of a stack's build.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that identifies the build of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StackIdentity {
    /// The recipe's name.
    pub recipe: String,
    /// SHA-256 of the recipe's text, hex.
    pub recipe_digest: String,
    /// The library's licence, SPDX.
    pub licence: String,
    /// The library's source, for display.
    pub source: String,
    /// The pin of the source's content: a SHA-256 in hex, or the commit for git.
    pub source_digest: String,
    /// How the library and the driver were built: variables, commands, features, flags and pins, one each.
    pub flags: Vec<String>,
    /// SHA-256 of the lock file of a driver in Rust, hex: it names every package.
    pub lock_digest: Option<String>,
    /// The C compiler and its target.
    pub compiler: String,
    /// The Rust compiler; only of the kit if the driver is in C.
    pub rustc: String,
    /// The profile of the Rust parts.
    pub profile: String,
    /// SHA-256 over the sources of the kit and of the driver, hex; empty in runs of earlier versions of the
    /// lab.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub harness_digest: String,
    /// The library's dependencies as of a day, for a driver in Rust; `None` if they are the newest ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependencies: Option<Dependencies>,
    /// Whether its registry had withdrawn this release when it was built.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_withdrawn: bool,
    /// The processor that its driver was run as; nothing if that is the host's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<RunAs>,
}

/// A processor that a driver was run as: this host's, with features hidden.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RunAs {
    /// What was asked for, `zen3` or `without-vaes`.
    pub name: String,
    /// The processor, for a person.
    pub title: String,
    /// Where its list of features comes from; nothing if single features were named.
    pub source: Option<String>,
    /// Features of this host's processor that were hidden.
    pub hidden: Vec<String>,
    /// How, as the driver's process reports it: `faulting` or `replaced`.
    pub way: String,
    /// Functions whose CPUID instructions were answered without them, each with how often.
    pub answered: Vec<String>,
}

impl RunAs {
    /// What must stand wherever its figures do, as a sentence.
    pub fn caution(&self) -> String {
        format!(
            "Run as {}, by hiding features of this host's processor: this chooses code, and is no forecast of that processor's speed.",
            self.title
        )
    }

    /// What was hidden, and the proof.
    fn note(&self) -> String {
        let hidden = match self.hidden.is_empty() {
            true => "it lacks no feature that this host has, so nothing is hidden".to_owned(),
            false => format!("hidden are {}", self.hidden.join(", ")),
        };
        let way = match self.way.as_str() {
            "faulting" => "every CPUID instruction of its process faults and is answered without them",
            _ => "every CPUID instruction of its process was replaced by one that is answered without them",
        };
        let answered = match self.answered.is_empty() {
            true => String::new(),
            false => format!(" (so far those of {})", self.answered.join(", ")),
        };
        let source = self
            .source
            .iter()
            .map(|source| format!(" Its features are those of {source}."))
            .collect::<String>();
        format!(
            "run as {}; {hidden}. Proof: CPUID in its process reports none of them; {way}{answered}.{source} This chooses code; \
             it is no forecast of that processor's speed.",
            self.title
        )
    }
}

/// A library's dependencies as of a day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dependencies {
    /// The day, `2023-08-28`.
    pub as_of: String,
    /// Its direct and indirect dependencies, each with its day of publication: `ring 0.16.20 (2021-02-01)`.
    pub packages: Vec<String>,
    /// Those that are newer than the day, and why.
    pub newer: Vec<String>,
}

impl StackIdentity {
    /// Notes for readers on this build, as sentences without the stack's name.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_withdrawn {
            notes.push("its registry has withdrawn (yanked) this release.".to_owned());
        }
        if let Some(Dependencies { as_of, packages, newer }) = &self.dependencies {
            notes.push(format!("dependencies as of {as_of}: {}.", packages.join(", ")));
            if !newer.is_empty() {
                notes.push(format!("newer than {as_of} nevertheless: {}.", newer.join("; ")));
            }
        }
        notes.extend(self.processor.as_ref().map(RunAs::note));
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_learns_what_a_library_got() {
        assert!(StackIdentity::default().notes().is_empty());
        let text = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
        let dependencies = Dependencies {
            as_of: "2023-08-28".to_owned(),
            packages: text(&["ring 0.16.20 (2021-02-01)", "log 0.4.29 (2025-12-01)"]),
            newer: text(&["log 0.4.29: 0.4.20 is too old for kit"]),
        };
        let identity = StackIdentity {
            dependencies: Some(dependencies),
            is_withdrawn: true,
            ..StackIdentity::default()
        };
        let notes = identity.notes();
        assert_eq!(notes.len(), 3);
        assert!(notes[0].contains("yanked"), "{notes:?}");
        assert_eq!(
            notes[1],
            "dependencies as of 2023-08-28: ring 0.16.20 (2021-02-01), log 0.4.29 (2025-12-01)."
        );
        assert!(notes[2].ends_with("log 0.4.29: 0.4.20 is too old for kit."), "{notes:?}");
        // Runs from before have none of these.
        let read: StackIdentity = serde_json::from_str("{\"recipe\":\"a\"}").unwrap();
        assert!(read.dependencies.is_none() && !read.is_withdrawn && read.processor.is_none());
        assert!(!serde_json::to_string(&read).unwrap().contains("withdrawn"));
    }

    #[test]
    fn a_reader_learns_what_was_hidden_and_that_it_is_no_forecast() {
        let run_as = RunAs {
            title: "AMD Zen 3".to_owned(),
            hidden: vec!["avx512f".to_owned(), "gfni".to_owned()],
            way: "faulting".to_owned(),
            answered: vec!["cpuid_setup 9 times".to_owned()],
            ..RunAs::default()
        };
        let note = run_as.note();
        assert!(note.starts_with("run as AMD Zen 3; hidden are avx512f, gfni. Proof: "), "{note}");
        assert!(note.contains("(so far those of cpuid_setup 9 times)"), "{note}");
        assert!(note.ends_with("This chooses code; it is no forecast of that processor's speed."), "{note}");
        assert!(run_as.caution().contains("no forecast"), "{}", run_as.caution());
        let same = RunAs { hidden: vec![], ..run_as }.note();
        assert!(same.contains("nothing is hidden"), "{same}");
    }
}
