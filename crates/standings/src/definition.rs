//! The file that lists stacks and results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

/// The longest file, bytes.
pub const LONGEST: u64 = 1 << 20;
/// The most stacks.
const MOST_STACKS: usize = 20;
/// The most results.
const MOST_RESULTS: usize = 500;

/// A project's choice of stacks and results.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The title of the report.
    pub title: String,
    /// The stacks, in the order of the tables' columns.
    pub stacks: Vec<Listed>,
    /// The results; each group has a chart.
    pub groups: Vec<Group>,
    /// Places that were published, to compare with those here.
    pub published: Option<Published>,
}

/// A stack.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// Its name in the report.
    pub name: String,
    /// The stack, as on the command line.
    pub stack: String,
}

/// Results under one title.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The title.
    pub title: String,
    /// The results.
    pub results: Vec<ResultOf>,
}

/// A result: one side's time in a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultOf {
    /// Its name in the report.
    pub name: String,
    /// The scenario.
    pub scenario: String,
    /// The side.
    pub side: Side,
}

/// Published places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The publication's title.
    pub title: String,
    /// Its address.
    pub address: String,
    /// What differs between its measurement and this one.
    pub note: String,
    /// By the stack's name in the report: how many first places, second places and so on.
    pub places: BTreeMap<String, Vec<usize>>,
}

/// What is wrong with a file, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The cause.
    pub cause: String,
    /// The next step.
    pub next: &'static str,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.cause, self.next)
    }
}

impl Definition {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Fails if it is no such TOML, has fewer than two stacks or no result, or names something twice.
    pub fn parse(text: &str) -> Result<Self, Mistake> {
        let next = "correct the file; the guide on standings has an example";
        let mistake = |cause: String| Mistake { cause, next };
        let parser = toml::Deserializer::parse(text).map_err(|error| mistake(error.message().to_owned()))?;
        let read: Self = serde_path_to_error::deserialize(parser)
            .map_err(|error| mistake(format!("{}: {}", error.path(), error.inner().message())))?;
        match read.mistake() {
            Some(cause) => Err(mistake(cause)),
            None => Ok(read),
        }
    }

    /// All results.
    pub fn results(&self) -> impl Iterator<Item = &ResultOf> {
        self.groups.iter().flat_map(|group| &group.results)
    }

    /// The scenarios, each once, in their order.
    pub fn scenarios(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for result in self.results().filter(|result| !result.scenario.is_empty()) {
            if !found.contains(&result.scenario) {
                found.push(result.scenario.clone());
            }
        }
        found
    }

    fn mistake(&self) -> Option<String> {
        let twice = |names: Vec<String>| {
            let mut known = BTreeSet::new();
            names.into_iter().find(|name| !known.insert(name.clone()))
        };
        let results = self.results().count();
        if !(2..=MOST_STACKS).contains(&self.stacks.len()) {
            return Some(format!(
                "it has {} stacks, and 2 to {MOST_STACKS} can be ranked",
                self.stacks.len()
            ));
        }
        if !(1..=MOST_RESULTS).contains(&results) {
            return Some(format!("it has {results} results, and 1 to {MOST_RESULTS} can be ranked"));
        }
        if let Some(name) = twice(self.stacks.iter().map(|listed| listed.name.clone()).collect()) {
            return Some(format!("two stacks have the name {name:?}"));
        }
        if let Some(stack) = twice(self.stacks.iter().map(|listed| listed.stack.clone()).collect()) {
            return Some(format!("{stack} is listed twice"));
        }
        if let Some(result) =
            twice(self.results().map(|result| format!("{}, {}", result.scenario, result.side)).collect())
        {
            return Some(format!("two results are of {result}"));
        }
        let places = self.published.iter().flat_map(|published| &published.places);
        places.into_iter().find_map(|(name, places)| {
            if !self.stacks.iter().any(|listed| listed.name == *name) {
                return Some(format!("published.places has {name:?}, which is the name of no stack"));
            }
            (places.len() > self.stacks.len())
                .then(|| format!("published.places of {name:?} has more places than there are stacks"))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = r#"
        title = "A and B"
        stacks = [{ name = "A", stack = "a@1" }, { name = "B", stack = "b" }]
        [[groups]]
        title = "Handshakes"
        results = [
            { name = "client", scenario = "h", side = "client" },
            { name = "server", scenario = "h", side = "server" },
        ]
    "#;

    #[test]
    fn a_file_is_read() {
        let read = Definition::parse(TEXT).unwrap();
        assert_eq!(read.scenarios(), ["h"]);
        assert_eq!(read.results().count(), 2);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cause = |from: &str, to: &str| Definition::parse(&TEXT.replace(from, to)).unwrap_err().cause;
        assert_eq!(
            cause(", { name = \"B\", stack = \"b\" }", ""),
            "it has 1 stacks, and 2 to 20 can be ranked"
        );
        assert_eq!(cause("name = \"B\"", "name = \"A\""), "two stacks have the name \"A\"");
        assert_eq!(cause("stack = \"b\"", "stack = \"a@1\""), "a@1 is listed twice");
        assert_eq!(cause("side = \"server\"", "side = \"client\""), "two results are of h, client");
        assert!(cause("side = \"server\"", "side = \"both\"").starts_with("groups[0].results[1].side: "));
        assert!(cause("title = \"A and B\"", "titel = \"A\"").contains("titel"));
        let published = "[published]\ntitle = \"\"\naddress = \"\"\nnote = \"\"\nplaces = { C = [1] }";
        let said = Definition::parse(&format!("{TEXT}{published}")).unwrap_err().cause;
        assert_eq!(said, "published.places has \"C\", which is the name of no stack");
        let said = Definition::parse(&format!("{TEXT}{}", published.replace("C = [1]", "A = [1, 2, 3]")));
        assert!(said.unwrap_err().cause.ends_with("more places than there are stacks"));
    }

    proptest! {
        #[test]
        fn any_text_is_answered(text in ".{0,400}", at in 0..TEXT.len(), cut in "[\\[\\]{}\"=,a-z0-9]{0,8}") {
            let _ = Definition::parse(&text);
            if let (Some(head), Some(tail)) = (TEXT.get(..at), TEXT.get(at..)) {
                let _ = Definition::parse(&format!("{head}{cut}{tail}"));
            }
        }
    }
}
