//! Collects wrong facts while facts are put together.

use crate::{Fact, Source, WrongFact};

/// The wrong facts so far.
#[derive(Default)]
pub(super) struct Checker {
    wrong: Vec<WrongFact>,
}

impl Checker {
    /// Records a wrong fact.
    pub(super) fn wrong(&mut self, fact: &str, expected: impl ToString, seen: impl ToString, source: Source) {
        let (fact, expected, seen) = (fact.to_owned(), expected.to_string(), seen.to_string());
        self.wrong.push(WrongFact { fact, expected, seen, source });
    }

    /// Combines a fact from all its sources. Each source with another value than expected is recorded as
    /// wrong.
    pub(super) fn fact<T: PartialEq + ToString>(
        &mut self,
        name: &str,
        expected: T,
        sightings: impl IntoIterator<Item = (Source, Option<T>)>,
        why_not_shown: &str,
    ) -> Fact<T> {
        let mut sources = Vec::new();
        let mut different = None;
        for (source, seen) in sightings {
            match seen {
                Some(seen) if seen == expected => sources.push(source),
                Some(seen) => {
                    self.wrong(name, expected.to_string(), seen.to_string(), source);
                    different = Some((seen, source));
                }
                None => {}
            }
        }
        match different {
            Some((value, source)) => Fact::Shown { value, sources: vec![source] },
            None if sources.is_empty() => Fact::NotShown { not_shown: why_not_shown.to_owned() },
            None => Fact::Shown { value: expected, sources },
        }
    }

    /// Records an offer of anything other than the one value.
    pub(super) fn only<T: PartialEq + ToString>(&mut self, name: &str, expected: &T, offered: &[T]) {
        if offered.len() != 1 || offered[0] != *expected {
            self.wrong(name, format!("{} alone", expected.to_string()), list(offered), Source::Wire);
        }
    }

    /// The facts, if nothing was wrong.
    pub(super) fn finish<F>(self, facts: F) -> Result<F, Vec<WrongFact>> {
        if self.wrong.is_empty() { Ok(facts) } else { Err(self.wrong) }
    }
}

/// Values in a row, or `none`.
pub(super) fn list<T: ToString>(values: &[T]) -> String {
    if values.is_empty() {
        return "none".to_owned();
    }
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
