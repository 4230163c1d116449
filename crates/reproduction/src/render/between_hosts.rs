//! Ratios that several hosts measured, and their differences.

use super::words::short;
use crate::model::{Figure, Here, Reproduction};

/// A ratio that differs between two hosts beyond its intervals.
struct Apart {
    distance: f64,
    place: String,
    values: [(String, f64); 2],
}

/// How many ratios differ between hosts beyond their intervals, and the largest of them; none for one host.
pub(super) fn differences(reproduction: &Reproduction) -> Option<String> {
    let ratios = ratios(reproduction);
    let all = ratios.len();
    if all == 0 {
        return None;
    }
    let mut apart: Vec<Apart> = ratios.iter().filter_map(|(place, values)| apart(place, values)).collect();
    apart.sort_by(|one, other| other.distance.total_cmp(&one.distance));
    let Some(most) = apart.first() else {
        return Some(format!(
            "None of the {all} ratios that several hosts measured differs beyond its intervals."
        ));
    };
    let [one, other] = &most.values;
    let verb = if apart.len() == 1 { "differs" } else { "differ" };
    Some(format!(
        "The processor is the largest uncertainty of a ratio: of {all} ratios that several hosts measured, {} {verb} beyond their \
         intervals, most of all {}: {} on {}, {} on {}.",
        apart.len(),
        most.place,
        short(one.1),
        one.0,
        short(other.1),
        other.0,
    ))
}

type OnHosts<'r> = Vec<(&'r str, &'r Figure)>;

/// Every ratio of a claim or a table with a figure on at least two hosts.
fn ratios(reproduction: &Reproduction) -> Vec<(String, OnHosts<'_>)> {
    let Some(first) = reproduction.hosts.first() else { return vec![] };
    let of_claims = reproduction.claims.iter().flat_map(|claim| {
        // Of many rows each has a ratio; the claim itself has a share of them.
        let cases = if claim.terms.quantifier.is_some() { &claim.rows } else { &claim.here };
        let cases = cases.iter().filter(|_| !claim.terms.share || claim.terms.quantifier.is_some());
        cases.map(move |case| {
            let elsewhere = case.elsewhere.iter().map(|of| (of.host.as_str(), &of.found));
            let all = [(first.name.as_str(), &case.found)].into_iter().chain(elsewhere);
            (format!("\"{}\", {}", claim.says, case.of), all.collect::<Vec<_>>())
        })
    });
    let of_tables = reproduction.tables.iter().flat_map(|table| {
        let ratios = table.columns.iter().enumerate().filter(|(_, column)| column.unit == "ratio");
        ratios.flat_map(move |(at, column)| {
            table.rows.iter().map(move |row| {
                let entry = &row.entries[at];
                let all = [&entry.here].into_iter().chain(&entry.elsewhere);
                let all = table.hosts.iter().map(String::as_str).zip(all);
                (format!("{} of {}", column.title, row.labels.join(", ")), all.collect::<Vec<_>>())
            })
        })
    });
    let measured = of_claims.chain(of_tables).map(|(place, all)| {
        let all: OnHosts<'_> =
            all.into_iter().filter_map(|(host, here)| Some((host, figure(here)?))).collect();
        (place, all)
    });
    measured.filter(|(_, all)| all.len() > 1).collect()
}

fn figure(here: &Here) -> Option<&Figure> {
    match here {
        Here::Figure(figure) => Some(figure),
        Here::Hole { .. } => None,
    }
}

/// The two hosts whose intervals of a ratio lie farthest apart, if any do not overlap.
fn apart(place: &str, values: &OnHosts<'_>) -> Option<Apart> {
    let pairs = values
        .iter()
        .enumerate()
        .flat_map(|(at, one)| values[at + 1..].iter().map(move |other| (one, other)));
    let apart = pairs.filter_map(|((one, of), (other, over))| {
        let ([lower, upper], [other_lower, other_upper]) = (of.bounds?, over.bounds?);
        let is_apart = upper < other_lower || other_upper < lower;
        is_apart.then(|| Apart {
            distance: (of.value / over.value).ln().abs(),
            place: place.to_owned(),
            values: [((*one).to_owned(), of.value), ((*other).to_owned(), over.value)],
        })
    });
    apart.max_by(|one, other| one.distance.total_cmp(&other.distance))
}
