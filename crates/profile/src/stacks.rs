//! Stacks of functions with the cost of the innermost: one line each, functions from the outermost on with
//! `;` between, a space, a number. Other programs call such files collapsed or folded stacks.

use std::collections::BTreeMap;

/// An error in a file, and its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: \"{text}\" is not a stack; write functions separated by `;`, a space and a number")]
pub struct StackError {
    /// The line, from 1.
    pub line: usize,
    /// The beginning of the line.
    pub text: String,
}

/// A function and its callees, with the self cost of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stacks {
    /// Its self cost.
    pub own: u64,
    /// Whom it called, by name.
    pub callees: BTreeMap<String, Stacks>,
}

impl Stacks {
    /// Reads a file. The outermost functions are the callees of the returned root.
    ///
    /// # Errors
    /// Fails on the first line that is not a stack.
    pub fn parse(text: &str) -> Result<Self, StackError> {
        let mut all = Self::default();
        for (at, line) in text.lines().enumerate() {
            let wrong = || StackError { line: at + 1, text: line.chars().take(60).collect() };
            let (functions, number) = line.rsplit_once(' ').ok_or_else(wrong)?;
            let own: u64 = number.parse().map_err(|_| wrong())?;
            let mut place = &mut all;
            for function in functions.split(';') {
                place = place.callees.entry(function.to_owned()).or_default();
            }
            place.own = place.own.saturating_add(own);
        }
        Ok(all)
    }

    /// Its inclusive cost.
    pub fn total(&self) -> u64 {
        self.callees.values().fold(self.own, |sum, callee| sum.saturating_add(callee.total()))
    }

    /// The stacks without the outermost functions up to the last one whose name is accepted, as long as each
    /// has one callee: the harness's frames are in every line.
    #[must_use]
    pub fn within(mut self, is_accepted: &dyn Fn(&str) -> bool) -> Self {
        let mut depth = 0;
        let mut place = &self;
        let mut at = 0;
        while place.callees.len() == 1 {
            let (name, callee) = place.callees.iter().next().expect("there is one");
            at += 1;
            if is_accepted(name) {
                depth = at;
            }
            place = callee;
        }
        for _ in 0..depth {
            let (_, mut callee) = self.callees.pop_first().expect("the loop above has seen it");
            callee.own = callee.own.saturating_add(self.own);
            self = callee;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_become_a_tree() {
        let stacks = Stacks::parse("main;a;b 3\nmain;a 2\nmain;a;b 4\nmain;c 1\n").unwrap();
        let main = &stacks.callees["main"];
        assert_eq!((main.own, main.total(), stacks.total()), (0, 10, 10));
        assert_eq!((main.callees["a"].own, main.callees["a"].callees["b"].own), (2, 7));
        assert_eq!(Stacks::parse("").unwrap(), Stacks::default());
    }

    #[test]
    fn what_every_stack_begins_with_is_left_out() {
        let all = Stacks::parse("start;main 1\nstart;main;kit_a;kit_b;f;g 3\nstart;main;kit_a;kit_b;f 2\n")
            .unwrap();
        let within = all.clone().within(&|name| name.starts_with("kit"));
        assert_eq!(within.callees.keys().collect::<Vec<_>>(), ["f"]);
        assert_eq!((within.own, within.total()), (1, all.total()), "nothing is lost");
        assert_eq!(all.clone().within(&|_| false), all);
    }

    #[test]
    fn what_is_no_stack_is_reported() {
        let error = Stacks::parse("a;b 1\nnothing\n").unwrap_err();
        assert_eq!((error.line, &*error.text), (2, "nothing"));
        assert!(Stacks::parse("a;b -1").is_err());
        assert!(Stacks::parse("a;b 99999999999999999999").is_err());
    }
}
