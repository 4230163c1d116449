//! Claims that a page's own tables contradict.

use crate::judged::Verdict;
use crate::model::{Case, Claim, Here, Reproduction, Row};
use crate::terms::Direction;

/// Each claim that is said to hold in a cell while the comparison's own verdict, in the table, contradicts
/// it. There should be none: both are made from one interval.
pub fn contradictions(reproduction: &Reproduction) -> Vec<String> {
    let rows: Vec<&Row> = reproduction.tables.iter().flat_map(|table| &table.rows).collect();
    let cases = reproduction.claims.iter().flat_map(|claim| claim.here.iter().map(move |case| (claim, case)));
    let holding = cases.filter(|(_, case)| case.judged.verdict == Verdict::Holds);
    let contradicted = holding.filter_map(|(claim, case)| {
        let row = rows.iter().find(|row| is_of(row, case))?;
        let said = row.words.first().filter(|said| contradicts(claim, said))?;
        Some(format!("\"{}\" holds in {}, and the table says: {said}", claim.says, case.of))
    });
    contradicted.collect()
}

/// Whether a row is of this case: its scenario and side, and the same figure.
fn is_of(row: &Row, case: &Case) -> bool {
    let (Some(Here::Figure(change)), Here::Figure(ratio)) =
        (row.entries.first().map(|entry| &entry.here), &case.found)
    else {
        return false;
    };
    let is_same = (change.value - 100.0 * (ratio.value - 1.0)).abs() < 1e-9;
    row.labels.len() > 2 && format!("{}, {}", row.labels[0], row.labels[1]) == case.of && is_same
}

fn contradicts(claim: &Claim, said: &str) -> bool {
    let (worse, better) = (said.starts_with("regression"), said.starts_with("improvement"));
    match claim.terms.direction {
        Some(Direction::More) => better,
        Some(Direction::Less) => worse,
        Some(Direction::Equal) => claim.terms.own_size && (worse || better),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judged::Judged;
    use crate::model::{Column, Entry, Figure, Table};
    use crate::terms::{Band, Group, Terms};

    fn page(direction: Direction, own_size: bool, said: &str) -> Reproduction {
        let figure =
            |value: f64, half: f64| Here::Figure(Figure::within(value, [value - half, value + half]));
        let size = (direction == Direction::Equal).then_some(Band { from: Some(0.98), to: Some(1.02) });
        let terms = Terms { direction: Some(direction), size, own_size, ..Terms::default() };
        let found = figure(1.0063, 0.001);
        let judged = Judged { verdict: Verdict::Holds, ..Judged::of(&terms, &found, 1.0) };
        let text = r#"{ "document": "a", "title": "", "by": "", "on": "", "flaws": [], "runs": [], "tables": [], "claims": [] }"#;
        let mut page: Reproduction = serde_json::from_str(text).unwrap();
        page.tables.push(Table {
            title: String::new(),
            basis: String::new(),
            labels: ["scenario", "side", "metric"].map(str::to_owned).to_vec(),
            columns: vec![Column { title: "change".to_owned(), unit: "%".to_owned() }],
            words: vec!["verdict".to_owned()],
            rows: vec![Row {
                labels: ["handshake", "server", "time"].map(str::to_owned).to_vec(),
                entries: vec![Entry::new(None, figure(100.0 * (1.0063 - 1.0), 0.1))],
                words: vec![said.to_owned()],
            }],
            note: None,
            ..Table::default()
        });
        page.claims.push(Claim {
            says: "It takes no more time.".to_owned(),
            published: String::new(),
            sentence: None,
            terms,
            ratio: String::new(),
            basis: String::new(),
            because: None,
            causes: vec![],
            rows: vec![],
            here: vec![Case::new("handshake, server".to_owned(), Group::Document, found, judged)],
        });
        page
    }

    #[test]
    fn a_claim_that_holds_beside_a_confirmed_change_against_it_is_found() {
        let confirmed = "regression, confirmed (second measurement: +0.80 %)";
        assert_eq!(contradictions(&page(Direction::Equal, true, confirmed)).len(), 1);
        assert_eq!(contradictions(&page(Direction::Less, false, confirmed)).len(), 1);
        assert_eq!(contradictions(&page(Direction::More, false, confirmed)), Vec::<String>::new());
        assert_eq!(contradictions(&page(Direction::Equal, false, confirmed)), Vec::<String>::new());
        assert_eq!(contradictions(&page(Direction::Equal, true, "no change")), Vec::<String>::new());
    }
}
