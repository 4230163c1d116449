//! A claim with its verdict for each stack, and each ratio on one axis beside what was published.

use std::fmt::Write;

use tlslab_reproduction::{Claim, Figure, Here, Verdict, here, short};

use crate::embed::Html;

/// Per cent of the width left of the axis and right of it.
const MARGIN: f64 = 3.0;

/// A claim as a page shows it.
pub(super) struct ClaimOf {
    pub(super) id: String,
    pub(super) says: String,
    pub(super) published: String,
    pub(super) ratio: String,
    pub(super) basis: String,
    pub(super) because: Option<String>,
    /// What the ends of its axis are; none without a figure.
    pub(super) ends: Option<[String; 2]>,
    pub(super) rows: Vec<RowOf>,
}

/// A stack.
pub(super) struct RowOf {
    pub(super) stack: String,
    pub(super) here: String,
    pub(super) mark: Option<Html>,
    pub(super) class: &'static str,
    pub(super) verdict: &'static str,
}

/// How many claims hold: in one sentence, with its colour, and each count.
pub(super) struct Answer {
    pub(super) class: &'static str,
    pub(super) says: String,
    pub(super) tally: Vec<(&'static str, usize, &'static str)>,
}

/// The answer to whether claims hold here.
pub(super) fn answer(claims: &[Claim]) -> Answer {
    let verdicts: Vec<Verdict> =
        claims.iter().flat_map(|claim| &claim.here).map(|(.., verdict)| *verdict).collect();
    let number = |wanted: Verdict| verdicts.iter().filter(|verdict| **verdict == wanted).count();
    let (holds, fails) = (number(Verdict::Holds), number(Verdict::DoesNotHold));
    let unsure = verdicts.len() - holds - fails;
    let of = verdicts.len();
    let (claims, hold, fail) = match claims.len() {
        1 => ("The claim".to_owned(), "holds", "fails"),
        several => (format!("The {several} claims"), "hold", "fail"),
    };
    let (class, says) = match (holds, fails) {
        _ if verdicts.is_empty() => ("unchanged", "No claim was checked".to_owned()),
        (0, 0) => ("inconclusive", format!("{claims}: inconclusive here in all {of} cases")),
        (holds, 0) => ("good", format!("{claims} {hold} here in {holds} of {of} cases and {fail} in none")),
        (holds, fails) => {
            ("result", format!("{claims} {hold} here in {holds} of {of} cases and {fail} in {fails}"))
        }
    };
    let tally = [Verdict::Holds, Verdict::DoesNotHold, Verdict::Inconclusive].map(class_and_words);
    let numbers = [holds, fails, unsure];
    let tally = tally.into_iter().zip(numbers).map(|((class, words), number)| (class, number, words));
    Answer { class, says, tally: tally.collect() }
}

fn class_and_words(verdict: Verdict) -> (&'static str, &'static str) {
    let class = match verdict {
        Verdict::Holds => "good",
        Verdict::DoesNotHold => "failed",
        Verdict::Inconclusive => "inconclusive",
    };
    (class, verdict.words())
}

impl ClaimOf {
    pub(super) fn of(document: &str, at: usize, claim: &Claim) -> Self {
        let axis = Axis::of(claim);
        let rows = claim.here.iter().map(|(stack, found, verdict)| {
            let (class, verdict) = class_and_words(*verdict);
            let mark = match (found, &axis) {
                (Here::Figure(figure), Some(axis)) => Some(axis.mark(figure, claim.range, class)),
                _ => None,
            };
            RowOf { stack: stack.clone(), here: here(found), mark, class, verdict }
        });
        Self {
            id: if document.is_empty() { format!("claim-{at}") } else { format!("{document}-{at}") },
            says: claim.says.clone(),
            published: claim.published.clone(),
            ratio: claim.ratio.clone(),
            basis: claim.basis.clone(),
            because: claim.because.clone(),
            ends: axis.as_ref().map(|axis| [axis.low, axis.high].map(short)),
            rows: rows.collect(),
        }
    }
}

/// A logarithmic axis of ratios that shows 1, what was published and what was found.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn of(claim: &Claim) -> Option<Self> {
        let found = claim.here.iter().filter_map(|(_, found, _)| match found {
            Here::Figure(figure) => Some(figure.bounds.unwrap_or([figure.value; 2])),
            Here::Hole { .. } => None,
        });
        let mut found = found.flatten().filter(|value| *value > 0.0 && value.is_finite()).peekable();
        found.peek()?;
        let all = found.chain(claim.range.into_iter().flatten()).chain([1.0]).filter(|value| *value > 0.0);
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = all.fold(ends, |(low, high), value| (low.min(value), high.max(value)));
        Some(Self { low, high })
    }

    fn at(&self, value: f64) -> f64 {
        let span = (self.high / self.low).ln().max(1e-9);
        let share = ((value / self.low).ln() / span).clamp(0.0, 1.0);
        MARGIN + share * (100.0 - 2.0 * MARGIN)
    }

    fn mark(&self, figure: &Figure, published: Option<[f64; 2]>, class: &str) -> Html {
        let mut text = format!("<svg class=\"mark {class}\" aria-hidden=\"true\">");
        // Writing to a string cannot fail.
        if let Some([lower, upper]) = published {
            let (from, to) = (self.at(lower), self.at(upper));
            let width = (to - from).max(0.8);
            let _ = write!(
                text,
                "<rect class=\"band\" x=\"{from:.1}%\" width=\"{width:.1}%\" y=\"0\" height=\"22\"/>"
            );
        }
        let one = self.at(1.0);
        let _ = write!(text, "<line class=\"rule\" x1=\"{one:.1}%\" x2=\"{one:.1}%\" y1=\"0\" y2=\"22\"/>");
        if let Some([lower, upper]) = figure.bounds {
            let (from, to) = (self.at(lower), self.at(upper));
            let _ =
                write!(text, "<line class=\"span\" x1=\"{from:.1}%\" x2=\"{to:.1}%\" y1=\"11\" y2=\"11\"/>");
        }
        let _ = write!(
            text,
            "<circle class=\"at\" cx=\"{:.1}%\" cy=\"11\" r=\"4.5\"/></svg>",
            self.at(figure.value)
        );
        Html::markup(text)
    }
}
