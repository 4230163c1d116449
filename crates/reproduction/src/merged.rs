//! One document from the records of several hosts: a column for each in tables and claims.

use crate::here::Here;
use crate::judged::{Judged, Verdict};
use crate::model::{Case, Claim, Elsewhere, HostOf, Reproduction, Row, Table};
use crate::provenance::StackVersion;

/// A document reproduced on several hosts, each with the name of its columns; the first host comes first.
/// None without a host.
pub fn merged(hosts: Vec<(String, Reproduction)>) -> Option<Reproduction> {
    let mut hosts = hosts.into_iter();
    let (name, mut all) = hosts.next()?;
    let others: Vec<(String, Reproduction)> = hosts.collect();
    if others.is_empty() {
        return Some(all);
    }
    all.hosts = vec![HostOf::of(&name, &all)];
    named(&mut all, &name);
    for (name, mut other) in others {
        all.hosts.push(HostOf::of(&name, &other));
        named(&mut other, &name);
        add(&mut all, &name, other);
    }
    fill_gaps(&mut all);
    Some(all)
}

/// Every case has an entry for every further host, in the order of the hosts: a host that lacks a claim has
/// not measured it.
fn fill_gaps(all: &mut Reproduction) {
    let cases = all.claims.iter_mut().flat_map(|claim| claim.here.iter_mut().chain(&mut claim.rows));
    for case in cases {
        for (at, of) in all.hosts.iter().skip(1).enumerate() {
            if case.elsewhere.get(at).is_none_or(|there| there.host != of.name) {
                let missing =
                    Elsewhere { host: of.name.clone(), found: Here::not_measured(), judged: not_judged() };
                case.elsewhere.insert(at, missing);
            }
        }
    }
}

fn not_judged() -> Judged {
    Judged::because(Verdict::NotMeasured, "not on this host".to_owned())
}

impl HostOf {
    fn of(name: &str, reproduction: &Reproduction) -> Self {
        Self {
            name: name.to_owned(),
            host: reproduction.host.clone(),
            standing: reproduction.standing.clone(),
            provenance: reproduction.provenance.clone(),
            runs: reproduction.runs.clone(),
            took: reproduction.took,
        }
    }
}

/// Puts the host's name to everything that is of this host alone.
fn named(reproduction: &mut Reproduction, name: &str) {
    for table in &mut reproduction.tables {
        table.hosts = vec![name.to_owned()];
        if !table.words.is_empty() {
            // The sentence above a comparison's cells concerns its own figures.
            table.note = table.note.take().map(|note| format!("{name}: {note}"));
        }
        for words in &mut table.words {
            *words = format!("{words}: {name}");
        }
        if let Some(far) = &mut table.far {
            far.host = Some(name.to_owned());
        }
    }
    for trial in &mut reproduction.trials {
        trial.title = format!("{}: {name}", trial.title);
    }
}

fn add(all: &mut Reproduction, name: &str, other: Reproduction) {
    all.left_out = all.left_out.take().zip(other.left_out).and_then(|(mut one, other)| {
        one.tables.retain(|title| other.tables.contains(title));
        if one.host != other.host {
            one.host = format!("{}, {}", one.host, other.host);
        }
        (!one.tables.is_empty()).then_some(one)
    });
    for version in other.versions {
        add_version(&mut all.versions, name, version);
    }
    for table in other.tables {
        match all.tables.iter_mut().find(|one| is_same(one, &table)) {
            Some(one) => add_table(one, table),
            None => all.tables.push(table),
        }
    }
    for claim in other.claims {
        let is_it = |one: &&mut Claim| {
            (&one.says, &one.ratio, &one.basis) == (&claim.says, &claim.ratio, &claim.basis)
        };
        if let Some(one) = all.claims.iter_mut().find(is_it) {
            add_claim(one, name, claim);
            continue;
        }
        // A claim that earlier hosts lack: its figures are this host's, not the first one's.
        let mut own = Claim { here: vec![], rows: vec![], ..claim.clone() };
        add_claim(&mut own, name, claim);
        all.claims.push(own);
    }
    all.trials.extend(other.trials);
}

/// Differences from the first host are added at the end.
fn add_version(all: &mut Vec<StackVersion>, name: &str, other: StackVersion) {
    let is_it = |one: &&mut StackVersion| (&one.stack, &one.asked) == (&other.stack, &other.asked);
    let Some(one) = all.iter_mut().find(is_it) else {
        all.push(other);
        return;
    };
    for (one, other) in [(&mut one.measured, other.measured), (&mut one.compiler, other.compiler)] {
        match (one.as_mut(), other) {
            (Some(one), Some(other)) if *one != other => *one = format!("{one}; {name}: {other}"),
            (None, other) => *one = other,
            _ => {}
        }
    }
}

/// Whether two hosts' tables have the same columns.
fn is_same(one: &Table, other: &Table) -> bool {
    (&one.title, &one.basis, &one.labels, &one.columns)
        == (&other.title, &other.basis, &other.labels, &other.columns)
        && one.words.len() == other.words.len() * one.hosts.len()
}

fn add_table(one: &mut Table, other: Table) {
    let (hosts, words) = (one.hosts.len(), other.words.len());
    let mut rows: Vec<Option<Row>> = other.rows.into_iter().map(Some).collect();
    for row in &mut one.rows {
        let same = rows.iter_mut().find(|other| other.as_ref().is_some_and(|of| of.labels == row.labels));
        match same.and_then(Option::take) {
            Some(same) => {
                for (entry, other) in row.entries.iter_mut().zip(same.entries) {
                    entry.elsewhere.push(other.here);
                }
                row.words.extend(same.words);
            }
            None => {
                row.entries.iter_mut().for_each(|entry| entry.elsewhere.push(Here::not_measured()));
                row.words.extend(vec![String::new(); words]);
            }
        }
    }
    for mut row in rows.into_iter().flatten() {
        for entry in &mut row.entries {
            let here = std::mem::replace(&mut entry.here, Here::not_measured());
            entry.elsewhere = vec![Here::not_measured(); hosts - 1];
            entry.elsewhere.push(here);
        }
        let blank = vec![String::new(); words * hosts];
        row.words = blank.into_iter().chain(row.words).collect();
        one.rows.push(row);
    }
    one.hosts.extend(other.hosts);
    one.words.extend(other.words);
    one.far_elsewhere.extend(other.far);
    match (&mut one.note, other.note) {
        (Some(note), Some(other)) if *note != other => *note = format!("{note}\n\n{other}"),
        (None, other) => one.note = other,
        _ => {}
    }
}

fn add_claim(one: &mut Claim, name: &str, other: Claim) {
    add_cases(&mut one.here, name, other.here);
    add_cases(&mut one.rows, name, other.rows);
    for cause in other.causes {
        if !one.causes.contains(&cause) {
            one.causes.push(cause);
        }
    }
}

fn add_cases(all: &mut Vec<Case>, name: &str, others: Vec<Case>) {
    for other in others {
        let is_it = |one: &&mut Case| (&one.of, one.group) == (&other.of, other.group);
        let elsewhere = Elsewhere { host: name.to_owned(), found: other.found, judged: other.judged };
        match all.iter_mut().find(is_it) {
            Some(one) => one.elsewhere.push(elsewhere),
            None => {
                let case = Case::new(other.of, other.group, Here::not_measured(), not_judged());
                all.push(Case { figure: other.figure, elsewhere: vec![elsewhere], ..case });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Column, Entry, Figure, LeftOut};
    use crate::terms::Group;

    fn figure(value: f64) -> Here {
        Here::Figure(Figure::plain(value))
    }

    fn table(title: &str, rows: &[(&str, f64)]) -> Table {
        let row = |(label, value): &(&str, f64)| Row {
            labels: vec![(*label).to_owned()],
            entries: vec![Entry::new(Some(1.0), figure(*value))],
            words: vec![format!("said of {value}")],
        };
        Table {
            title: title.to_owned(),
            labels: vec!["row".to_owned()],
            columns: vec![Column { title: "A".to_owned(), unit: "µs".to_owned() }],
            words: vec!["verdict".to_owned()],
            rows: rows.iter().map(row).collect(),
            note: Some("All of it.".to_owned()),
            ..Table::default()
        }
    }

    fn document(tables: Vec<Table>, cases: &[(&str, f64)]) -> Reproduction {
        let text = r#"{ "document": "it", "title": "It", "by": "x", "on": "y", "flaws": [], "runs": [], "tables": [],
            "claims": [{ "says": "more", "published": "", "ratio": "", "basis": "", "here": [] }] }"#;
        let mut read: Reproduction = serde_json::from_str(text).unwrap();
        let case = |(of, value): &(&str, f64)| {
            let judged = Judged::because(Verdict::Holds, String::new());
            Case::new((*of).to_owned(), Group::Document, figure(*value), judged)
        };
        read.claims[0].here = cases.iter().map(case).collect();
        Reproduction { tables, ..read }
    }

    #[test]
    fn every_host_has_a_column_and_what_one_lacks_keeps_its_place() {
        let one = document(vec![table("both", &[("a", 1.0), ("b", 2.0)])], &[("x", 1.0)]);
        let two = document(
            vec![table("both", &[("b", 3.0), ("c", 4.0)]), table("own", &[("a", 5.0)])],
            &[("x", 2.0), ("y", 3.0)],
        );
        let all = merged(vec![("EPYC".to_owned(), one), ("Xeon".to_owned(), two)]).unwrap();
        assert_eq!(all.hosts.iter().map(|host| host.name.as_str()).collect::<Vec<_>>(), ["EPYC", "Xeon"]);
        let both = &all.tables[0];
        assert_eq!(both.hosts, ["EPYC", "Xeon"]);
        assert_eq!(both.words, ["verdict: EPYC", "verdict: Xeon"]);
        assert_eq!(both.note.as_deref(), Some("EPYC: All of it.\n\nXeon: All of it."));
        let missing = Here::not_measured();
        let rows: Vec<(&str, &Here, &Here)> = both
            .rows
            .iter()
            .map(|row| (row.labels[0].as_str(), &row.entries[0].here, &row.entries[0].elsewhere[0]))
            .collect();
        let (one, two, three, four) = (figure(1.0), figure(2.0), figure(3.0), figure(4.0));
        assert_eq!(rows, [("a", &one, &missing), ("b", &two, &three), ("c", &missing, &four)]);
        assert_eq!(both.rows[2].words, ["", "said of 4"]);
        assert_eq!(all.tables[1].hosts, ["Xeon"]);
        let cases = &all.claims[0].here;
        assert_eq!((cases[0].elsewhere[0].host.as_str(), &cases[0].elsewhere[0].found), ("Xeon", &two));
        assert_eq!((&cases[1].found, cases[1].verdicts().count()), (&missing, 2));
    }

    #[test]
    fn a_claim_that_one_host_has_is_of_that_host_alone() {
        let claimed = |says: &str, cases: &[(&str, f64)]| {
            let mut one = document(vec![], cases);
            one.claims[0].says = says.to_owned();
            one.claims[0].rows = one.claims[0].here.clone();
            one
        };
        let hosts = [
            ("first", claimed("a", &[("x", 1.0)])),
            ("second", claimed("b", &[("x", 2.0)])),
            ("third", claimed("b", &[("x", 3.0), ("y", 4.0)])),
        ];
        let all = merged(hosts.map(|(name, one)| (name.to_owned(), one)).to_vec()).unwrap();
        let missing = Here::not_measured();
        let expected = [
            ("a", "x", [figure(1.0), missing.clone(), missing.clone()]),
            ("b", "x", [missing.clone(), figure(2.0), figure(3.0)]),
            ("b", "y", [missing.clone(), missing, figure(4.0)]),
        ];
        for of_claim in [|claim: &Claim| claim.here.clone(), |claim: &Claim| claim.rows.clone()] {
            let mut found = Vec::new();
            for claim in &all.claims {
                for case in of_claim(claim) {
                    assert_eq!(case.elsewhere[0].host, "second");
                    assert_eq!(case.elsewhere[1].host, "third");
                    let [second, third] = [0, 1].map(|at| case.elsewhere[at].found.clone());
                    found.push((claim.says.clone(), case.of, [case.found, second, third]));
                }
            }
            let found: Vec<_> = found.iter().map(|(says, of, on)| (&**says, &**of, on.clone())).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_single_host_is_left_as_it_is_and_a_table_that_one_shows_is_not_left_out() {
        let left_out =
            LeftOut { host: "x86-64".to_owned(), tables: vec!["M1".to_owned()], file: String::new() };
        let x86 = Reproduction { left_out: Some(left_out), ..document(vec![], &[]) };
        assert_eq!(merged(vec![("EPYC".to_owned(), x86.clone())]), Some(x86.clone()));
        let arm = document(vec![table("M1", &[("a", 1.0)])], &[]);
        let all = merged(vec![("EPYC".to_owned(), x86.clone()), ("ARM".to_owned(), arm)]).unwrap();
        assert_eq!((all.left_out, all.tables[0].hosts.as_slice()), (None, &["ARM".to_owned()][..]));
        let both = merged(vec![("EPYC".to_owned(), x86.clone()), ("Xeon".to_owned(), x86)]).unwrap();
        assert!(both.left_out.is_some());
    }
}
