//! The page's first line: where most instructions are, or how many more there are now.

use tlslab_profile::{Row, Sheet, Side};
use tlslab_text::number::signed;

use super::rows::{share, short, signed_change};

/// The answer, its evidence and the class of its sign.
pub(super) struct Verdict {
    pub class: &'static str,
    pub answer: String,
    pub evidence: Vec<String>,
}

impl Verdict {
    pub(super) fn of(sheet: &Sheet) -> Self {
        match sheet.baseline {
            Some(_) => Self::of_two(&sheet.sides),
            None => Self::of_one(&sheet.sides),
        }
    }

    fn of_one(sides: &[Side]) -> Self {
        let most = |side: &Side| {
            let first = side.functions.first()?;
            Some((short(&first.function), share(first.after.unwrap_or(0.0), side.after), whose(side)))
        };
        let answers: Vec<_> = sides.iter().filter_map(most).collect();
        let one = |(function, part, whose): &(String, String, String)| {
            format!("{function} takes {part} of the instructions of {whose}")
        };
        let answer = match answers.as_slice() {
            [] => "No instruction was counted".to_owned(),
            [first, (same, part, whose)] if first.0 == *same => {
                format!("{} and {part} of those of {whose}", one(first))
            }
            answers => answers.iter().map(one).collect::<Vec<_>>().join(", "),
        };
        Self { class: "result", answer, evidence: Vec::new() }
    }

    fn of_two(sides: &[Side]) -> Self {
        let changes = || sides.iter().filter_map(|side| Some((side, side.before?)));
        let (more, less) = (
            changes().any(|(side, before)| side.after > before),
            changes().any(|(side, before)| side.after < before),
        );
        let class = match (more, less) {
            (true, false) => "regression",
            (false, true) => "improvement",
            (true, true) => "result",
            (false, false) => "unchanged",
        };
        let told = |(side, before): (&Side, f64)| match side.after - before {
            0.0 => format!("as many instructions as before on {}", whose(side)),
            delta => {
                let word = if delta > 0.0 { "more" } else { "fewer" };
                let percent =
                    if before == 0.0 { "all".to_owned() } else { signed_change(before, side.after) };
                let percent = percent.trim_start_matches(['+', '−']).to_owned();
                format!("{percent} {word} instructions on {}", whose(side))
            }
        };
        let answers: Vec<String> = changes().map(told).collect();
        let evidence = sides.iter().filter_map(largest).collect();
        let answer = match (more || less, answers.is_empty()) {
            (_, true) => "Nothing was counted on both sides of the comparison".to_owned(),
            (false, false) => "Every side takes as many instructions as before".to_owned(),
            (true, false) => answers.join(", "),
        };
        Self { class, answer, evidence }
    }
}

/// The function that changed most, with how much of the side's change that is.
fn largest(side: &Side) -> Option<String> {
    let own = |row: &&Row| row.after.unwrap_or(0.0) - row.before.unwrap_or(0.0);
    let most = side.functions.iter().max_by(|one, other| own(one).abs().total_cmp(&own(other).abs()))?;
    let total = signed(side.after - side.before?);
    Some(format!(
        "Largest change on {}: {} {} of {total}.",
        whose(side),
        short(&most.function),
        signed(own(&most))
    ))
}

fn whose(side: &Side) -> String {
    match side.name.as_str() {
        "all" => "both sides".to_owned(),
        name => format!("the {}", tlslab_text::clean(name)),
    }
}
