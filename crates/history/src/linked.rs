//! References that replaced each other, as one.

use std::collections::{BTreeMap, BTreeSet};

/// The value of one reference in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Which run.
    pub run: String,
    /// Which reference it is.
    pub identity: String,
    /// Its value, above 0.
    pub value: f64,
}

/// A run's reference after references were linked.
#[derive(Clone, Debug, PartialEq)]
pub struct Linked {
    /// The reference in whose unit the value is: runs with the same one are comparable.
    pub unit: String,
    /// The value that this reference would have had.
    pub value: f64,
}

/// Links references that were measured together in a run, oldest run first: a run with only an earlier one
/// gets the value that a later one would have had there, by the ratio of both where both were measured (the
/// geometric mean, if that was more than once). References without such a run keep their values.
///
/// This is how statistical offices link an index to its successor; the relative error of a linked value has
/// that of the ratio in it.
pub fn linked(references: &[Reference]) -> BTreeMap<String, Linked> {
    let is_usable = |one: &&Reference| one.value > 0.0 && one.value.is_finite();
    let mut runs: BTreeMap<&str, Vec<&Reference>> = BTreeMap::new();
    let mut newest_first: Vec<&str> = Vec::new();
    for one in references.iter().filter(is_usable) {
        runs.entry(&one.run).or_default().push(one);
        newest_first.retain(|known| *known != one.identity);
        newest_first.insert(0, &one.identity);
    }
    // How much longer each takes than another, as logarithms.
    let mut together: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for of_run in runs.values() {
        for one in of_run {
            for other in of_run.iter().filter(|other| other.identity != one.identity) {
                let logarithm = (one.value / other.value).ln();
                together.entry((&one.identity, &other.identity)).or_default().push(logarithm);
            }
        }
    }
    let mut units: BTreeMap<&str, (&str, f64)> = BTreeMap::new();
    for unit in &newest_first {
        if units.contains_key(unit) {
            continue;
        }
        units.insert(unit, (unit, 0.0));
        let mut reached = BTreeSet::from([*unit]);
        while let Some(from) = reached.pop_first() {
            let so_far = units[from].1;
            for ((later, earlier), ratios) in together.range((from, "")..) {
                if *later != from {
                    break;
                }
                if !units.contains_key(earlier) {
                    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
                    units.insert(earlier, (unit, so_far + mean));
                    reached.insert(earlier);
                }
            }
        }
    }
    let newest = |of_run: &[&Reference]| {
        let place = |one: &&Reference| newest_first.iter().position(|known| *known == one.identity);
        of_run.iter().min_by_key(|one| place(one)).map(|one| (one.identity.clone(), one.value))
    };
    let of_run = |(run, of_run): (&str, Vec<&Reference>)| {
        let (identity, value) = newest(&of_run)?;
        let (unit, logarithm) = units[identity.as_str()];
        Some((run.to_owned(), Linked { unit: unit.to_owned(), value: value * logarithm.exp() }))
    };
    runs.into_iter().filter_map(of_run).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reference(run: usize, identity: &str, value: f64) -> Reference {
        Reference { run: format!("{run:03}"), identity: identity.to_owned(), value }
    }

    fn value(linked: &BTreeMap<String, Linked>, run: usize) -> (&str, f64) {
        let found = &linked[&format!("{run:03}")];
        (&found.unit, found.value)
    }

    #[test]
    fn what_was_measured_together_once_is_linked() {
        // b takes twice as long as a, and c half as long as b.
        let all = [
            reference(0, "a", 10.0),
            reference(1, "a", 11.0),
            reference(1, "b", 22.0),
            reference(2, "b", 30.0),
            reference(3, "b", 20.0),
            reference(3, "c", 10.0),
            reference(4, "c", 12.0),
        ];
        let linked = linked(&all);
        for (run, expected) in [(0, 10.0), (1, 11.0), (2, 15.0), (3, 10.0), (4, 12.0)] {
            let (unit, found) = value(&linked, run);
            assert!(unit == "c" && (found - expected).abs() < 1e-9, "{run}: {found}");
        }
    }

    #[test]
    fn what_was_never_measured_together_is_not() {
        let linked = linked(&[reference(0, "a", 10.0), reference(1, "b", 20.0), reference(2, "b", f64::NAN)]);
        assert_eq!((value(&linked, 0), value(&linked, 1)), (("a", 10.0), ("b", 20.0)));
        assert_eq!(linked.len(), 2);
    }

    proptest! {
        /// Whatever machine each run has and whichever references it measures: in the unit of the last one,
        /// every run's value is the machine's factor times that reference's value, if the references are
        /// linked.
        #[test]
        fn machines_are_found_whatever_was_measured(
            machines in proptest::collection::vec(0.5..2.0_f64, 4..12),
            takes in proptest::collection::vec(1.0..100.0_f64, 3),
        ) {
            let runs = machines.len();
            let mut all = Vec::new();
            for (run, machine) in machines.iter().enumerate() {
                let which = run * 3 / runs;
                let begins = run > 0 && (run - 1) * 3 / runs != which;
                let from = if begins { which - 1 } else { which };
                for (known, takes) in takes.iter().enumerate().take(which + 1).skip(from) {
                    all.push(reference(run, &known.to_string(), machine * takes));
                }
            }
            let linked = linked(&all);
            for (run, machine) in machines.iter().enumerate() {
                let (unit, found) = value(&linked, run);
                prop_assert_eq!(unit, "2");
                prop_assert!((found / (machine * takes[2]) - 1.0).abs() < 1e-9);
            }
        }
    }
}
