//! Verdicts in words, and how many there are of each.

use tlslab_text::number::counted;

use super::words::short;
use crate::judged::{Judged, Needs, Verdict};
use crate::model::{Case, Claim, Here, Reproduction};
use crate::terms::{Band, Direction, Group, Terms};

/// A ratio as a change: `+38.2 %`, or `73.6 times` where it is far from 1.
pub fn change(ratio: f64) -> String {
    match ratio {
        ratio if (0.5..2.0).contains(&ratio) => {
            let percent = 100.0 * (ratio - 1.0);
            let sign = if percent < 0.0 { "-" } else { "+" };
            format!("{sign}{} %", two(percent.abs()))
        }
        ratio => format!("{} times", short(ratio)),
    }
}

/// With two digits.
fn two(value: f64) -> String {
    let digits = (1 - value.max(1e-3).log10().floor() as i32).clamp(0, 3) as usize;
    format!("{value:.digits$}")
}

/// What was published of a ratio's size.
pub fn band(terms: &Terms) -> Option<String> {
    let both = |from: f64, to: f64| format!("{} to {}", change(from), change(to));
    match (terms.size, terms.figure) {
        (Some(Band { from, to }), figure) => {
            let size = match (from, to, terms.direction) {
                (Some(from), Some(to), _) if from < to => both(from, to),
                (Some(from), Some(_), _) => change(from),
                (None, Some(to), Some(Direction::More)) | (Some(to), None, Some(Direction::Less)) => {
                    format!("up to {}", change(to))
                }
                (None, Some(to), _) => format!("at most {}", change(to)),
                (Some(from), None, _) => format!("at least {}", change(from)),
                (None, None, _) => return None,
            };
            Some(match figure {
                Some(figure) if !terms.own_size => format!("{size}; {} in its figures", change(figure)),
                _ => size,
            })
        }
        (None, Some(figure)) => Some(change(figure)),
        (None, None) => None,
    }
}

/// A case's verdict.
pub fn verdict(terms: &Terms, case: &Case) -> String {
    let judged = &case.judged;
    match judged.verdict {
        Verdict::SizeDiffers => {
            let here = match &case.found {
                Here::Figure(figure) => change(figure.value),
                Here::Hole { hole } => hole.clone(),
            };
            let whose = if terms.own_size { "the lab's own threshold" } else { "published" };
            let size = case.figure.map(change).or_else(|| band(terms)).unwrap_or_default();
            format!("direction holds, size differs ({here}, {whose} {size})")
        }
        Verdict::Inconclusive => inconclusive(judged),
        Verdict::Holds if terms.own_size => "holds, by the lab's own threshold".to_owned(),
        verdict => match &judged.reason {
            Some(reason) => format!("{}: {reason}", verdict.words()),
            None => verdict.words().to_owned(),
        },
    }
}

fn inconclusive(judged: &Judged) -> String {
    let what = match judged.direction {
        Some(crate::judged::Answer::Holds) => "direction holds, size inconclusive",
        _ => Verdict::Inconclusive.words(),
    };
    match (&judged.needs, &judged.reason) {
        (Some(Needs { has_percent, needs_percent, budget_s }), _) => {
            let would = match budget_s {
                Some(budget_s) => format!("--budget {budget_s:.0} would decide"),
                None => "no budget of a day would decide".to_owned(),
            };
            format!("{what} (needs ±{} %, has ±{} %; {would})", two(*needs_percent), two(*has_percent))
        }
        (None, Some(reason)) => format!("{what}: {reason}"),
        (None, None) => what.to_owned(),
    }
}

/// How many cases there are of each verdict that occurs.
pub fn counts<'c>(cases: impl IntoIterator<Item = &'c Case>) -> Vec<(Verdict, usize)> {
    let verdicts: Vec<Verdict> = cases.into_iter().map(|case| case.judged.verdict).collect();
    let count = |wanted: Verdict| verdicts.iter().filter(|verdict| **verdict == wanted).count();
    Verdict::ALL
        .into_iter()
        .map(|verdict| (verdict, count(verdict)))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// The same in a sentence's part.
pub fn summary<'c>(cases: impl IntoIterator<Item = &'c Case>) -> String {
    let words = |(verdict, count): (Verdict, usize)| format!("{count} {}", verdict.words_of(count));
    counts(cases).into_iter().map(words).collect::<Vec<_>>().join("; ")
}

/// The same as a sentence, with how many there are in all.
pub fn in_cases(cases: &[&Case]) -> String {
    format!("In {}: {}.", counted(cases.len(), "case"), summary(cases.iter().copied()))
}

/// The cases of each group that has any, over all documents.
pub fn by_group<'r>(
    reproductions: impl IntoIterator<Item = &'r Reproduction>,
) -> Vec<(Group, Vec<&'r Case>)> {
    let all: Vec<&Case> =
        reproductions.into_iter().flat_map(|one| &one.claims).flat_map(|claim| &claim.here).collect();
    let of =
        |group: Group| (group, all.iter().filter(|case| case.group == group).copied().collect::<Vec<_>>());
    Group::ALL.into_iter().map(of).filter(|(_, cases)| !cases.is_empty()).collect()
}

/// Claims that have cases of a group, each with those.
pub fn of_group(claims: &[Claim], group: Group) -> Vec<(&Claim, Vec<&Case>)> {
    let of = |claim| (claim, Claim::cases(claim, group));
    claims.iter().map(of).filter(|(_, cases)| !cases.is_empty()).collect()
}

impl Claim {
    /// Its cases of a group.
    pub fn cases(&self, group: Group) -> Vec<&Case> {
        self.here.iter().filter(|case| case.group == group).collect()
    }

    /// What was published of a case, from and to, for a picture.
    pub fn band_of(&self, case: &Case) -> Option<[f64; 2]> {
        case.figure.map(|figure| [figure; 2]).or_else(|| self.terms.band())
    }

    /// What causes a size that differs by more than a factor of 1.5, or that this is open; nothing where none
    /// does.
    pub fn open(&self) -> bool {
        let limit = 1.5_f64.ln();
        let is_far = |case: &Case| match (&case.found, self.band_of(case)) {
            (Here::Figure(figure), Some([from, to])) if case.judged.verdict != Verdict::Holds => {
                (from / figure.value).ln() > limit || (figure.value / to).ln() > limit
            }
            _ => false,
        };
        self.because.is_none() && self.here.iter().any(is_far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Figure;

    fn case(terms: &Terms, value: f64, half: f64) -> Case {
        let found = Here::Figure(Figure { value, bounds: Some([value - half, value + half]) });
        let judged = Judged::of(terms, &found, 120.0);
        Case { of: "one".to_owned(), group: Group::Document, figure: None, found, judged }
    }

    #[test]
    fn a_verdict_says_what_differs_and_what_would_decide() {
        let up_to = Terms {
            direction: Some(Direction::More),
            size: Some(Band { from: None, to: Some(1.21) }),
            ..Terms::default()
        };
        assert_eq!(
            verdict(&up_to, &case(&up_to, 1.382, 0.001)),
            "direction holds, size differs (+38 %, published up to +21 %)"
        );
        assert_eq!(verdict(&up_to, &case(&up_to, 1.1, 0.01)), "holds");
        assert_eq!(
            verdict(&up_to, &case(&up_to, 1.01, 0.02)),
            "inconclusive (needs ±1.00 %, has ±2.0 %; --budget 590 would decide)"
        );
        let own = Terms {
            size: Some(Band { from: Some(0.8), to: Some(1.25) }),
            direction: Some(Direction::Equal),
            own_size: true,
            figure: Some(0.89),
        };
        assert_eq!(verdict(&own, &case(&own, 1.0, 0.01)), "holds, by the lab's own threshold");
        assert_eq!(band(&own).unwrap(), "-20 % to +25 %");
        let times =
            Terms { figure: Some(38.2), size: Some(Band { from: Some(37.0), to: Some(46.0) }), ..up_to };
        assert_eq!(
            verdict(&times, &case(&times, 73.6, 0.1)),
            "direction holds, size differs (73.6 times, published 37.0 times to 46.0 times; 38.2 times in its figures)"
        );
    }

    #[test]
    fn a_figure_far_from_a_band_without_a_cause_is_open() {
        let claim = |because: Option<&str>, value: f64| Claim {
            says: String::new(),
            published: String::new(),
            terms: Terms {
                direction: Some(Direction::More),
                figure: Some(2.0),
                size: Some(Band { from: Some(1.9), to: Some(2.1) }),
                own_size: false,
            },
            ratio: String::new(),
            basis: String::new(),
            because: because.map(str::to_owned),
            here: vec![case(
                &Terms {
                    direction: Some(Direction::More),
                    size: Some(Band { from: Some(1.9), to: Some(2.1) }),
                    ..Terms::default()
                },
                value,
                0.01,
            )],
        };
        assert!(claim(None, 4.0).open() && claim(None, 1.1).open());
        assert!(!claim(Some("another key"), 4.0).open() && !claim(None, 2.5).open());
    }

    #[test]
    fn small_changes_keep_digits_that_mean_something() {
        assert_eq!([1.0063, 0.9994, 1.382, 0.3].map(change), ["+0.63 %", "-0.060 %", "+38 %", "0.300 times"]);
    }
}
