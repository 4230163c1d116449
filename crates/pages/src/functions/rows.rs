//! Rows of the tables: totals, parts of the work, functions.

use tlslab_profile::{Portion, Row, Side};
use tlslab_text::clean;
use tlslab_text::number::{counted, figure, measured_percent, signed, signed_percent};

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
    /// The part of a change that is in callees, or the callers.
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
    /// The change of one function; none if it exists on one side only.
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
            (Some(was), Some(is)) => signed_change(was, is),
        };
        Self { class, count: signed(is - was), percent }
    }
}

impl Total {
    pub(super) fn of(side: &Side) -> Self {
        Self {
            side: clean(&side.name),
            before: side.before.map(figure),
            after: figure(side.after),
            change: Change::of(side.before, Some(side.after)),
        }
    }
}

impl PartRow {
    pub(super) fn of(portion: &Portion, side: &Side) -> Self {
        Self {
            part: clean(&portion.part),
            before: portion.before.map(figure),
            after: figure(portion.after),
            share: share(portion.after, side.after),
            change: Change::of(portion.before, Some(portion.after)),
        }
    }
}

impl FunctionRow {
    pub(super) fn of(row: &Row, side: &Side) -> Self {
        let called = row.called.map(|called| format!("{} of that in callees", signed(called)));
        let callers = row.callers.iter().take(MOST_CALLERS);
        let callers = callers.map(|(caller, own)| format!("{} from {}", figure(*own), short(caller)));
        Self {
            name: short(&row.function),
            source: clean(&row.source),
            part: clean(&row.part),
            details: called.into_iter().chain(callers).collect(),
            before: side.before.map(|_| figure(row.before.unwrap_or(0.0))),
            after: figure(row.after.unwrap_or(0.0)),
            share: share(row.after.unwrap_or(0.0), side.after),
            change: Change::of(row.before, row.after),
        }
    }

    /// All functions without a row, in one row.
    pub(super) fn others(side: &Side) -> Option<Self> {
        let others = side.others;
        (others.functions > 0).then(|| Self {
            name: counted(others.functions, "other"),
            source: String::new(),
            part: String::new(),
            details: Vec::new(),
            before: side.before.map(|_| figure(others.before)),
            after: figure(others.after),
            share: share(others.after, side.after),
            change: Change::of(Some(others.before), Some(others.after)),
        })
    }
}

const MOST_CALLERS: usize = 3;

pub(super) fn share(part: f64, of: f64) -> String {
    measured_percent(if of == 0.0 { 0.0 } else { part / of })
}

pub(super) fn signed_change(before: f64, after: f64) -> String {
    signed_percent((after - before) / before)
}

/// A name that fits on a few lines; those of generic functions can have thousands of letters.
pub(super) fn short(name: &str) -> String {
    tlslab_text::shortened(&clean(name), 120)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_or_is_not_there_has_no_share() {
        assert_eq!(Change::of(None, Some(3.0)).percent, "new");
        assert_eq!(Change::of(Some(3.0), None).class, "improvement");
    }
}
