//! Two files of rows by name: what differs by how much, as markdown. Single figures have no noise that anything here could
//! tell; a share decides, as whoever made the files wants it.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Figures of one kind by row, before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsCompared {
    /// What they are, such as `instructions`.
    pub what: String,
    /// Rows that both have, the largest difference first.
    pub both: Vec<RowChange>,
    /// Rows of the base alone.
    pub gone: Vec<String>,
    /// Rows of the new one alone.
    pub added: Vec<String>,
}

/// A row that both have.
#[derive(Clone, Debug, PartialEq)]
pub struct RowChange {
    /// The row.
    pub name: String,
    /// Its figure before.
    pub base: f64,
    /// Its figure after.
    pub new: f64,
}

impl RowChange {
    /// The difference as a share of the base: 0.01 is 1 % more. Infinite where there was nothing before.
    pub fn share(&self) -> f64 {
        if self.base == self.new { 0.0 } else { (self.new - self.base) / self.base.abs() }
    }
}

impl RowsCompared {
    /// Puts rows of one name side by side.
    pub fn of(what: &str, base: &BTreeMap<String, f64>, new: &BTreeMap<String, f64>) -> Self {
        let mut both: Vec<RowChange> = base
            .iter()
            .filter_map(|(name, base)| {
                Some(RowChange { name: name.clone(), base: *base, new: *new.get(name)? })
            })
            .collect();
        both.sort_by(|one, other| other.share().abs().total_cmp(&one.share().abs()));
        let alone = |these: &BTreeMap<String, f64>, others: &BTreeMap<String, f64>| {
            these.keys().filter(|name| !others.contains_key(*name)).cloned().collect()
        };
        Self { what: what.to_owned(), both, gone: alone(base, new), added: alone(new, base) }
    }

    /// Rows that differ by a share or more.
    pub fn significant(&self, threshold: f64) -> impl Iterator<Item = &RowChange> {
        self.both.iter().filter(move |row| row.share().abs() >= threshold)
    }

    /// The rows that differ by a share or more, the others folded, and what only one has.
    pub fn markdown(&self, threshold: f64) -> String {
        let count = self.significant(threshold).count();
        let mut text = format!("## {}\n\n", self.what);
        // Writing to a string cannot fail.
        if count == 0 {
            let _ =
                writeln!(text, "No row of {} differs by {} or more.\n", self.both.len(), percent(threshold));
        } else {
            let _ = writeln!(
                text,
                "{count} of {} rows differ by {} or more.\n",
                self.both.len(),
                percent(threshold)
            );
            table(&mut text, self.significant(threshold));
        }
        let mut rest = self.both.iter().filter(|row| row.share().abs() < threshold).peekable();
        if rest.peek().is_some() {
            text.push_str("<details>\n<summary>Other rows</summary>\n\n");
            table(&mut text, rest);
            text.push_str("</details>\n\n");
        }
        for (whose, names) in [("the base", &self.gone), ("the new one", &self.added)] {
            if !names.is_empty() {
                let _ = writeln!(text, "Only {whose} has: {}.\n", names.join(", "));
            }
        }
        text
    }
}

fn table<'r>(text: &mut String, rows: impl Iterator<Item = &'r RowChange>) {
    text.push_str("| row | base | new | difference |\n|---|--:|--:|--:|\n");
    for row in rows {
        let RowChange { name, base, new } = row;
        let name = name.replace('|', "\\|");
        let _ =
            writeln!(text, "| {name} | {base} | {new} | {:+} ({:+.2} %) |", new - base, 100.0 * row.share());
    }
    text.push('\n');
}

fn percent(share: f64) -> String {
    format!("{} %", (share * 1e6).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[(&str, f64)]) -> BTreeMap<String, f64> {
        rows.iter().map(|(name, figure)| ((*name).to_owned(), *figure)).collect()
    }

    #[test]
    fn the_largest_difference_comes_first_and_nothing_vanishes() {
        let base = rows(&[("a", 1000.0), ("b", 1000.0), ("c", 1000.0), ("gone", 1.0)]);
        let new = rows(&[("a", 1001.0), ("b", 990.0), ("c", 1002.0), ("added", 2.0)]);
        let compared = RowsCompared::of("Instructions", &base, &new);
        let names: Vec<&str> = compared.significant(0.002).map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["b", "c"]);
        let text = compared.markdown(0.002);
        assert!(text.contains("2 of 3 rows differ by 0.2 % or more."), "{text}");
        assert!(text.contains("| b | 1000 | 990 | -10 (-1.00 %) |"), "{text}");
        assert!(
            text.contains("<summary>Other rows</summary>") && text.contains("| a | 1000 | 1001 |"),
            "{text}"
        );
        assert!(
            text.contains("Only the base has: gone.") && text.contains("Only the new one has: added."),
            "{text}"
        );
    }

    #[test]
    fn something_from_nothing_is_no_small_difference() {
        let compared = RowsCompared::of("Heap", &rows(&[("a", 0.0)]), &rows(&[("a", 3.0)]));
        assert_eq!(compared.significant(0.5).count(), 1);
        let same = RowsCompared::of("Heap", &rows(&[("a", 0.0)]), &rows(&[("a", 0.0)]));
        assert!(same.markdown(0.002).contains("No row of 1 differs"));
    }
}
