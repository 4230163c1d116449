//! Counts under an emulator and natively, as text.

use std::fmt::Write as _;

use super::execute::Fidelities;

/// The result as text for a terminal.
pub fn fidelities_text(found: &Fidelities) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, found);
    text
}

fn write(text: &mut String, found: &Fidelities) -> std::fmt::Result {
    writeln!(text, "{}: counts by {} compared with native execution", found.stack, found.counter)?;
    for (scenario, hole) in &found.holes {
        writeln!(text, "\n{scenario}\n  {hole}")?;
    }
    if let Some(first) = found.both.first() {
        let [native, counted] = &first.features;
        let hidden: Vec<&str> =
            native.iter().filter(|feature| !counted.contains(feature)).map(String::as_str).collect();
        let hidden = if hidden.is_empty() { "nothing".to_owned() } else { hidden.join(" ") };
        writeln!(text, "hidden by the counter: {hidden}")?;
    }
    for note in &found.notes {
        writeln!(text, "{note}")?;
    }
    for one in &found.both {
        writeln!(text, "\n{}", one.scenario.name)?;
        for (side, contrast) in &one.sides {
            let [emulated, natively] = contrast.totals().map(|total| total / found.iterations.max(1));
            let ratio = contrast.ratio();
            writeln!(
                text,
                "  {side}: {emulated} instructions under valgrind, {ratio:.2} times the {natively} natively"
            )?;
            let is_it =
                |time: &&super::execute::TimeRatio| time.scenario == one.scenario.name && time.side == *side;
            if let Some(time) = found.times.iter().find(is_it) {
                writeln!(text, "  {side}: {}", time.text)?;
            }
            text.push_str(&contrast.table());
        }
    }
    Ok(())
}
