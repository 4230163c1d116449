//! Compares two files of rows by name. The noise of a single figure is unknown here; the caller gives a
//! threshold. Medians of times have noise, and decide nothing.

use std::collections::BTreeMap;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_text::number::{counted, figure, percent, signed, signed_percent};
use tlslab_text::{markdown as escaped, width};

/// Figures of one kind by row, and the same figures in other files with other row names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedRows {
    /// The figures by row.
    pub rows: BTreeMap<String, f64>,
    /// Files with other names, each with its figures by row.
    pub others: Vec<(String, BTreeMap<String, f64>)>,
}

/// The kind of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FigureKind {
    /// A count.
    Counted,
    /// The median of several times.
    MedianOfTimes,
}

/// Figures of one kind by row, before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RowsCompared {
    /// Their name, such as `instructions`.
    #[serde(rename = "metric")]
    pub what: String,
    /// Their kind.
    pub kind: FigureKind,
    /// Rows that both have, the largest difference first.
    #[serde(rename = "rows")]
    pub both: Vec<RowChange>,
    /// Rows of the baseline alone.
    #[serde(rename = "only_in_baseline")]
    pub gone: Vec<String>,
    /// Rows of the candidate alone.
    #[serde(rename = "only_in_candidate")]
    pub added: Vec<String>,
    /// How many rows of `both` one of the two has in a file with other names alone.
    #[serde(rename = "matched_by_other_names")]
    pub by_other_names: Vec<OtherNames>,
}

/// Rows that one of the two has under other names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherNames {
    /// The file that has these names, with its folder if it is known.
    pub file: String,
    /// How many rows were found in it.
    pub rows: usize,
}

/// A row that both have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RowChange {
    /// The row.
    pub name: String,
    /// Its figure before.
    pub baseline: f64,
    /// Its figure after.
    pub candidate: f64,
}

impl RowChange {
    /// The difference as a share of the baseline: 0.01 is 1 % more. Infinite if the baseline is 0.
    pub fn share(&self) -> f64 {
        if self.baseline == self.candidate {
            0.0
        } else {
            (self.candidate - self.baseline) / self.baseline.abs()
        }
    }

    fn columns(&self) -> [String; 4] {
        let RowChange { name, baseline, candidate } = self;
        let difference = format!("{} ({})", signed(candidate - baseline), signed_percent(self.share()));
        [name.clone(), figure(*baseline), figure(*candidate), difference]
    }
}

impl RowsCompared {
    /// Puts rows of one name side by side. A row that the other has not by this name is looked for in the
    /// other's files with other names.
    pub fn of(what: &str, kind: FigureKind, baseline: &NamedRows, candidate: &NamedRows) -> Self {
        let mut compared = Self {
            what: what.to_owned(),
            kind,
            both: Vec::new(),
            gone: Vec::new(),
            added: Vec::new(),
            by_other_names: Vec::new(),
        };
        for (name, figure) in &baseline.rows {
            let found = candidate.rows.get(name).copied().or_else(|| compared.other_name(name, candidate));
            match found {
                Some(candidate) => {
                    compared.both.push(RowChange { name: name.clone(), baseline: *figure, candidate })
                }
                None => compared.gone.push(name.clone()),
            }
        }
        for (name, figure) in candidate.rows.iter().filter(|(name, _)| !baseline.rows.contains_key(*name)) {
            match compared.other_name(name, baseline) {
                Some(baseline) => {
                    compared.both.push(RowChange { name: name.clone(), baseline, candidate: *figure })
                }
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

    /// Whether a difference is a change.
    pub fn decides(&self) -> bool {
        self.kind == FigureKind::Counted
    }

    /// Rows that differ by a share or more.
    pub fn significant(&self, threshold: f64) -> impl Iterator<Item = &RowChange> {
        self.both.iter().filter(move |row| row.share().abs() >= threshold)
    }

    /// The rows that differ by a share or more, the others folded, and the rows on one side only.
    pub fn markdown(&self, threshold: f64) -> String {
        let mut text = format!("## {}\n\n", escaped(&self.what));
        // Writing to a string cannot fail.
        for line in self.heading(threshold) {
            let _ = writeln!(text, "{}\n", escaped(&line));
        }
        if self.significant(threshold).next().is_some() {
            table(&mut text, self.significant(threshold));
        }
        let mut rest = self.both.iter().filter(|row| row.share().abs() < threshold).peekable();
        if rest.peek().is_some() {
            text.push_str("<details>\n<summary>Other rows</summary>\n\n");
            table(&mut text, rest);
            text.push_str("</details>\n\n");
        }
        for (whose, names) in self.alone() {
            let listed = names.iter().map(|name| escaped(name)).collect::<Vec<_>>().join(", ");
            let _ = match names.len() {
                0 => Ok(()),
                1..=MOST_LISTED => writeln!(text, "Only {whose} has: {listed}.\n"),
                count => {
                    let summary = format!("Only {whose} has {}", counted(count, "row"));
                    writeln!(text, "<details>\n<summary>{summary}</summary>\n\n{listed}\n\n</details>\n")
                }
            };
        }
        text
    }

    /// The same for a terminal. Rows that differ by less are shown with `all`.
    pub fn terminal(&self, threshold: f64, all: bool) -> String {
        let mut text = format!("{}\n", self.what);
        for line in self.heading(threshold) {
            let _ = writeln!(text, "{line}");
        }
        let shown: Vec<[String; 4]> =
            self.significant(if all { 0.0 } else { threshold }).map(RowChange::columns).collect();
        let longest = |column: usize| {
            let cells = shown.iter().map(|row| width(&row[column]));
            cells.chain([TITLES[column].len()]).max().unwrap_or_default()
        };
        let widths: [usize; 4] = std::array::from_fn(longest);
        let titles = (!shown.is_empty()).then(|| TITLES.map(str::to_owned));
        for row in titles.iter().chain(&shown) {
            // Names begin and figures end in line.
            for (column, (cell, widest)) in row.iter().zip(widths).enumerate() {
                let pad = " ".repeat(widest - width(cell));
                let _ =
                    if column == 0 { write!(text, "  {cell}{pad}") } else { write!(text, "  {pad}{cell}") };
            }
            text.push('\n');
        }
        if self.both.len() > shown.len() {
            let hidden = self.both.len() - shown.len();
            let _ = writeln!(
                text,
                "Not shown: {hidden} of {}; --all shows them",
                counted(self.both.len(), "row")
            );
        }
        for (whose, names) in self.alone().into_iter().filter(|(_, names)| !names.is_empty()) {
            let _ = writeln!(text, "Only {whose} has: {}", names.join(", "));
        }
        text + "\n"
    }

    /// Notes on the figures, and how many of them differ.
    fn heading(&self, threshold: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        if !self.decides() {
            lines.push(NO_VERDICT.to_owned());
        }
        lines.extend(
            self.by_other_names.iter().map(|OtherNames { file, rows }| {
                format!("{} matched by name in {file}.", counted(rows, "row"))
            }),
        );
        let (of, least) = (self.both.len(), percent(threshold));
        lines.push(match self.significant(threshold).count() {
            0 => format!("No row of {of} differs by {least} or more."),
            1 => format!("1 of {} differs by {least} or more.", counted(of, "row")),
            count => format!("{count} of {} differ by {least} or more.", counted(of, "row")),
        });
        lines
    }

    /// The rows that only one has, and which one.
    fn alone(&self) -> [(&'static str, &[String]); 2] {
        [("the baseline", &self.gone), ("the candidate", &self.added)]
    }
}

/// The columns of a table of rows.
const TITLES: [&str; 4] = ["row", "baseline", "candidate", "difference"];
/// How many rows that only one has are listed in the open.
const MOST_LISTED: usize = 12;
/// The note on medians.
const NO_VERDICT: &str = "Each figure is the median of a row's times. A difference of medians without a test is no verdict: \
                          tlslab compare BASE NEW measures two stacks together and decides.";

fn table<'r>(text: &mut String, rows: impl Iterator<Item = &'r RowChange>) {
    let _ = writeln!(text, "| {} |\n|---|--:|--:|--:|", TITLES.join(" | "));
    for row in rows {
        let [name, baseline, candidate, difference] = row.columns();
        let _ = writeln!(text, "| {} | {baseline} | {candidate} | {difference} |", escaped(&name));
    }
    text.push('\n');
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

    fn counted(what: &str, baseline: &NamedRows, candidate: &NamedRows) -> RowsCompared {
        RowsCompared::of(what, FigureKind::Counted, baseline, candidate)
    }

    #[test]
    fn the_largest_difference_comes_first_and_nothing_vanishes() {
        let baseline = rows(&[("a", 1000.0), ("b", 1000.0), ("c", 1000.0), ("gone", 1.0)]);
        let candidate = rows(&[("a", 1001.0), ("b", 990.0), ("c", 1002.0), ("added", 2.0)]);
        let compared = counted("Instructions", &baseline, &candidate);
        let names: Vec<&str> = compared.significant(0.002).map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["b", "c"]);
        let text = compared.markdown(0.002);
        assert!(text.contains("2 of 3 rows differ by 0.2 % or more."), "{text}");
        assert!(text.contains("| b | 1,000 | 990 | −10 (−1.00 %) |"), "{text}");
        assert!(
            text.contains("<summary>Other rows</summary>") && text.contains("| a | 1,000 | 1,001 |"),
            "{text}"
        );
        assert!(
            text.contains("Only the baseline has: gone.") && text.contains("Only the candidate has: added."),
            "{text}"
        );
    }

    #[test]
    fn a_terminal_shows_the_rows_that_differ_and_all_of_them_on_request() {
        let (baseline, candidate) =
            (rows(&[("a", 1000.0), ("b", 1000.0), ("gone", 1.0)]), rows(&[("a", 1001.0), ("b", 990.0)]));
        let compared = counted("Instructions", &baseline, &candidate);
        insta::assert_snapshot!(compared.terminal(0.002, false), @r"
        Instructions
        1 of 2 rows differs by 0.2 % or more.
          row  baseline  candidate     difference
          b       1,000        990  −10 (−1.00 %)
        Not shown: 1 of 2 rows; --all shows them
        Only the baseline has: gone
        ");
        assert!(compared.terminal(0.002, true).contains("+1 (+0.10 %)"));
    }

    #[test]
    fn a_difference_of_rows_is_read_as_it_was_written() {
        let baseline = rows(&[("a", 1000.0), ("b", 0.1), ("gone", 1.0)]);
        let mut candidate = rows(&[("a", 1001.5), ("added", 2.0)]);
        candidate.others.push(("new/older.csv".to_owned(), figures(&[("b", 0.3)])));
        let compared = RowsCompared::of("instructions", FigureKind::Counted, &baseline, &candidate);
        assert_eq!((compared.both.len(), compared.by_other_names.len()), (2, 1));
        let mut value = serde_json::to_value(&compared).unwrap();
        value["later"] = true.into();
        value["rows"][0]["later"] = true.into();
        value["matched_by_other_names"][0]["later"] = true.into();
        assert_eq!(serde_json::from_str::<RowsCompared>(&value.to_string()).unwrap(), compared);
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
        let candidate = NamedRows {
            rows: figures(&[("a_x_server", 1000.0), ("b_x_server", 30.0)]),
            others: vec![("new/c.older.csv".to_owned(), other)],
        };
        for (baseline, young, share) in [(&old, &candidate, -10.0 / 110.0), (&candidate, &old, 0.1)] {
            let compared = counted("Instructions", baseline, young);
            assert_eq!(compared.both.len(), 1);
            assert!((compared.both[0].share() - share).abs() < 1e-12, "{compared:?}");
            let file = "new/c.older.csv".to_owned();
            assert_eq!(compared.by_other_names, [OtherNames { file, rows: 1 }]);
            let mut alone = [compared.gone.clone(), compared.added.clone()];
            alone.sort();
            assert_eq!(alone, [vec!["a_x_server", "b_x_server"], vec!["lost"]]);
            let described = "1 row matched by name in new/c.older.csv.";
            assert!(compared.markdown(0.002).contains(described));
        }
        // A row that both have by its own name needs no other.
        let same = counted("Instructions", &candidate, &candidate);
        assert_eq!((same.both.len(), &same.by_other_names[..]), (2, &[][..]));
    }

    #[test]
    fn a_long_list_of_rows_that_only_one_has_is_folded() {
        let many: Vec<String> = (0..13).map(|at| format!("row{at:02}")).collect();
        let many: Vec<(&str, f64)> = many.iter().map(|name| (name.as_str(), 1.0)).collect();
        let text = |count: usize| counted("Heap", &rows(&[]), &rows(&many[..count])).markdown(0.002);
        assert!(text(12).contains("Only the candidate has: row00, row01,"));
        assert!(text(13).contains("<summary>Only the candidate has 13 rows</summary>\n\nrow00, row01,"));
        assert!(text(13).contains("row12\n\n</details>\n"));
    }

    #[test]
    fn medians_decide_nothing() {
        let (baseline, candidate) = (rows(&[("a", 100.0)]), rows(&[("a", 200.0)]));
        let compared = RowsCompared::of("Times", FigureKind::MedianOfTimes, &baseline, &candidate);
        assert!(!compared.decides() && counted("Counts", &baseline, &candidate).decides());
        let text = compared.markdown(0.002);
        assert!(text.contains("no verdict") && text.contains("| a | 100 | 200 | +100 (+100 %) |"), "{text}");
    }
}
