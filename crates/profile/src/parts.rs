//! Which part of the work a function belongs to, by rules that are data.

use std::collections::BTreeMap;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use crate::booked::booked;
use crate::{Function, Profile};

/// A part of the work, as in a file of rules. In patterns `*` matches any characters, `{a,b}` either.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Names of its functions, without versions and digests.
    #[serde(default)]
    pub functions: Vec<String>,
    /// Source files of its functions, as [`Function::source`] has them.
    #[serde(default)]
    pub files: Vec<String>,
    /// Programs and libraries with its functions.
    #[serde(default)]
    pub objects: Vec<String>,
    /// If two profiles are compared: the cost of these functions is booked to their callers. An extra
    /// allocation is a change of its caller, not of the allocator.
    #[serde(default)]
    pub booked_to_callers: bool,
    /// These functions belong to the part of their callers: inlined code of a language's own library.
    #[serde(default)]
    pub of_callers_part: bool,
}

/// Rules, in the order in which they are tried.
pub struct Parts(Vec<Rule>);

struct Rule {
    part: String,
    functions: GlobSet,
    files: GlobSet,
    objects: GlobSet,
    booked_to_callers: bool,
    of_callers_part: bool,
}

/// The cost of a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The part; `other` if no rule fits.
    pub part: String,
    /// The self cost of its functions.
    pub cost: f64,
}

impl Parts {
    /// Rules as in files; the first that fits a function defines its part. One part may have several.
    ///
    /// # Errors
    /// Fails on the first invalid pattern.
    pub fn new(parts: impl IntoIterator<Item = Part>) -> Result<Self, String> {
        parts
            .into_iter()
            .map(|part| {
                let patterns = |patterns: &[String]| {
                    let mut set = GlobSetBuilder::new();
                    for pattern in patterns {
                        let glob = GlobBuilder::new(pattern).empty_alternates(true).build();
                        set.add(glob.map_err(|cause| format!("part \"{}\": {cause}", part.name))?);
                    }
                    set.build().map_err(|cause| format!("part \"{}\": {cause}", part.name))
                };
                Ok(Rule {
                    functions: patterns(&part.functions)?,
                    files: patterns(&part.files)?,
                    objects: patterns(&part.objects)?,
                    booked_to_callers: part.booked_to_callers,
                    of_callers_part: part.of_callers_part,
                    part: part.name,
                })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The part that a function belongs to.
    pub fn part(&self, function: &Function) -> &str {
        self.rule(function).map_or(OTHER, |rule| &rule.part)
    }

    /// Whether a function's cost is booked to its callers when two profiles are compared.
    pub fn is_booked_to_callers(&self, function: &Function) -> bool {
        self.rule(function).is_some_and(|rule| rule.booked_to_callers)
    }

    fn rule(&self, function: &Function) -> Option<&Rule> {
        let (name, source) = (crate::function::plain_name(&function.name), function.source());
        let fits = |rule: &&Rule| {
            rule.functions.is_match(&name)
                || (!source.is_empty() && rule.files.is_match(&source))
                || rule.objects.is_match(&function.object)
        };
        self.0.iter().find(fits)
    }

    /// The cost of each part in an event, the largest first; parts without cost are omitted.
    pub fn shares(&self, profile: &Profile, event: usize) -> Vec<Share> {
        let mut costs: BTreeMap<&str, f64> = BTreeMap::new();
        let is_passed_on = |function: &Function| self.rule(function).is_some_and(|rule| rule.of_callers_part);
        for (function, cost) in booked(profile, event, &is_passed_on) {
            *costs.entry(self.part(function)).or_default() += cost.own + cost.called;
        }
        let mut shares: Vec<Share> = costs
            .into_iter()
            .map(|(part, cost)| Share { part: part.to_owned(), cost })
            .filter(|share| share.cost > 0.0)
            .collect();
        shares.sort_by(|one, other| other.cost.total_cmp(&one.cost).then_with(|| one.part.cmp(&other.part)));
        shares
    }
}

const OTHER: &str = "other";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn part(name: &str, functions: &[&str], files: &[&str], objects: &[&str]) -> Part {
        let owned = |patterns: &[&str]| patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        Part {
            name: name.into(),
            functions: owned(functions),
            files: owned(files),
            objects: owned(objects),
            booked_to_callers: false,
            of_callers_part: false,
        }
    }

    #[test]
    fn the_first_rule_that_fits_says_the_part() {
        let parts = Parts::new([
            part("memory", &["malloc", "mem{cpy,set}*"], &[], &[]),
            part("cryptography", &["ring_core_*"], &["*/crypto/*"], &["*/libcrypto.so*"]),
        ])
        .unwrap();
        let text = "events: Ir\nob=/lib/libcrypto.so.3\nfl=???\nfn=memcpy_avx\n1 5\nfn=x\n1 7\nob=/bin/driver\nfl=/r/registry/src/i/ring-1.2.3/crypto/a.c\n\
                    fn=f\n1 11\nfl=???\nfn=ring_core_0_17_14__sha\n1 13\nfn=y\n1 1\n";
        let shares = parts.shares(&parse(text).unwrap(), 0);
        let said: Vec<(&str, f64)> = shares.iter().map(|share| (&*share.part, share.cost)).collect();
        assert_eq!(said, [("cryptography", 31.0), ("memory", 5.0), ("other", 1.0)]);
    }

    #[test]
    fn what_a_language_has_inlined_is_of_its_callers_part() {
        let core = Part { of_callers_part: true, ..part("inlined", &[], &["library/core/*"], &[]) };
        let parts = Parts::new([core, part("cryptography", &["{,_}sha*"], &[], &[])]).unwrap();
        let text = "events: Ir\nfl=/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/num.rs\nfn=add\n1 40\nfl=a.rs\nfn=_sha\n1 10\n\
                    cfi=/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/num.rs\ncfn=add\ncalls=1 1\n1 30\nfn=parse\n1 1\n\
                    cfi=/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/num.rs\ncfn=add\ncalls=1 1\n1 10\n";
        let shares = parts.shares(&parse(text).unwrap(), 0);
        let said: Vec<(&str, f64)> = shares.iter().map(|share| (&*share.part, share.cost)).collect();
        assert_eq!(said, [("cryptography", 40.0), ("other", 11.0)]);
    }

    #[test]
    fn a_pattern_that_is_none_is_named() {
        let error = Parts::new([part("memory", &["mem{cpy"], &[], &[])]).err().unwrap();
        assert!(error.contains("memory") && error.contains("mem{cpy"), "{error}");
    }
}
