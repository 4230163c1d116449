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
        // Earlier runs have neither.
        let read: StackIdentity = serde_json::from_str("{\"recipe\":\"a\"}").unwrap();
        assert!(read.dependencies.is_none() && !read.is_withdrawn);
        assert!(!serde_json::to_string(&read).unwrap().contains("withdrawn"));
    }
}
