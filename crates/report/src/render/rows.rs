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

/// What a file has, and what it has not.
pub fn rows_summary(file: &RowFile) -> Vec<String> {
    let left_out: Vec<_> = file.left_out().collect();
    let mut lines =
        vec![format!("{}: {} of {} rows", file.name, file.rows.len() - left_out.len(), file.rows.len())];
    lines.extend(
        left_out.into_iter().map(|(row, why)| format!("{}: left out: {}: {why}", file.name, row.name)),
    );
    lines
}
