//! The report of one profile, or of two: for each side its functions, the parts of the work, and its stacks.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Change, Cost, Difference, Flame, Function, Parts, Profile, Stacks};

/// A side's profile and stacks, with the iterations that they are of.
#[derive(Clone, Copy)]
pub struct Counted<'c> {
    /// The costs of its functions.
    pub profile: &'c Profile,
    /// Its stacks; empty where none were kept.
    pub stacks: &'c Stacks,
    /// How often the work was done.
    pub iterations: u64,
}

/// Everything that is shown. Numbers are of one iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sheet {
    /// The counted stack and scenario.
    pub title: String,
    /// The baseline; `None` if nothing is compared.
    #[serde(default, rename = "base", skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Notes on the numbers.
    pub notes: Vec<String>,
    /// Each side.
    pub sides: Vec<Side>,
}

/// One side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// `client` or `server`; `all` where sides are not distinguished.
    pub name: String,
    /// All functions before, where two are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// All functions.
    pub after: f64,
    /// Parts of the work, the largest first.
    pub parts: Vec<Portion>,
    /// The functions: those that take most, or those that changed most.
    pub functions: Vec<Row>,
    /// How many more there are, and their total cost.
    pub others: Others,
    /// Stacks, if they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flame: Option<Flame>,
}

/// The cost of a part of the work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Portion {
    /// The part.
    pub part: String,
    /// Before, where two are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// Now.
    pub after: f64,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// Its name.
    pub function: String,
    /// Its source file, under the same name on every machine; empty if unknown.
    pub source: String,
    /// Its part of the work.
    pub part: String,
    /// Its self cost before; `None` if nothing is compared, or if it did not exist.
    pub before: Option<f64>,
    /// Its self cost; `None` if it no longer exists.
    pub after: Option<f64>,
    /// If two are compared: the change that is in callees and booked functions. Before and after contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<f64>,
    /// Its callers, and its cost when called by each, the largest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<(String, f64)>,
}

/// Functions that are not shown one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Others {
    /// How many have another cost than before; or how many there are, if nothing is compared.
    pub functions: usize,
    /// How many have the same cost as before.
    pub same: usize,
    /// The cost of `functions` before.
    pub before: f64,
    /// The cost of `functions`.
    pub after: f64,
}

impl Side {
    /// Of one profile: the functions that take most of an event.
    pub fn of(name: &str, counted: Counted<'_>, event: &str, parts: &Parts, top: usize) -> Self {
        let Counted { profile, stacks, iterations } = counted;
        let of_one = |cost: u64| cost as f64 / iterations.max(1) as f64;
        let Some(event) = profile.event(event) else { return Self::empty(name) };
        let sorted: Vec<_> = profile.by(event).into_iter().filter(|(_, costs)| costs[event] > 0).collect();
        let (shown, others) = sorted.split_at(top.min(sorted.len()));
        let rows = shown.iter().map(|(function, costs)| Row {
            callers: callers(&function.name, stacks, iterations),
            ..row(function, None, Some(of_one(costs[event])), parts)
        });
        Self {
            name: name.to_owned(),
            before: None,
            after: of_one(profile.totals()[event]),
            parts: parts
                .shares(profile, event)
                .into_iter()
                .map(|share| Portion {
                    part: share.part,
                    before: None,
                    after: share.cost / iterations.max(1) as f64,
                })
                .collect(),
            functions: rows.collect(),
            others: Others {
                functions: others.len(),
                after: of_one(others.iter().map(|(_, costs)| costs[event]).sum()),
                ..Others::default()
            },
            flame: (stacks.total() > 0).then(|| Flame::of(name, stacks, iterations).above(LEAST)),
        }
    }

    /// Of two: the functions that changed most.
    pub fn between(
        name: &str,
        (before, after): (Counted<'_>, Counted<'_>),
        event: &str,
        parts: &Parts,
        top: usize,
    ) -> Self {
        let (old, new) = ((before.profile, before.iterations), (after.profile, after.iterations));
        let difference = Difference::between(old, new, event, parts);
        let (shown, others) = difference.changes.split_at(top.min(difference.changes.len()));
        let sum =
            |side: fn(&Change) -> Option<Cost>| others.iter().filter_map(side).map(Cost::total).sum::<f64>();
        let has_stacks = before.stacks.total() > 0 && after.stacks.total() > 0;
        Self {
            name: name.to_owned(),
            before: Some(difference.before),
            after: difference.after,
            parts: portions(before, after, event, parts),
            functions: shown
                .iter()
                .map(|change| {
                    let (before, after) = (change.before, change.after);
                    let called = after.unwrap_or_default().called - before.unwrap_or_default().called;
                    let row = row(&change.function, before.map(Cost::total), after.map(Cost::total), parts);
                    Row { called: (called != 0.0).then_some(called), ..row }
                })
                .collect(),
            others: Others {
                functions: others.len(),
                same: difference.same,
                before: sum(|change| change.before),
                after: sum(|change| change.after),
            },
            flame: has_stacks.then(|| {
                let (old, new) = ((before.stacks, before.iterations), (after.stacks, after.iterations));
                Flame::between(name, old, new).above(LEAST)
            }),
        }
    }

    /// A side without counts.
    fn empty(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            before: None,
            after: 0.0,
            parts: Vec::new(),
            functions: Vec::new(),
            others: Others::default(),
            flame: None,
        }
    }
}

fn row(function: &Function, before: Option<f64>, after: Option<f64>, parts: &Parts) -> Row {
    Row {
        function: function.name.clone(),
        source: function.source(),
        part: parts.part(function).to_owned(),
        before,
        after,
        called: None,
        callers: Vec::new(),
    }
}

/// Both sides' parts by name, the largest first.
fn portions(before: Counted<'_>, after: Counted<'_>, event: &str, parts: &Parts) -> Vec<Portion> {
    let shares = |counted: Counted<'_>| {
        let shares = counted.profile.event(event).map(|event| parts.shares(counted.profile, event));
        let iterations = counted.iterations.max(1) as f64;
        shares.unwrap_or_default().into_iter().map(move |share| (share.part, share.cost / iterations))
    };
    let mut old: BTreeMap<String, f64> = shares(before).collect();
    let mut portions: Vec<Portion> = shares(after)
        .map(|(part, after)| Portion { before: Some(old.remove(&part).unwrap_or(0.0)), part, after })
        .collect();
    portions.extend(old.into_iter().map(|(part, before)| Portion { part, before: Some(before), after: 0.0 }));
    portions
}

/// The callers of a function, and its self cost when called by each.
fn callers(function: &str, stacks: &Stacks, iterations: u64) -> Vec<(String, f64)> {
    let mut found = BTreeMap::new();
    gather(function, None, stacks, &mut found);
    let mut callers: Vec<(String, f64)> = found
        .into_iter()
        .filter(|(_, own)| *own > 0)
        .map(|(caller, own)| (caller.to_owned(), own as f64 / iterations.max(1) as f64))
        .collect();
    callers.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    callers
}

fn gather<'s>(
    function: &str,
    caller: Option<&'s str>,
    stacks: &'s Stacks,
    found: &mut BTreeMap<&'s str, u64>,
) {
    for (name, callee) in &stacks.callees {
        if let Some(caller) = caller
            && name == function
        {
            let of_caller = found.entry(caller).or_default();
            *of_caller = of_caller.saturating_add(callee.own);
        }
        gather(function, Some(name), callee, found);
    }
}

/// Boxes below this share of the whole are no pixel wide.
const LEAST: f64 = 0.0003;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{Part, parse};

    fn parts() -> Parts {
        let part = Part {
            name: "cryptography".into(),
            functions: vec!["sha*".into(), "mul".into()],
            files: vec![],
            objects: vec![],
            booked_to_callers: false,
            of_callers_part: false,
        };
        Parts::new([part]).unwrap()
    }

    #[test]
    fn one_profile_has_its_largest_functions_with_callers() {
        let profile = parse("events: Ir\nfn=sha\n1 60\nfn=mul\n1 30\nfn=x\n1 8\nfn=y\n1 2\n").unwrap();
        let stacks =
            Stacks::parse("main;a;sha 40\nmain;b;sha 20\nmain;mul 30\nmain;x 8\nmain;y 2\n").unwrap();
        let side = Side::of(
            "server",
            Counted { profile: &profile, stacks: &stacks, iterations: 2 },
            "Ir",
            &parts(),
            2,
        );
        assert_eq!(
            (side.after, side.functions.len(), side.others.functions, side.others.after),
            (50.0, 2, 2, 5.0)
        );
        assert_eq!(side.functions[0].callers, [("a".to_owned(), 20.0), ("b".to_owned(), 10.0)]);
        let portion = |part: &str, after| Portion { part: part.into(), before: None, after };
        assert_eq!(side.parts, [portion("cryptography", 45.0), portion("other", 5.0)]);
        assert_eq!(side.flame.unwrap().after, 50.0);
    }

    #[test]
    fn two_profiles_have_what_changed() {
        let was = parse("events: Ir\nfn=sha\n1 60\nfn=mul\n1 30\nfn=gone\n1 3\n").unwrap();
        let is = parse("events: Ir\nfn=sha\n1 80\nfn=mul\n1 30\nfn=new\n1 4\n").unwrap();
        let none = Stacks::default();
        let counted = |profile| Counted { profile, stacks: &none, iterations: 1 };
        let side = Side::between("client", (counted(&was), counted(&is)), "Ir", &parts(), 1);
        assert_eq!(
            (side.before, side.after, side.others),
            (Some(93.0), 114.0, Others { functions: 2, same: 1, before: 3.0, after: 4.0 })
        );
        assert_eq!((side.functions[0].before, side.functions[0].after), (Some(60.0), Some(80.0)));
        assert!(side.flame.is_none());
        assert_eq!(side.parts[0], Portion { part: "cryptography".into(), before: Some(90.0), after: 110.0 });
    }

    /// Adds a field to every object, as a later version may.
    fn with_later_fields(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.values_mut().for_each(with_later_fields);
                fields.insert("later".to_owned(), json!([1]));
            }
            Value::Array(items) => items.iter_mut().for_each(with_later_fields),
            _ => {}
        }
    }

    #[test]
    fn a_sheet_is_read_as_it_was_written() {
        let was = parse("events: Ir\nfn=sha\n1 60\nfn=mul\n1 30\nfn=gone\n1 3\n").unwrap();
        let is = parse("events: Ir\nfn=sha\n1 80\nfn=mul\n1 30\nfn=new\n1 4\n").unwrap();
        let (old, new) =
            (Stacks::parse("main;sha 60\nmain 33\n").unwrap(), Stacks::parse("main;sha 114\n").unwrap());
        let before = Counted { profile: &was, stacks: &old, iterations: 7 };
        let after = Counted { profile: &is, stacks: &new, iterations: 3 };
        let sheet = Sheet {
            title: "new".to_owned(),
            baseline: Some("old".to_owned()),
            notes: vec!["a note".to_owned()],
            sides: vec![
                Side::between("client", (before, after), "Ir", &parts(), 2),
                Side::of("server", after, "Ir", &parts(), 2),
                Side::of("all", after, "absent", &parts(), 2),
            ],
        };
        let mut value = serde_json::to_value(&sheet).unwrap();
        with_later_fields(&mut value);
        assert_eq!(serde_json::from_str::<Sheet>(&value.to_string()).unwrap(), sheet);
    }

    #[test]
    fn a_sheet_of_a_deep_recursion_is_read() {
        let deep = Stacks::parse(&format!("{} 3\n", vec!["f"; 300].join(";"))).unwrap();
        let profile = parse("events: Ir\nfn=f\n1 3\n").unwrap();
        let counted = Counted { profile: &profile, stacks: &deep, iterations: 1 };
        let side = Side::of("client", counted, "Ir", &parts(), 2);
        let sheet = Sheet { title: "deep".to_owned(), baseline: None, notes: vec![], sides: vec![side] };
        let text = serde_json::to_string(&sheet).unwrap();
        assert_eq!(serde_json::from_str::<Sheet>(&text).unwrap(), sheet);
    }
}
