//! Ratios, shares and bands of them in words.

use tlslab_text::number::significant;

use super::words::here;
use crate::model::{Claim, Figure, Here};
use crate::terms::{Band, Direction, Terms};

/// Smaller changes are rounded to zero, %.
const NOTHING: f64 = 0.0005;

/// A ratio as a change: `+38 %`, or `73.6 times` if it is far from 1.
pub fn change(ratio: f64) -> String {
    match as_percent(ratio) {
        Some(0.0) => "0 %".to_owned(),
        Some(percent) => format!("{}{} %", if percent < 0.0 { "−" } else { "+" }, two(percent.abs())),
        None => times(ratio),
    }
}

/// A ratio as people compare: `38 % more`, `4.0 % less`, `73.6 times`.
fn compared(ratio: f64) -> String {
    match as_percent(ratio) {
        Some(0.0) => "the same".to_owned(),
        Some(percent) => format!("{} % {}", two(percent.abs()), more_or_less(percent)),
        None => times(ratio),
    }
}

/// The distance of a ratio from 1, %; none for one that is a multiple or a fraction.
fn as_percent(ratio: f64) -> Option<f64> {
    let percent = 100.0 * (ratio - 1.0);
    match ratio {
        _ if percent.abs() < NOTHING => Some(0.0),
        ratio if (0.5..2.0).contains(&ratio) => Some(percent),
        _ => None,
    }
}

fn more_or_less(percent: f64) -> &'static str {
    if percent < 0.0 { "less" } else { "more" }
}

fn times(ratio: f64) -> String {
    format!("{} times", significant(ratio, 3))
}

/// With two digits.
pub(super) fn two(value: f64) -> String {
    significant(value, 2)
}

/// The most digits of a band's end.
const MOST_DIGITS: i32 = 6;

/// With at least so many digits, and as many more as it takes to be wrong by less than `by`.
fn within(value: f64, by: f64, least: i32) -> String {
    let is_near =
        |text: &String| text.replace(',', "").parse::<f64>().is_ok_and(|of| (of - value).abs() < by);
    let written = (least..=MOST_DIGITS).map(|digits| significant(value, digits)).find(is_near);
    written.unwrap_or_else(|| significant(value, MOST_DIGITS))
}

/// What part of a band's width, or of a bound, rounding may take.
const ROUNDED: f64 = 0.02;

/// A bound alone, which is rounded by a part of itself.
fn bound(ratio: f64, is_share: bool) -> String {
    let percent = |percent: f64| within(percent.abs(), ROUNDED * percent.abs(), 2);
    match as_percent(ratio) {
        _ if is_share => format!("{} %", percent(100.0 * ratio)),
        Some(0.0) => "the same".to_owned(),
        Some(of) => format!("{} % {}", percent(of), more_or_less(of)),
        None => format!("{} times", within(ratio, ROUNDED * ratio, 3)),
    }
}

/// Which ratios bear a claim out: `between 3.1 % and 5.3 % more`; of a share, `between 69 % and 79 %`.
pub fn band(terms: &Terms) -> Option<String> {
    let Band { from, to } = terms.size?;
    let one = |end: f64| bound(end, terms.share);
    Some(match (from, to) {
        (Some(from), Some(to)) if from < to && terms.share => {
            let by = ROUNDED * 100.0 * (to - from);
            let [from, to] = [from, to].map(|end| within(100.0 * end, by, 2));
            format!("between {from} % and {to} %")
        }
        (Some(from), Some(to)) if from < to => between(from, to),
        (Some(end), Some(_)) => one(end),
        // "Up to 25 % less" ends at the beginning of the band.
        (Some(end), None) if terms.direction == Some(Direction::Less) => format!("at most {}", one(end)),
        (None, Some(end)) if end < 1.0 && !terms.share => format!("at least {}", one(end)),
        (None, Some(end)) => format!("at most {}", one(end)),
        (Some(end), None) => format!("at least {}", one(end)),
        (None, None) => return None,
    })
}

/// Two ends in one phrase where both are on one side of 1. Rounding takes a small part of the distance
/// between them.
fn between(from: f64, to: f64) -> String {
    let by = ROUNDED * (to - from);
    let percent = |percent: f64| within(percent.abs(), 100.0 * by, 2);
    let signed = |of: f64| match of {
        0.0 => "0 %".to_owned(),
        of => format!("{}{} %", if of < 0.0 { "−" } else { "+" }, percent(of)),
    };
    match (as_percent(from), as_percent(to)) {
        (Some(low), Some(high)) if low < 0.0 && high <= 0.0 => {
            format!("between {} % and {} % less", percent(high), percent(low))
        }
        (Some(low), Some(high)) if low >= 0.0 && high > 0.0 => {
            format!("between {} % and {} % more", percent(low), percent(high))
        }
        (Some(low), Some(high)) => format!("between {} and {}", signed(low), signed(high)),
        _ => format!("between {} and {} times", within(from, by, 3), within(to, by, 3)),
    }
}

fn share(share: f64) -> String {
    format!("{} %", two(100.0 * share))
}

/// The criterion of a claim, as part of a sentence; none if its direction is all.
pub fn criterion(terms: &Terms) -> Option<String> {
    if let Some(quantifier) = terms.quantifier {
        return Some(quantifier.words().to_owned());
    }
    let own = band(terms).map(|band| match (terms.own_size, terms.throughput) {
        (true, _) => format!("this lab's threshold: {band}"),
        (false, Some(of)) => {
            let of = band_of(of).unwrap_or_default();
            format!("holds if the time is {band}, which is a throughput {of}")
        }
        (false, None) => format!("holds if {band}"),
    });
    let figure = terms.figure.filter(|_| terms.size.is_some()).map(|figure| {
        let figure = if terms.share { share(figure) } else { compared(figure) };
        format!("by the document's figures {figure}")
    });
    let parts: Vec<String> = own.into_iter().chain(figure).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// What was published of a claim: the document's words, and what decides.
pub(super) fn published(claim: &Claim) -> String {
    match criterion(&claim.terms) {
        Some(criterion) => format!("{}; {criterion}", claim.published),
        None => claim.published.clone(),
    }
}

/// A band alone, in words.
pub(crate) fn band_of(size: Band) -> Option<String> {
    band(&Terms { size: Some(size), ..Terms::default() })
}

/// What was found as a throughput, with what was published of it if asked for; nothing for a claim that does
/// not speak of throughput.
pub(super) fn throughput(terms: &Terms, found: &Here, with_published: bool) -> Option<String> {
    let (band, Here::Figure(figure)) = (terms.throughput?, found) else { return None };
    let here = compared(figure.value.recip());
    let published = band_of(band).filter(|_| with_published);
    let published = published.map(|band| format!("; published: {band}")).unwrap_or_default();
    Some(format!(" (throughput: {here} here{published})"))
}

/// The measured value of a claim: a share in per cent, a ratio unchanged.
pub fn found(terms: &Terms, found: &Here) -> String {
    match found {
        Here::Figure(Figure { value, bounds, .. }) if terms.share => {
            let of = if terms.quantifier.is_some() { " of rows" } else { "" };
            let percent = |share: f64| tlslab_text::number::measured_percent(share) + of;
            match bounds {
                Some([lower, upper]) if lower < upper => {
                    format!("{} [{}, {}]", percent(*value), percent(*lower), percent(*upper))
                }
                _ => percent(*value),
            }
        }
        found => here(found),
    }
}

/// The measured ratio in the form of a verdict.
pub(super) fn short_found(terms: &Terms, found: &Here) -> String {
    match found {
        Here::Figure(figure) if terms.share => share(figure.value),
        Here::Figure(figure) => compared(figure.value),
        Here::Hole { hole } => hole.clone(),
    }
}

/// A ratio that was published of a single case.
pub(super) fn short_published(ratio: f64) -> String {
    compared(ratio)
}

/// A time as `--budget` takes it, with two digits: `590s`, `22m`, `13h`.
pub(super) fn budget(seconds: f64) -> String {
    let (unit, of_seconds) = match seconds {
        ..600.0 => ("s", 1.0),
        ..7_200.0 => ("m", 60.0),
        _ => ("h", 3_600.0),
    };
    let number = significant(seconds / of_seconds, 2);
    let number =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { &number };
    format!("{number}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sized(direction: Option<Direction>, from: Option<f64>, to: Option<f64>) -> Terms {
        Terms { direction, size: Some(Band { from, to }), ..Terms::default() }
    }

    #[test]
    fn small_changes_keep_digits_that_mean_something() {
        let changes = [1.0063, 0.9994, 1.382, 0.3, 1.0, 1.000_000_1, 2.3].map(change);
        assert_eq!(changes, ["+0.63 %", "−0.060 %", "+38 %", "0.300 times", "0 %", "0 %", "2.30 times"]);
    }

    #[test]
    fn a_band_reads_as_people_compare() {
        let (more, less, equal) = (Some(Direction::More), Some(Direction::Less), Some(Direction::Equal));
        let of = |direction, from, to| band(&sized(direction, from, to)).unwrap();
        assert_eq!(of(more, None, Some(1.21)), "at most 21 % more");
        assert_eq!(of(more, Some(1.2), None), "at least 20 % more");
        assert_eq!(of(more, Some(2.0), None), "at least 2.00 times");
        assert_eq!(of(more, Some(37.1), Some(45.3)), "between 37.1 and 45.3 times");
        assert_eq!(of(less, Some(0.955), Some(0.965)), "between 3.5 % and 4.5 % less");
        assert_eq!(of(less, Some(0.75), None), "at most 25 % less");
        assert_eq!(of(less, None, Some(0.8)), "at least 20 % less");
        assert_eq!(of(equal, Some(0.8), Some(1.25)), "between −20 % and +25 %");
        // Two digits would shift these bands.
        assert_eq!(of(less, Some(0.795), Some(0.805)), "between 19.5 % and 20.5 % less");
        assert_eq!(of(less, Some(0.695), Some(0.705)), "between 29.5 % and 30.5 % less");
        assert_eq!(of(more, Some(1.1235), Some(1.1245)), "between 12.35 % and 12.45 % more");
        assert_eq!(of(equal, Some(0.875), Some(1.125)), "between −12.5 % and +12.5 %");
        assert_eq!(of(more, None, Some(1.125)), "at most 12.5 % more");
        assert_eq!(of(more, Some(33.12), Some(33.18)), "between 33.12 and 33.18 times");
        assert_eq!(of(None, None, Some(1.01)), "at most 1.0 % more");
        assert_eq!(band(&Terms::default()), None);
    }

    #[test]
    fn a_share_is_in_per_cent() {
        let terms = |from, to| Terms { share: true, ..sized(None, from, to) };
        assert_eq!(band(&terms(Some(0.69), Some(0.79))).unwrap(), "between 69 % and 79 %");
        assert_eq!(band(&terms(None, Some(0.02))).unwrap(), "at most 2.0 %");
        assert_eq!(band(&terms(Some(0.405), Some(0.415))).unwrap(), "between 40.5 % and 41.5 %");
        let here = Here::Figure(Figure::within(0.7637, [0.7637; 2]));
        assert_eq!(found(&terms(None, Some(0.8)), &here), "76.4 %");
        let between = Here::Figure(Figure::within(0.5, [0.25, 0.75]));
        assert_eq!(found(&terms(None, Some(0.8)), &between), "50.0 % [25.0 %, 75.0 %]");
    }

    #[test]
    fn a_size_of_throughput_is_shown_as_it_was_published_and_as_time() {
        let throughput = Band { from: Some(0.95), to: Some(0.97) };
        let terms = Terms {
            throughput: Some(throughput),
            size: Some(throughput.inverse()),
            direction: Some(Direction::More),
            ..Terms::default()
        };
        assert_eq!(
            criterion(&terms).unwrap(),
            "holds if the time is between 3.1 % and 5.3 % more, which is a throughput between 3.0 % and 5.0 % less"
        );
    }

    #[test]
    fn a_budget_is_one_that_the_option_takes() {
        let budgets = [45.0, 590.0, 1_300.0, 5_400.0, 9_000.0, 47_000.0, 7_200.0].map(budget);
        assert_eq!(budgets, ["45s", "590s", "22m", "90m", "2.5h", "13h", "2h"]);
    }
}
