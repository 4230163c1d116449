//! Rows of the tables: totals, parts of the work, functions.

use tlslab_estimate::digits::whole;
use tlslab_profile::{Portion, Row, Side};
use tlslab_text::clean;

/// A side's total.
pub(super) struct Total {
    pub side: String,
    pub before: Option<String>,
    pub after: String,
    pub change: Change,
}

/// A function.
pub(super) struct FunctionRow {
    pub name: String,
    pub source: String,
    pub part: String,
    /// How much of a change is in what it calls, or who calls it.
    pub details: Vec<String>,
    pub before: Option<String>,
    pub after: String,
    pub share: String,
    pub change: Change,
}

/// A part of the work.
pub(super) struct PartRow {
    pub part: String,
    pub before: Option<String>,
    pub after: String,
    pub share: String,
    pub change: Change,
}

/// A change in words, with the class of its sign.
#[derive(Default)]
pub(super) struct Change {
    pub class: &'static str,
    pub count: String,
    pub percent: String,
}

impl Change {
    /// Of one and the same thing; nothing where it was or is not there.
    pub(super) fn of(before: Option<f64>, after: Option<f64>) -> Self {
        let (was, is) = (before.unwrap_or(0.0), after.unwrap_or(0.0));
        let class = match is - was {
            more if more > 0.0 => "regression",
            less if less < 0.0 => "improvement",
            _ => "unchanged",
        };
        let percent = match (before, after) {
            (None, _) => "new".to_owned(),
            (_, None) => "gone".to_owned(),
            (Some(0.0), Some(_)) => "new".to_owned(),
            (Some(was), Some(is)) => signed_percent(was, is),
        };
        Self { class, count: signed(is - was), percent }
    }
}

impl Total {
    pub(super) fn of(side: &Side) -> Self {
        Self {
            side: clean(&side.name),
            before: side.before.map(count),
            after: count(side.after),
            change: Change::of(side.before, Some(side.after)),
        }
    }
}

impl PartRow {
    pub(super) fn of(portion: &Portion, side: &Side) -> Self {
        Self {
            part: clean(&portion.part),
            before: portion.before.map(count),
            after: count(portion.after),
            share: share(portion.after, side.after),
            change: Change::of(portion.before, Some(portion.after)),
        }
    }
}

impl FunctionRow {
    pub(super) fn of(row: &Row, side: &Side) -> Self {
        let called = row.called.map(|called| format!("{} of that in what it calls", signed(called)));
        let callers = row.callers.iter().take(MOST_CALLERS);
        let callers = callers.map(|(caller, own)| format!("{} from {}", count(*own), short(caller)));
        Self {
            name: short(&row.function),
            source: clean(&row.source),
            part: clean(&row.part),
            details: called.into_iter().chain(callers).collect(),
            before: side.before.map(|_| count(row.before.unwrap_or(0.0))),
            after: count(row.after.unwrap_or(0.0)),
            share: share(row.after.unwrap_or(0.0), side.after),
            change: Change::of(row.before, row.after),
        }
    }

    /// All that have no row of their own, in one.
    pub(super) fn others(side: &Side) -> Option<Self> {
        let others = side.others;
        (others.functions > 0).then(|| Self {
            name: format!("{} others", whole(others.functions)),
            source: String::new(),
            part: String::new(),
            details: Vec::new(),
            before: side.before.map(|_| count(others.before)),
            after: count(others.after),
            share: share(others.after, side.after),
            change: Change::of(Some(others.before), Some(others.after)),
        })
    }
}

const MOST_CALLERS: usize = 3;

/// Instructions: whole where they are many, with a digit after the point where an iteration takes few.
pub(super) fn count(number: f64) -> String {
    let sign = if number < 0.0 { "−" } else { "" };
    let number = number.abs();
    if number >= 100.0 || number.fract() == 0.0 {
        format!("{sign}{}", whole(number.round() as usize))
    } else {
        format!("{sign}{number:.1}")
    }
}

pub(super) fn signed(number: f64) -> String {
    if number > 0.0 { format!("+{}", count(number)) } else { count(number) }
}

pub(super) fn share(part: f64, of: f64) -> String {
    format!("{:.2} %", if of == 0.0 { 0.0 } else { 100.0 * part / of })
}

/// A change with as many digits as it takes to see two that are not zero.
pub(super) fn signed_percent(before: f64, after: f64) -> String {
    let percent = 100.0 * (after - before) / before;
    let sign = if percent < 0.0 { "−" } else { "+" };
    match percent.abs() {
        0.0 => "0 %".to_owned(),
        size => {
            let digits = (1.0 - size.log10().floor()).clamp(0.0, 6.0) as usize;
            format!("{sign}{size:.digits$} %")
        }
    }
}

/// A name that fits on a few lines; those of generic functions can have thousands of letters.
pub(super) fn short(name: &str) -> String {
    tlslab_text::shortened(&clean(name), 120)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_signs_separators_and_enough_digits() {
        assert_eq!(
            [count(1_234_567.4), count(12.5), signed(-3.0), signed(30.0)],
            ["1,234,567", "12.5", "−3", "+30"]
        );
        assert_eq!(signed_percent(1_000_000.0, 1_000_020.0), "+0.0020 %");
        assert_eq!(signed_percent(100.0, 50.0), "−50 %");
        assert_eq!(Change::of(None, Some(3.0)).percent, "new");
        assert_eq!(Change::of(Some(3.0), None).class, "improvement");
    }
}
