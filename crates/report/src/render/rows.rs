//! Files of rows.

use tlslab_estimate::{RowFile, RowOutcome};
use tlslab_text::number::counted;

/// A line for each row that has its figures: the name and the figures, separated by commas. There is no
/// header.
pub fn rows_csv(file: &RowFile) -> String {
    let mut text = String::new();
    for row in &file.rows {
        if let RowOutcome::Filled { values, .. } = &row.outcome {
            let values: Vec<String> = values.iter().map(u64::to_string).collect();
            text.push_str(&format!("{},{}\n", row.name, values.join(",")));
        }
    }
    text
}

/// How many rows a file has, and which are excluded: each reason once.
pub fn rows_summary(file: &RowFile) -> Vec<String> {
    let left_out: Vec<_> = file.left_out().collect();
    let mut first =
        format!("{}: {} of {}", file.name, file.rows.len() - left_out.len(), counted(file.rows.len(), "row"));
    if !file.rounds.is_empty() {
        first.push_str(&format!(", a time of each of {}", counted(file.rounds.len(), "round")));
    }
    let mut lines = vec![first];
    if !file.rounds_left_out.is_empty() {
        let rounds: Vec<String> = file.rounds_left_out.iter().map(|round| (round + 1).to_string()).collect();
        lines.push(format!(
            "{}: rounds excluded, as not every row was measured in them: {}",
            file.name,
            rounds.join(", ")
        ));
    }
    let mut by_reason: Vec<(String, Vec<&str>)> = Vec::new();
    for (row, why) in left_out {
        match by_reason.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(&row.name),
            None => by_reason.push((why, vec![&row.name])),
        }
    }
    let excluded =
        |(why, names): (String, Vec<&str>)| format!("{}: excluded: {}: {why}", file.name, names.join(", "));
    lines.extend(by_reason.into_iter().map(excluded));
    lines
}

#[cfg(test)]
mod tests {
    use tlslab_estimate::{Row, Whose};

    use super::*;

    fn row(name: &str, outcome: RowOutcome) -> Row {
        let (scenario, stack) = ("full".to_owned(), "a".to_owned());
        Row { name: name.to_owned(), scenario, stack, side: Whose::Both, outcome }
    }

    fn filled(name: &str, values: &[u64]) -> Row {
        row(name, RowOutcome::Filled { values: values.to_vec(), times: vec![1], once: vec![None] })
    }

    fn file(rounds_left_out: Vec<u32>, rows: Vec<Row>) -> RowFile {
        let (name, columns) = ("walltime.csv".to_owned(), vec!["time".to_owned()]);
        RowFile { name, columns, rounds: vec![0, 1], rounds_left_out, rows }
    }

    #[test]
    fn a_file_has_the_rows_with_figures() {
        let file = file(vec![], vec![filled("full", &[101_000, 211_000]), filled("short", &[1_500, 1_700])]);
        assert_eq!(rows_csv(&file), "full,101000,211000\nshort,1500,1700\n");
        assert_eq!(rows_summary(&file), ["walltime.csv: 2 of 2 rows, a time of each of 2 rounds"]);
    }

    #[test]
    fn a_summary_has_each_reason_once() {
        let broke = || RowOutcome::Failed { failed: "it broke".to_owned() };
        let lacks = RowOutcome::Unsupported { unsupported: "it has no keys".to_owned() };
        let file = file(vec![2], vec![row("full", broke()), row("resumed", broke()), row("short", lacks)]);
        assert_eq!(rows_csv(&file), "");
        assert_eq!(
            rows_summary(&file),
            [
                "walltime.csv: 0 of 3 rows, a time of each of 2 rounds",
                "walltime.csv: rounds excluded, as not every row was measured in them: 3",
                "walltime.csv: excluded: full, resumed: failed: it broke",
                "walltime.csv: excluded: short: unsupported: it has no keys",
            ]
        );
    }
}
