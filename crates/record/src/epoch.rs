//! The other conditions under which two figures of a series are comparable.

use std::fmt;

/// The environment of a figure, and its definition: parts with a name and a value each, such as `kernel
/// 6.18`. Databases store its text, and compare that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Epoch {
    parts: Vec<String>,
}

/// The part with the digest of the scenario as resolved.
pub const WORK: &str = "work";
/// The part with the digest of the sources of kit and driver.
pub const HARNESS: &str = "harness";

impl Epoch {
    /// From parts with their values, in this order.
    pub fn new<'n>(parts: impl IntoIterator<Item = (&'n str, String)>) -> Self {
        let part = |(name, value): (&str, String)| format!("{name} {}", value.replace(';', ","));
        Self { parts: parts.into_iter().map(part).collect() }
    }

    /// From its text. An imported one may have parts of any form.
    pub fn read(text: &str) -> Self {
        Self { parts: text.split(SEPARATOR).map(str::to_owned).collect() }
    }

    /// The value of a part.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.parts.iter().find_map(|part| value(part, name))
    }

    /// The parts of the definition: the work and the harness. Figures of different definitions are never
    /// comparable.
    pub fn definition(mut self) -> Self {
        self.parts.retain(|part| value(part, WORK).or(value(part, HARNESS)).is_some());
        self
    }

    /// All parts but one.
    pub fn without(mut self, name: &str) -> Self {
        self.parts.retain(|part| value(part, name).is_none());
        self
    }

    /// The parts that an earlier one lacks.
    pub fn since(mut self, earlier: &Self) -> Vec<String> {
        self.parts.retain(|part| !earlier.parts.contains(part));
        self.parts
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts.join(SEPARATOR))
    }
}

const SEPARATOR: &str = "; ";

fn value<'p>(part: &'p str, name: &str) -> Option<&'p str> {
    part.strip_prefix(name)?.strip_prefix(' ')
}

/// The definition in an epoch's text.
pub fn definition(epoch: &str) -> String {
    Epoch::read(epoch).definition().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_text_is_read_as_it_was_written() {
        let parts = [("work", "0123".to_owned()), ("harness", "4567".to_owned()), ("cc", "12; x".to_owned())];
        let epoch = Epoch::new(parts);
        assert_eq!(epoch.to_string(), "work 0123; harness 4567; cc 12, x");
        assert_eq!(Epoch::read(&epoch.to_string()), epoch);
        assert_eq!(epoch.value("cc"), Some("12, x"));
        assert_eq!((epoch.value("c"), epoch.value("kernel")), (None, None));
        for foreign in ["", "any text", "a;b; c"] {
            assert_eq!(Epoch::read(foreign).to_string(), foreign);
        }
    }

    #[test]
    fn a_definition_is_work_and_harness() {
        assert_eq!(definition("work 1; harness 2; kernel 6"), "work 1; harness 2");
        assert_eq!(definition("kernel 6"), "");
        let driver =
            |harness: &str| Epoch::read(&format!("work 1; harness {harness}; kernel 6")).without(HARNESS);
        assert_eq!(driver("2"), driver("3"));
    }

    #[test]
    fn what_is_new_is_what_the_earlier_one_lacks() {
        let [before, now] = ["kernel 6; lab 1", "kernel 7; lab 1"].map(Epoch::read);
        assert_eq!(now.since(&before), ["kernel 7"]);
    }
}
