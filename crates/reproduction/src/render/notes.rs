//! Notes on a page's figures: flaws, omitted tables, causes, open differences.

use super::between_hosts::differences;
use super::words::short;
use crate::far::is_comparable;
use crate::model::{Case, Cause, Claim, Far, LeftOut, Reproduction, Table};

/// How many places are named.
const PLACES: usize = 3;

/// Notes on the whole document, one or more sentences each.
pub fn document_notes(reproduction: &Reproduction) -> Vec<String> {
    let tables = &reproduction.tables;
    let is_absolute = |table: &Table| {
        table.columns.iter().enumerate().any(|(at, column)| {
            !is_comparable(&column.unit) && table.rows.iter().any(|row| row.entries[at].published.is_some())
        })
    };
    let absolute = tables.iter().any(is_absolute).then(|| {
        "Absolute times and rates are of two different machines: they stand next to each other, and only ratios and counts are \
         compared."
            .to_owned()
    });
    let left_out = reproduction.left_out.as_ref().map(left_out);
    let flaws = reproduction.flaws.iter().cloned();
    flaws.chain(left_out).chain(absolute).chain(differences(reproduction)).collect()
}

fn left_out(left_out: &LeftOut) -> String {
    let LeftOut { host, tables, file } = left_out;
    format!(
        "Excluded, as their figures are from another kind of processor than this one ({host}): {}. Their published figures are in {file}.",
        tables.join("; ")
    )
}

/// Why rows of a table are not as they were published.
pub fn table_causes(table: &Table) -> Vec<String> {
    let line = |Cause { of, says }: &Cause| match of.as_slice() {
        [] => format!("Cause of the differences: {says}"),
        rows => format!("Cause in rows with {}: {says}", rows.join("; or ")),
    };
    table.causes.iter().map(line).collect()
}

/// The ratios and counts of a table that are far from the published ones, and those without a known cause: a
/// sentence for each host that has any.
pub fn far(table: &Table) -> Vec<String> {
    let mut compared = table.columns.iter().filter(|column| is_comparable(&column.unit));
    let noun = if compared.all(|column| column.unit == "ratio") { "ratios" } else { "figures" };
    table.far.iter().chain(&table.far_elsewhere).map(|far| far_on(far, noun)).collect()
}

fn far_on(far: &Far, noun: &str) -> String {
    let host = far.host.as_ref().map(|host| format!("{host}: ")).unwrap_or_default();
    let differ = if far.figures == 1 { "differs" } else { "differ" };
    let open = match far.open.as_slice() {
        [] => String::new(),
        open if open.len() == far.figures => " Cause: open.".to_owned(),
        open => format!(" Cause of {}: open.", some_of(open)),
    };
    format!(
        "{host}{} of {} {noun} {differ} from the published ones by more than a factor of {}, most of all {}: {} times the published.{open}",
        far.figures,
        far.of,
        far.factor,
        far.place,
        short(far.most),
    )
}

/// The first places, and how many more there are.
fn some_of(places: &[String]) -> String {
    match places.len().saturating_sub(PLACES) {
        0 => places.join("; "),
        more => format!("{}; and {more} more", places[..PLACES].join("; ")),
    }
}

/// Why a claim is so in these of its cases, and for which of them that is open.
pub fn claim_notes(claim: &Claim, cases: &[&Case]) -> Vec<String> {
    let mut notes: Vec<String> = claim.because.iter().cloned().collect();
    for cause in &claim.causes {
        let of: Vec<String> =
            cases.iter().filter(|case| cause.of.contains(&case.of)).map(|case| case.of.clone()).collect();
        match of.len() {
            0 => {}
            all if all == cases.len() => notes.push(cause.says.clone()),
            _ => notes.push(format!("{}: {}", some_of(&of), cause.says)),
        }
    }
    let open: Vec<String> =
        cases.iter().filter(|case| claim.is_open(case)).map(|case| case.of.clone()).collect();
    match open.len() {
        0 => {}
        all if all == cases.len() => notes.push("Cause of the difference: open.".to_owned()),
        _ => notes.push(format!("Cause of the difference for {}: open.", some_of(&open))),
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Column, Entry, Figure, Here, Row};

    fn table(causes: Vec<Cause>, far: Option<Far>) -> Table {
        let column = |title: &str, unit: &str| Column { title: title.to_owned(), unit: unit.to_owned() };
        let entry = Entry::new(Some(1.0), Here::Figure(Figure::plain(2.0)));
        Table {
            title: "M1".to_owned(),
            basis: String::new(),
            labels: vec!["key".to_owned()],
            columns: vec![column("A", "/s"), column("A over B", "ratio")],
            rows: vec![Row {
                labels: vec!["RSA".to_owned()],
                entries: vec![entry.clone(), entry],
                words: vec![],
            }],
            causes,
            far,
            ..Table::default()
        }
    }

    #[test]
    fn a_cause_is_of_its_rows_and_what_none_explains_is_open() {
        let cause = Cause { of: vec!["key RSA".to_owned()], says: "Keys are unequal.".to_owned() };
        let open = |open: &[&str], figures| Far {
            host: None,
            factor: 1.5,
            figures,
            of: 5,
            most: 0.25,
            place: "RSA: A over B".to_owned(),
            open: open.iter().map(|place| (*place).to_owned()).collect(),
        };
        let begins = "2 of 5 ratios differ from the published ones by more than a factor of 1.5, most of all RSA: A over B: 0.250 \
                      times the published.";
        let explained = table(vec![cause], Some(open(&[], 2)));
        assert_eq!(table_causes(&explained), ["Cause in rows with key RSA: Keys are unequal."]);
        assert_eq!(far(&explained), [begins]);
        let of_one = far(&table(vec![], Some(open(&["a: b"], 2))));
        assert_eq!(of_one, [format!("{begins} Cause of a: b: open.")]);
        let of_all = far(&table(vec![], Some(open(&["a: b", "c: d"], 2))));
        assert_eq!(of_all, [format!("{begins} Cause: open.")]);
        assert_eq!(some_of(&["a", "b", "c", "d", "e"].map(str::to_owned)), "a; b; c; and 2 more");
    }

    #[test]
    fn what_is_left_out_is_named_once_with_the_reason() {
        let text = r#"{ "document": "it", "title": "It", "by": "x", "on": "y", "flaws": ["A flaw."], "runs": [], "tables": [], "claims": [] }"#;
        let read: Reproduction = serde_json::from_str(text).unwrap();
        assert_eq!(document_notes(&read), ["A flaw."]);
        let left_out =
            LeftOut { host: "x86-64".to_owned(), tables: vec!["M1".to_owned()], file: "it.toml".to_owned() };
        let page = Reproduction { left_out: Some(left_out), tables: vec![table(vec![], None)], ..read };
        let notes = document_notes(&page);
        assert_eq!(
            notes[1],
            "Excluded, as their figures are from another kind of processor than this one (x86-64): M1. Their published figures are in \
             it.toml."
        );
        assert!(notes[2].starts_with("Absolute times and rates are of two different machines"), "{notes:?}");
    }
}
