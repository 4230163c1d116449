//! A bisection as text.

use std::fmt::Write as _;

use super::execute::{Bisection, Culprit, Looked};
use super::steps::Found;

/// A bisection as text for a terminal.
pub fn bisection_text(bisection: &Bisection) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, bisection);
    text
}

fn write(text: &mut String, bisection: &Bisection) -> std::fmt::Result {
    let Some((name, measured)) = &bisection.cell else {
        writeln!(text, "{}", tlslab_comparison::sentence(&bisection.whole))?;
        return writeln!(
            text,
            "no change was found between the good and the bad one, so there is nothing to bisect"
        );
    };
    writeln!(text, "{name}: {:+.3} % from the good to the bad one", 100.0 * (measured.ratio - 1.0))?;
    for looked in &bisection.looked {
        writeln!(text, "{}: {}", looked.title, finding(looked))?;
    }
    match &bisection.culprit {
        Some(Culprit::Revision { title, is_sure, comparison }) => {
            let words = if *is_sure { "caused by" } else { "not certain; probably caused by" };
            writeln!(text, "\n{words} {title}")?;
            text.push_str(&tlslab_comparison::terminal(comparison, true));
        }
        Some(Culprit::OneOf(suspects)) => {
            let words =
                "not certain: one of these caused it; the others could not be measured or are inconclusive:";
            writeln!(text, "\n{words}")?;
            for suspect in suspects {
                let why = suspect.reason.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
                writeln!(text, "  {}{why}", suspect.title)?;
            }
        }
        None => {}
    }
    Ok(())
}

fn finding(looked: &Looked) -> String {
    let measured = match &looked.found {
        Found::Unable(why) => return format!("skipped: {why}"),
        Found::Measured(measured) => measured,
    };
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let verdict = match looked.is_bad {
        Some(true) => "bad",
        Some(false) => "good",
        None => "inconclusive, skipped",
    };
    format!(
        "{:+.3} % [{:+.3}, {:+.3}] against the good one: {verdict}",
        percent(measured.ratio),
        percent(measured.lower),
        percent(measured.upper)
    )
}
