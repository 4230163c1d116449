//! The versions of a document's stacks, published and measured.

use tlslab_reproduction::{Reproduction, versions_table};

use super::grid::{Cell, Grid};

/// A table of versions, if any is known.
pub(super) fn versions(reproduction: &Reproduction) -> Option<Grid> {
    let lines = versions_table(reproduction);
    let line = |line: &Vec<String>| {
        line.iter().map(|text| Cell { text: text.clone(), is_figure: false }).collect::<Vec<_>>()
    };
    let (head, rows) = lines.split_first()?;
    Some(Grid {
        id: "versions-of-stacks".to_owned(),
        title: "Version of each stack".to_owned(),
        basis: String::new(),
        head: line(head),
        rows: rows.iter().map(line).collect(),
        note: None,
        causes: vec![],
        far: vec![],
    })
}
