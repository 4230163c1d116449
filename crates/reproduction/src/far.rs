//! Figures that are far from the published ones.

use crate::model::{Far, Here, Table};

/// Beyond this factor a difference is explained, or said to be open.
const FACTOR: f64 = 1.5;

impl Far {
    /// Those of a table's first columns, which are figures; ratios of them follow.
    pub(crate) fn of(table: &Table, columns: usize, cause: Option<String>) -> Option<Self> {
        let rows = table
            .rows
            .iter()
            .flat_map(|row| row.entries.iter().take(columns).enumerate().map(move |at| (row, at)));
        let both = rows.filter_map(|(row, (at, entry))| match (entry.published, &entry.here) {
            (Some(published), Here::Figure(here)) if published > 0.0 && here.value > 0.0 => {
                Some((here.value / published, row, at))
            }
            _ => None,
        });
        let both: Vec<_> = both.collect();
        let distance = |ratio: f64| ratio.ln().abs();
        let far = both.iter().filter(|(ratio, ..)| distance(*ratio) > FACTOR.ln());
        let (most, row, at) =
            far.clone().max_by(|one, other| distance(one.0).total_cmp(&distance(other.0)))?;
        let labels = row.labels.join(", ");
        Some(Self {
            factor: FACTOR,
            figures: far.count(),
            of: both.len(),
            most: *most,
            place: format!("{labels}: {}, {}", table.columns[*at].title, table.columns[*at].unit),
            cause,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Column, Entry, Figure, Row};

    #[test]
    fn the_farthest_figure_is_named_and_ratios_are_left_out() {
        let entry = |published: f64, value: f64| Entry {
            published: Some(published),
            here: Here::Figure(Figure { value, bounds: None }),
        };
        let row =
            |label: &str, entries: Vec<Entry>| Row { labels: vec![label.to_owned()], entries, words: vec![] };
        let column = |title: &str| Column { title: title.to_owned(), unit: "µs".to_owned() };
        let table = Table {
            title: String::new(),
            basis: String::new(),
            labels: vec!["row".to_owned()],
            columns: vec![column("A"), column("ratio")],
            words: vec![],
            rows: vec![
                row("near", vec![entry(10.0, 14.0), entry(1.0, 9.0)]),
                row("far", vec![entry(10.0, 2.5), entry(1.0, 1.0)]),
                row("farther up", vec![entry(10.0, 30.0), entry(1.0, 1.0)]),
            ],
            note: None,
            far: None,
        };
        let far = Far::of(&table, 1, None).unwrap();
        assert_eq!((far.figures, far.of, far.most, far.place.as_str()), (2, 3, 0.25, "far: A, µs"));
        let near = Table { rows: table.rows[..1].to_vec(), ..table };
        assert_eq!(Far::of(&near, 1, None), None);
    }
}
