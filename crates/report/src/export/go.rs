//! Go's benchmark format, which benchstat reads:
//! <https://go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md>.

use std::fmt::Write;

use tlslab_estimate::Report;

use super::figure::{Figure, TIME, figures};

/// A line for each value. The time of a whole iteration has one for each visit, which benchstat takes for
/// samples.
pub fn go(report: &Report) -> String {
    let mut text = String::new();
    for figure in figures(report) {
        let (unit, scale) = match (&*figure.metric, figure.unit) {
            (TIME, "µs") => ("ns/op".to_owned(), 1000.0),
            (metric, "µs") => (format!("{metric}-ns/op"), 1000.0),
            ("throughput", "MB/s") => ("MB/s".to_owned(), 1.0),
            (metric, unit) => (format!("{metric}-{}", word(unit)), 1.0),
        };
        let values = if figure.visits.is_empty() { vec![figure.value] } else { figure.visits.clone() };
        for value in values {
            writeln!(text, "{} 1 {} {unit}", name(&figure), value * scale)
                .expect("writing to a string cannot fail");
        }
    }
    text
}

fn name(figure: &Figure<'_>) -> String {
    format!(
        "BenchmarkTLS/stack={}/scenario={}/side={}",
        word(figure.stack),
        word(figure.scenario),
        figure.side
    )
}

/// Text without the separators of names and columns.
fn word(text: &str) -> String {
    text.chars().map(|letter| if letter == '/' || letter.is_whitespace() { ':' } else { letter }).collect()
}
