//! Text for a terminal.

use std::fmt::Write;

use super::notes::{document_notes, far, table_causes};
use super::provenance::{provenance_terminal, took_lines};
use super::ratios::{found, published as of_claim};
use super::standing::standing_text;
use super::verdicts::{by_group, elsewhere, of_group, row_verdict, sentence_summary, summary, verdict};
use super::words::{here, here_in, published};
use crate::model::{Reproduction, Row, Table};
use crate::sentences::sentences;
use crate::terms::Group;

/// Tables, then claims.
pub fn terminal(reproduction: &Reproduction) -> String {
    let mut text = format!("{} ({})\n", reproduction.title, reproduction.by);
    text += &standing_text([reproduction], "\n");
    // Writing to a string cannot fail.
    for note in document_notes(reproduction) {
        let _ = writeln!(text, "note: {note}");
    }
    for table in &reproduction.tables {
        describe(&mut text, table);
    }
    for trial in &reproduction.trials {
        let _ = writeln!(text, "\n{}", trial.title);
        aligned(&mut text, &trial.lines());
    }
    for (group, cases) in by_group([reproduction]) {
        let sentences = match group {
            Group::Document => format!("{}. Cells: ", sentence_summary(&sentences([reproduction]), "")),
            _ => String::new(),
        };
        let _ = writeln!(text, "\n{}: {sentences}{}", group.words(), summary(cases));
        for (claim, cases) in of_group(&reproduction.claims, group) {
            let _ =
                writeln!(text, "\n{}\n  published: {}; ratio: {}", claim.says, of_claim(claim), claim.ratio);
            let longest = cases.iter().map(|case| case.of.chars().count()).max().unwrap_or(0);
            for case in cases {
                let (of, here) = (&case.of, found(&claim.terms, &case.found));
                let _ = writeln!(text, "  {of:longest$}  {here}  {}", verdict(&claim.terms, case));
                for (host, here, verdict) in elsewhere(&claim.terms, case) {
                    let _ = writeln!(text, "  {:longest$}  {host}: {here}  {verdict}", "");
                }
            }
            for row in claim.rows.iter().filter(|row| row.group == group) {
                let _ = writeln!(text, "    {}  {}  {}", row.of, here(&row.found), row_verdict(&row.judged));
            }
        }
    }
    text += &provenance_terminal(reproduction);
    for of in took_lines(reproduction) {
        let _ = writeln!(text, "\n{of}");
    }
    text
}

fn describe(text: &mut String, table: &Table) {
    let _ = writeln!(text, "\n{} ({})", table.title, table.basis);
    let mut lines: Vec<Vec<String>> = vec![head(table)];
    for row in &table.rows {
        lines.push(cells(table, row));
    }
    aligned(text, &lines);
    if let Some(note) = &table.note {
        let _ = writeln!(text, "  {note}");
    }
    for line in table_causes(table).into_iter().chain(far(table)) {
        let _ = writeln!(text, "  {line}");
    }
}

/// Lines of equally many cells; the first has their titles.
fn aligned(text: &mut String, lines: &[Vec<String>]) {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    for line in lines {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

/// The titles: labels, then for each column the published values, if there are any, and those of each host;
/// words last.
pub fn head(table: &Table) -> Vec<String> {
    let columns = table.columns.iter().enumerate().flat_map(|(at, column)| {
        let of = format!("{}, {}", column.title, column.unit);
        let hosts = table.hosts.iter().cloned();
        match (is_published(table, at), table.hosts.as_slice()) {
            (true, []) => vec![format!("{of}: published"), "here".to_owned()],
            (true, _) => [format!("{of}: published")].into_iter().chain(hosts).collect(),
            (false, []) => vec![of],
            (false, [first, ..]) => [format!("{of}: {first}")].into_iter().chain(hosts.skip(1)).collect(),
        }
    });
    table.labels.iter().cloned().chain(columns).chain(table.words.iter().cloned()).collect()
}

/// A row's cells, as the head has them.
pub fn cells(table: &Table, row: &Row) -> Vec<String> {
    let unit = |at: usize| table.columns[at].unit.as_str();
    let entries = row.entries.iter().enumerate().flat_map(|(at, entry)| {
        let published = is_published(table, at).then(|| published(entry));
        let all = [&entry.here].into_iter().chain(&entry.elsewhere);
        published.into_iter().chain(all.map(move |found| here_in(unit(at), found)))
    });
    row.labels.iter().cloned().chain(entries).chain(row.words.iter().cloned()).collect()
}

/// Whether the cell in this place of a row is a figure.
pub fn is_figure(table: &Table, at: usize) -> bool {
    at >= table.labels.len() && at + table.words.len() < head(table).len()
}

/// Whether anything was published of a column.
fn is_published(table: &Table, column: usize) -> bool {
    table.rows.iter().any(|row| row.entries[column].published.is_some())
}
