//! Figures that are far from the published ones.

use crate::cause::CauseOf;
use crate::model::{Far, Here, Row, Table};
use crate::parts::Published;

/// Beyond this factor a difference is explained, or reported as open.
const FACTOR: f64 = 1.5;
/// Units of time and of derived quantities: on another machine they differ anyway.
const OF_A_MACHINE: [&str; 8] = ["ns", "µs", "ms", "s", "/s", "handshakes/s", "MB/s", "MiB/s"];

/// Whether figures in this unit can be held against those of another machine: ratios and counts can.
pub(crate) fn is_comparable(unit: &str) -> bool {
    !OF_A_MACHINE.contains(&unit)
}

impl Far {
    /// The differences of a table with the rows of `set`: its ratios, and its counts that do not depend on
    /// the machine.
    pub(crate) fn of(table: &Table, set: &Published, causes: &[CauseOf]) -> Option<Self> {
        let distance = |ratio: f64| ratio.ln().abs();
        let all: Vec<(f64, usize, usize)> = compared(table).collect();
        let far: Vec<(f64, usize, usize)> =
            all.iter().copied().filter(|(ratio, ..)| distance(*ratio) > FACTOR.ln()).collect();
        let (most, row, column) =
            far.iter().copied().max_by(|one, other| distance(one.0).total_cmp(&distance(other.0)))?;
        let is_explained = |at: usize| {
            let row = set.rows.get(at);
            row.is_some_and(|row| causes.iter().any(|cause| cause.is_of_row(set, row)))
        };
        let open = far.iter().filter(|(_, row, _)| !is_explained(*row));
        Some(Self {
            host: None,
            factor: FACTOR,
            figures: far.len(),
            of: all.len(),
            most,
            place: place(table, &table.rows[row], column),
            open: open.map(|(_, row, column)| place(table, &table.rows[*row], *column)).collect(),
        })
    }
}

/// Each figure here over the published one, with its row and column, if the two are comparable.
fn compared(table: &Table) -> impl Iterator<Item = (f64, usize, usize)> {
    let entries =
        table.rows.iter().enumerate().flat_map(|(row, of)| {
            of.entries.iter().enumerate().map(move |(column, entry)| (row, column, entry))
        });
    entries.filter(|(_, column, _)| is_comparable(&table.columns[*column].unit)).filter_map(
        |(row, column, entry)| match (entry.published, &entry.here) {
            (Some(published), Here::Figure(here)) if published > 0.0 && here.value > 0.0 => {
                Some((here.value / published, row, column))
            }
            _ => None,
        },
    )
}

/// A figure's row and column.
fn place(table: &Table, row: &Row, column: usize) -> String {
    format!("{}: {}", row.labels.join(", "), table.columns[column].title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Column, Entry, Figure};

    fn table(rows: Vec<Row>) -> Table {
        let column = |title: &str, unit: &str| Column { title: title.to_owned(), unit: unit.to_owned() };
        Table {
            title: String::new(),
            basis: String::new(),
            labels: vec!["row".to_owned()],
            columns: vec![column("A", "µs"), column("A over B", "ratio")],
            words: vec![],
            rows,
            note: None,
            ..Table::default()
        }
    }

    fn row(label: &str, entries: [(f64, f64); 2]) -> Row {
        let entry =
            |(published, value): (f64, f64)| Entry::new(Some(published), Here::Figure(Figure::plain(value)));
        Row { labels: vec![label.to_owned()], entries: entries.map(entry).to_vec(), words: vec![] }
    }

    #[test]
    fn ratios_are_compared_and_times_of_another_machine_are_not() {
        let all = table(vec![
            row("near", [(10.0, 90.0), (1.0, 1.4)]),
            row("far", [(10.0, 10.0), (10.0, 2.5)]),
            row("farther up", [(10.0, 30.0), (10.0, 30.0)]),
        ]);
        let set: Published =
            toml::from_str("columns = [\"row\"]\nrows = [[\"near\"], [\"far\"], [\"farther up\"]]").unwrap();
        let far = Far::of(&all, &set, &[]).unwrap();
        assert_eq!((far.figures, far.of, far.most, far.place.as_str()), (2, 3, 0.25, "far: A over B"));
        assert_eq!(far.open, ["far: A over B", "farther up: A over B"]);
        let cause: CauseOf =
            toml::from_str("says = \"why\"\nrows = [{ row = [\"far\", \"near\"] }]").unwrap();
        assert_eq!(Far::of(&all, &set, &[cause]).unwrap().open, ["farther up: A over B"]);
        assert_eq!(Far::of(&table(all.rows[..1].to_vec()), &set, &[]), None);
    }
}
