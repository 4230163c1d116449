//! Files of rows.

use crate::model::{RowFile, RowOutcome};

/// A line for each row that has its figures: the name and the figures, separated by commas. There is no header.
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
        format!("{}: {} of {} rows", file.name, file.rows.len() - left_out.len(), file.rows.len());
    if !file.rounds.is_empty() {
        first.push_str(&format!(", a time of each of {} rounds", file.rounds.len()));
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
