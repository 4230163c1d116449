//! Two files of rows by name: what differs by how much, as markdown. Single figures have no noise that anything here could
//! tell; a share decides, as whoever made the files wants it. Medians of times have noise, and decide nothing.

use std::collections::BTreeMap;
use std::fmt::Write;

use tlslab_text::markdown as escaped;

/// Figures of one kind by row, and the same figures in other files that have other names for rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedRows {
    /// The figures by row.
    pub rows: BTreeMap<String, f64>,
    /// Files with other names, each with its figures by row.
    pub others: Vec<(String, BTreeMap<String, f64>)>,
}

/// What a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureKind {
    /// What was counted.
    Counted,
    /// The median of several times.
    MedianOfTimes,
}

/// Figures of one kind by row, before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsCompared {
    /// What they are, such as `instructions`.
    pub what: String,
    /// What each is.
    pub kind: FigureKind,
    /// Rows that both have, the largest difference first.
    pub both: Vec<RowChange>,
    /// Rows of the base alone.
    pub gone: Vec<String>,
    /// Rows of the new one alone.
    pub added: Vec<String>,
    /// How many rows of `both` one of the two has in a file with other names alone.
    pub by_other_names: Vec<OtherNames>,
}

/// Rows that one of the two has under other names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherNames {
    /// The file that has these names, with its folder where it is known.
    pub file: String,
    /// How many rows were found in it.
    pub rows: usize,
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
    /// Puts rows of one name side by side. A row that the other has not by this name is looked for in the other's files with
    /// other names.
    pub fn of(what: &str, kind: FigureKind, base: &NamedRows, new: &NamedRows) -> Self {
        let mut compared = Self {
            what: what.to_owned(),
            kind,
            both: Vec::new(),
            gone: Vec::new(),
            added: Vec::new(),
            by_other_names: Vec::new(),
        };
        for (name, figure) in &base.rows {
            let found = new.rows.get(name).copied().or_else(|| compared.other_name(name, new));
            match found {
                Some(new) => compared.both.push(RowChange { name: name.clone(), base: *figure, new }),
                None => compared.gone.push(name.clone()),
            }
        }
        for (name, figure) in new.rows.iter().filter(|(name, _)| !base.rows.contains_key(*name)) {
            match compared.other_name(name, base) {
                Some(base) => compared.both.push(RowChange { name: name.clone(), base, new: *figure }),
                None => compared.added.push(name.clone()),
            }
        }
        compared.both.sort_by(|one, other| other.share().abs().total_cmp(&one.share().abs()));
        compared
    }

    /// A row's figure in the first file with other names that has it; the file is remembered.
    fn other_name(&mut self, name: &str, rows: &NamedRows) -> Option<f64> {
        let (file, figure) = rows.others.iter().find_map(|(file, rows)| Some((file, *rows.get(name)?)))?;
        match self.by_other_names.iter_mut().find(|known| known.file == *file) {
            Some(known) => known.rows += 1,
            None => self.by_other_names.push(OtherNames { file: file.clone(), rows: 1 }),
        }
        Some(figure)
    }

    /// Whether a difference says that something changed.
    pub fn decides(&self) -> bool {
        self.kind == FigureKind::Counted
    }

    /// Rows that differ by a share or more.
    pub fn significant(&self, threshold: f64) -> impl Iterator<Item = &RowChange> {
        self.both.iter().filter(move |row| row.share().abs() >= threshold)
    }

    /// The rows that differ by a share or more, the others folded, and what only one has.
    pub fn markdown(&self, threshold: f64) -> String {
        let count = self.significant(threshold).count();
        let mut text = format!("## {}\n\n", escaped(&self.what));
        // Writing to a string cannot fail.
        if !self.decides() {
            let _ = writeln!(text, "{NO_VERDICT}\n");
        }
        for OtherNames { file, rows } in &self.by_other_names {
            let file = escaped(file);
            let _ = match rows {
                1 => writeln!(text, "1 row was matched by another name: that which {file} has for it.\n"),
                _ => writeln!(
                    text,
                    "{rows} rows were matched by other names: those that {file} has for them.\n"
                ),
            };
        }
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
            let listed = names.iter().map(|name| escaped(name)).collect::<Vec<_>>().join(", ");
            let _ = match names.len() {
                0 => Ok(()),
                1..=MOST_LISTED => writeln!(text, "Only {whose} has: {listed}.\n"),
                count => {
                    let summary = format!("Only {whose} has {count} rows");
                    writeln!(text, "<details>\n<summary>{summary}</summary>\n\n{listed}\n\n</details>\n")
                }
            };
        }
        text
    }
}

/// How many rows that only one has are listed in the open.
const MOST_LISTED: usize = 12;
/// What a reader must know of medians.
const NO_VERDICT: &str = "Each figure is the median of a row's times. A difference of medians without a test is no verdict: \
                          `tlslab compare BASE NEW` of two stacks measures both together and decides.";

fn table<'r>(text: &mut String, rows: impl Iterator<Item = &'r RowChange>) {
    text.push_str("| row | base | new | difference |\n|---|--:|--:|--:|\n");
    for row in rows {
        let RowChange { name, base, new } = row;
        let name = escaped(name);
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

    fn figures(rows: &[(&str, f64)]) -> BTreeMap<String, f64> {
        rows.iter().map(|(name, figure)| ((*name).to_owned(), *figure)).collect()
    }

    fn rows(rows: &[(&str, f64)]) -> NamedRows {
        NamedRows { rows: figures(rows), others: Vec::new() }
    }

    fn counted(what: &str, base: &NamedRows, new: &NamedRows) -> RowsCompared {
        RowsCompared::of(what, FigureKind::Counted, base, new)
    }

    #[test]
    fn the_largest_difference_comes_first_and_nothing_vanishes() {
        let base = rows(&[("a", 1000.0), ("b", 1000.0), ("c", 1000.0), ("gone", 1.0)]);
        let new = rows(&[("a", 1001.0), ("b", 990.0), ("c", 1002.0), ("added", 2.0)]);
        let compared = counted("Instructions", &base, &new);
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
        let compared = counted("Heap", &rows(&[("a", 0.0)]), &rows(&[("a", 3.0)]));
        assert_eq!(compared.significant(0.5).count(), 1);
        let same = counted("Heap", &rows(&[("a", 0.0)]), &rows(&[("a", 0.0)]));
        assert!(same.markdown(0.002).contains("No row of 1 differs"));
    }

    #[test]
    fn rows_are_matched_by_other_names_in_either_direction() {
        let old = rows(&[("a_server", 110.0), ("lost", 1.0)]);
        let other = figures(&[("a_server", 100.0), ("b_server", 3.0)]);
        let new = NamedRows {
            rows: figures(&[("a_x_server", 1000.0), ("b_x_server", 30.0)]),
            others: vec![("new/c.older.csv".to_owned(), other)],
        };
        for (base, young, share) in [(&old, &new, -10.0 / 110.0), (&new, &old, 0.1)] {
            let compared = counted("Instructions", base, young);
            assert_eq!(compared.both.len(), 1);
            assert!((compared.both[0].share() - share).abs() < 1e-12, "{compared:?}");
            let file = "new/c.older.csv".to_owned();
            assert_eq!(compared.by_other_names, [OtherNames { file, rows: 1 }]);
            let mut alone = [compared.gone.clone(), compared.added.clone()];
            alone.sort();
            assert_eq!(alone, [vec!["a_x_server", "b_x_server"], vec!["lost"]]);
            let described = "1 row was matched by another name: that which new/c.older.csv has for it.";
            assert!(compared.markdown(0.002).contains(described));
        }
        // A row that both have by its own name needs no other.
        let same = counted("Instructions", &new, &new);
        assert_eq!((same.both.len(), &same.by_other_names[..]), (2, &[][..]));
    }

    #[test]
    fn a_long_list_of_rows_that_only_one_has_is_folded() {
        let many: Vec<String> = (0..13).map(|at| format!("row{at:02}")).collect();
        let many: Vec<(&str, f64)> = many.iter().map(|name| (name.as_str(), 1.0)).collect();
        let text = |count: usize| counted("Heap", &rows(&[]), &rows(&many[..count])).markdown(0.002);
        assert!(text(12).contains("Only the new one has: row00, row01,"));
        assert!(text(13).contains("<summary>Only the new one has 13 rows</summary>\n\nrow00, row01,"));
        assert!(text(13).contains("row12\n\n</details>\n"));
    }

    #[test]
    fn medians_decide_nothing() {
        let (base, new) = (rows(&[("a", 100.0)]), rows(&[("a", 200.0)]));
        let compared = RowsCompared::of("Times", FigureKind::MedianOfTimes, &base, &new);
        assert!(!compared.decides() && counted("Counts", &base, &new).decides());
        let text = compared.markdown(0.002);
        assert!(
            text.contains("no verdict") && text.contains("| a | 100 | 200 | +100 (+100.00 %) |"),
            "{text}"
        );
    }
}
