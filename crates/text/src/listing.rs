//! Lists in three formats: a table for a terminal, a table in Markdown, or JSON objects.

use std::io;

use comfy_table::{ContentArrangement, Table, presets};
use serde_json::{Map, Value};
use terminal_size::{Width, terminal_size_of};

/// The format of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFormat {
    /// For a terminal.
    Table,
    /// For programs: one JSON object per entry.
    Json,
    /// For a repository: a table in Markdown.
    Markdown,
}

/// A list whose entries have the same columns.
pub struct Listing {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Listing {
    /// An empty list. The column names are also the keys of the JSON objects.
    pub fn new<C: Into<String>>(columns: impl IntoIterator<Item = C>) -> Self {
        Self { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds an entry, with one value per column.
    pub fn add<V: Into<Value>>(&mut self, row: impl IntoIterator<Item = V>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    /// The list as text in a format.
    pub fn text(&self, format: ListFormat) -> String {
        match format {
            ListFormat::Table => {
                let mut table = Table::new();
                table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
                if let Some((Width(width), _)) = terminal_size_of(io::stdout()) {
                    table.set_width(width);
                }
                table.set_header(&self.columns);
                for row in &self.rows {
                    table.add_row(row.iter().map(show));
                }
                format!("{table}\n")
            }
            ListFormat::Markdown => {
                let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
                let escaped = |value: &Value| crate::markdown(&show(value));
                let mut text = line(self.columns.clone());
                text += &line(vec!["---".to_owned(); self.columns.len()]);
                text.extend(self.rows.iter().map(|row| line(row.iter().map(escaped).collect())));
                text
            }
            ListFormat::Json => {
                let object = |row: &Vec<Value>| {
                    Value::Object(
                        self.columns.iter().cloned().zip(row.iter().cloned()).collect::<Map<_, _>>(),
                    )
                };
                let all: Vec<Value> = self.rows.iter().map(object).collect();
                format!("{:#}\n", Value::Array(all))
            }
        }
    }
}

/// A value as text; empty if it is unknown.
fn show(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(show).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_every_entry() {
        let mut listing = Listing::new(["name", "bytes"]);
        listing.add([Value::from("a|b"), Value::from(7)]);
        listing.add([Value::from("c <b>@name"), Value::Null]);
        assert_eq!(
            listing.text(ListFormat::Markdown),
            "| name | bytes |\n| --- | --- |\n| a\\|b | 7 |\n| c \\<b\\>@\u{2060}name | - |\n"
        );
        let objects: Value = serde_json::from_str(&listing.text(ListFormat::Json)).unwrap();
        assert_eq!(
            objects,
            serde_json::json!([{ "name": "a|b", "bytes": 7 }, { "name": "c <b>@name", "bytes": null }])
        );
        let table = listing.text(ListFormat::Table);
        assert!(table.contains("a|b") && table.contains('7') && table.lines().count() == 3, "{table}");
    }
}
