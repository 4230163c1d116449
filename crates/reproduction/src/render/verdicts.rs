//! Verdicts in words, and how many there are of each.

use tlslab_text::number::counted;

use super::ratios::{band, budget, found, short_found, short_published, throughput, two};
use crate::judged::{Answer, Judged, Needs, Verdict};
use crate::model::{Case, Claim, Elsewhere, Here, Reproduction};
use crate::sentences::{Sentence, SentenceOutcome};
use crate::terms::{Group, Terms};

/// A case's verdict.
pub fn verdict(terms: &Terms, case: &Case) -> String {
    let judged = &case.judged;
    let is_size = judged.verdict == Verdict::SizeDiffers;
    let of_throughput = throughput(terms, &case.found, is_size).unwrap_or_default();
    let words = match judged.verdict {
        Verdict::SizeDiffers => {
            let whose = if terms.own_size { "this lab's threshold" } else { "published" };
            let size = case.figure.map(short_published).or_else(|| band(terms)).unwrap_or_default();
            let here = short_found(terms, &case.found);
            format!("direction holds, size differs: {here} here; {whose}: {size}")
        }
        Verdict::Inconclusive => inconclusive(judged),
        Verdict::Holds if terms.quantifier.is_none() && terms.own_size => {
            "holds by this lab's threshold".to_owned()
        }
        verdict => match &judged.reason {
            Some(reason) => format!("{}: {reason}", verdict.words()),
            None => verdict.words().to_owned(),
        },
    };
    words + &of_throughput
}

/// An interval narrower than this does not decide if the figure lies on a limit, %.
const ON_THE_LIMIT: f64 = 0.0005;

fn inconclusive(judged: &Judged) -> String {
    let what = match judged.direction {
        Some(Answer::Holds) => "direction holds, size inconclusive",
        _ => Verdict::Inconclusive.words(),
    };
    match (&judged.needs, &judged.reason) {
        (Some(needs), _) if needs.needs_percent < ON_THE_LIMIT => {
            format!("{what}: ±{} % measured; the figure lies on the limit", two(needs.has_percent))
        }
        (Some(Needs { has_percent, needs_percent, between_percent, budget_s }), _) => {
            let (has, needs) = (two(*has_percent), two(*needs_percent));
            let would = match budget_s {
                Some(budget_s) => format!("--budget {}", budget(*budget_s)),
                None if needs_percent <= between_percent => {
                    format!("no time suffices: ±{} % are the variance between runs", two(*between_percent))
                }
                None => "a day of measuring would not suffice".to_owned(),
            };
            format!("{what}: ±{has} % measured, ±{needs} % needed ({would})")
        }
        (None, Some(reason)) => format!("{what}: {reason}"),
        (None, None) => what.to_owned(),
    }
}

/// How many cases there are of each verdict that occurs.
pub fn counts<'c>(cases: impl IntoIterator<Item = &'c Case>) -> Vec<(Verdict, usize)> {
    let verdicts: Vec<Verdict> = cases.into_iter().flat_map(Case::verdicts).collect();
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

/// How many cells there are of these cases, on all hosts.
pub(super) fn cells(cases: &[&Case]) -> usize {
    cases.iter().map(|case| case.verdicts().count()).sum()
}

/// A case on further hosts: each with its result, and the verdict.
pub fn elsewhere(terms: &Terms, case: &Case) -> Vec<(String, String, String)> {
    let of = |of: &Elsewhere| {
        let there = Case::new(case.of.clone(), case.group, of.found.clone(), of.judged.clone());
        let there = Case { figure: case.figure, ..there };
        (of.host.clone(), found(terms, &of.found), verdict(terms, &there))
    };
    case.elsewhere.iter().map(of).collect()
}

/// The same as a sentence, with how many there are in all.
pub fn in_cases(cases: &[&Case]) -> String {
    format!("In {}: {}.", counted(cells(cases), "cell"), summary(cases.iter().copied()))
}

/// A row of a claim of many or most rows: whether it bears the claim out.
pub fn row_verdict(judged: &Judged) -> String {
    match judged.verdict {
        Verdict::Holds | Verdict::SizeDiffers => "so in this row".to_owned(),
        Verdict::DoesNotHold => "not so in this row".to_owned(),
        Verdict::Inconclusive => "open in this row".to_owned(),
        verdict => match &judged.reason {
            Some(reason) => format!("{}: {reason}", verdict.words()),
            None => verdict.words().to_owned(),
        },
    }
}

/// How many sentences there are of each outcome that occurs.
pub fn sentence_counts(sentences: &[Sentence]) -> Vec<(SentenceOutcome, usize)> {
    let count = |wanted: SentenceOutcome| sentences.iter().filter(|one| one.outcome == wanted).count();
    SentenceOutcome::ALL
        .into_iter()
        .map(|outcome| (outcome, count(outcome)))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// The summary as part of a sentence: `8 sentences: 4 hold in all their cells; 2 hold in some`. `of` names
/// the documents, if that is necessary.
pub fn sentence_summary(sentences: &[Sentence], of: &str) -> String {
    let words = |(outcome, count): (SentenceOutcome, usize)| format!("{count} {}", outcome.words_of(count));
    let parts: Vec<String> = sentence_counts(sentences).into_iter().map(words).collect();
    format!("{}{of}: {}", counted(sentences.len(), "sentence"), parts.join("; "))
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
    /// The published range of a case, from and to, for a picture.
    pub fn band_of(&self, case: &Case) -> Option<[f64; 2]> {
        let band = || self.terms.band().filter(|_| self.terms.quantifier.is_none());
        case.figure.map(|figure| [figure; 2]).or_else(band)
    }

    /// Whether a case's size differs by more than a factor of 1.5 from the published one, without a known
    /// cause.
    pub fn is_open(&self, case: &Case) -> bool {
        let limit = 1.5_f64.ln();
        let is_far = match (&case.found, self.band_of(case)) {
            (Here::Figure(figure), Some([from, to])) if case.judged.verdict != Verdict::Holds => {
                (from / figure.value).ln() > limit || (figure.value / to).ln() > limit
            }
            _ => false,
        };
        let is_explained = self.causes.iter().any(|cause| cause.of.contains(&case.of));
        is_far && self.because.is_none() && !is_explained
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cause, Figure};
    use crate::terms::{Band, Direction};

    fn case(terms: &Terms, value: f64, half: f64) -> Case {
        let found = Here::Figure(Figure::within(value, [value - half, value + half]));
        let judged = Judged::of(terms, &found, 120.0);
        Case::new("one".to_owned(), Group::Document, found, judged)
    }

    fn judged(terms: &Terms, value: f64, half: f64) -> String {
        verdict(terms, &case(terms, value, half))
    }

    #[test]
    fn a_longer_measurement_is_not_advised_where_runs_differ_by_more() {
        let slower = Terms { direction: Some(Direction::More), ..Terms::default() };
        let figure = Figure { between: 0.02, ..Figure::within(1.01, [0.99, 1.0304]) };
        let found = Here::Figure(figure);
        let judged = Judged::of(&slower, &found, 120.0);
        assert_eq!(
            verdict(&slower, &Case::new("one".to_owned(), Group::Document, found, judged)),
            "inconclusive: ±2.0 % measured, ±1.0 % needed (no time suffices: ±2.0 % are the variance between runs)"
        );
    }

    /// Ten lines, one of each kind that a page has.
    #[test]
    fn a_verdict_says_what_differs_and_what_would_decide() {
        let sized = |direction, from, to| Terms {
            direction: Some(direction),
            size: Some(Band { from, to }),
            ..Terms::default()
        };
        let up_to = sized(Direction::More, None, Some(1.21));
        let own = Terms { own_size: true, ..sized(Direction::Equal, Some(0.8), Some(1.25)) };
        let times = sized(Direction::More, Some(37.0), Some(46.0));
        let share = Terms {
            size: Some(Band { from: Some(0.69), to: Some(0.79) }),
            share: true,
            own_size: true,
            ..Terms::default()
        };
        let less = sized(Direction::Less, Some(0.955), Some(0.965));
        let hole = |hole: &str| {
            let found = Here::Hole { hole: hole.to_owned() };
            let judged = Judged::of(&up_to, &found, 120.0);
            verdict(&up_to, &Case { found, judged, ..case(&up_to, 1.0, 0.1) })
        };
        let lines = [
            judged(&up_to, 1.1, 0.01),
            judged(&up_to, 1.382, 0.001),
            judged(&times, 73.6, 0.1),
            judged(&up_to, 0.9, 0.01),
            judged(&up_to, 1.01, 0.02),
            judged(&up_to, 1.005, 0.08),
            judged(&less, 0.955, 0.01),
            judged(&own, 1.0, 0.01),
            judged(&share, 0.764, 0.0),
            hole("unsupported: no such suite"),
            hole("failed: it crashed"),
        ];
        let expected = [
            "holds",
            "direction holds, size differs: 38 % more here; published: at most 21 % more",
            "direction holds, size differs: 73.6 times here; published: between 37.0 and 46.0 times",
            "does not hold",
            "inconclusive: ±2.0 % measured, ±1.0 % needed (--budget 590s)",
            "inconclusive: ±8.3 % measured, ±0.50 % needed (--budget 11h)",
            "direction holds, size inconclusive: ±1.1 % measured; the figure lies on the limit",
            "holds by this lab's threshold",
            "holds by this lab's threshold",
            "not applicable: no such suite",
            "not measured: it crashed",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_claim_of_throughput_has_both_in_its_verdict() {
        let throughput = Band { from: Some(0.695), to: Some(0.705) };
        let terms = Terms {
            direction: Some(Direction::More),
            size: Some(throughput.inverse()),
            throughput: Some(throughput),
            ..Terms::default()
        };
        assert_eq!(
            judged(&terms, 1.31, 0.01),
            "direction holds, size differs: 31 % more here; published: between 41.84 % and 43.9 % more (throughput: 24 % less \
             here; published: between 29.5 % and 30.5 % less)"
        );
        assert_eq!(judged(&terms, 1.43, 0.001), "holds (throughput: 30 % less here)");
        assert_eq!(judged(&terms, 0.9, 0.001), "does not hold (throughput: 11 % more here)");
    }

    #[test]
    fn a_figure_far_from_a_band_without_a_cause_is_open() {
        let claim = |because: Option<&str>, value: f64| Claim {
            says: String::new(),
            published: String::new(),
            sentence: None,
            terms: Terms {
                direction: Some(Direction::More),
                figure: Some(2.0),
                size: Some(Band { from: Some(1.9), to: Some(2.1) }),
                ..Terms::default()
            },
            ratio: String::new(),
            basis: String::new(),
            because: because.map(str::to_owned),
            causes: vec![],
            rows: vec![],
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
        let is_open = |claim: &Claim| claim.is_open(&claim.here[0]);
        assert!(is_open(&claim(None, 4.0)) && is_open(&claim(None, 1.1)));
        assert!(!is_open(&claim(Some("another key"), 4.0)) && !is_open(&claim(None, 2.5)));
        let cause = |of: &str| Cause { of: vec![of.to_owned()], says: "another key".to_owned() };
        assert!(is_open(&Claim { causes: vec![cause("two")], ..claim(None, 4.0) }));
        assert!(!is_open(&Claim { causes: vec![cause("one")], ..claim(None, 4.0) }));
    }
}
