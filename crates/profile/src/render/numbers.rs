//! Numbers as readers like them.

use crate::sheet::Row;

/// Instructions: whole where they are many, with a digit after the point where an iteration takes few.
pub fn count(number: f64) -> String {
    if number.abs() >= 100.0 || number.fract() == 0.0 {
        format!("{number:.0}")
    } else {
        format!("{number:.1}")
    }
}

/// With a sign.
pub fn more(number: f64) -> String {
    let text = count(number);
    if number > 0.0 { format!("+{text}") } else { text }
}

/// A share of a whole.
pub fn share(part: f64, whole: f64) -> String {
    let share = if whole == 0.0 { 0.0 } else { 100.0 * part / whole };
    format!("{share:.2} %")
}

/// How much more in per cent, with as many digits as it takes to see it.
pub(super) fn change(before: f64, after: f64) -> String {
    if before == 0.0 {
        return "new".to_owned();
    }
    let percent = 100.0 * (after - before) / before;
    // Two digits that are not zero.
    let digits =
        if percent == 0.0 { 1 } else { (1.0 - percent.abs().log10().floor()).clamp(1.0, 6.0) as usize };
    format!("{percent:+.digits$} %")
}

/// What happened to a function.
pub(super) fn row_change(row: &Row) -> String {
    match (row.before, row.after) {
        (None, _) => "new".to_owned(),
        (_, None) => "gone".to_owned(),
        (Some(before), Some(after)) => change(before, after),
    }
}

/// A function with its source, as far as it is known.
pub(super) fn place(row: &Row) -> String {
    let name = short(&row.function);
    if row.source.is_empty() { name } else { format!("{name} ({})", row.source) }
}

/// How much of a change is in what the function calls, where anything is.
pub(super) fn called(row: &Row) -> String {
    row.called.map(|called| format!(", {} in what it calls", more(called))).unwrap_or_default()
}

/// A name that fits on a line; those of generic functions can have thousands of letters.
pub(super) fn short(name: &str) -> String {
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}

const LONGEST: usize = 120;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_as_many_digits_as_it_takes() {
        assert_eq!(change(1_000_000.0, 1_000_020.0), "+0.0020 %");
        assert_eq!(change(100.0, 150.0), "+50.0 %");
        assert_eq!(change(100.0, 99.5), "-0.50 %");
        assert_eq!(change(100.0, 100.0), "+0.0 %");
        assert_eq!(change(0.0, 1.0), "new");
        assert_eq!(short(&"é".repeat(121)), "é".repeat(119) + "…");
        assert_eq!(
            [count(12.5), count(7.0), count(1234.5), more(3.0), more(-3.0)],
            ["12.5", "7", "1234", "+3", "-3"]
        );
    }
}
