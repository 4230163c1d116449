//! A claim with its verdict for each stack, and each ratio on one axis beside what was published.

use std::fmt::Write;

use tlslab_reproduction::{
    Case, Claim, Figure, Group, Here, Reproduction, Verdict, by_group, claim_notes, counts, criterion, found,
    in_cases, of_group, short, verdict,
};
use tlslab_text::capitalised;

use crate::embed::Html;

/// Per cent of the width left of the axis and right of it.
const MARGIN: f64 = 3.0;

/// The claims of one group: the document's own, extensions or corrections.
pub(super) struct GroupOf {
    pub(super) id: String,
    pub(super) title: &'static str,
    /// How many cases, and how many of each verdict.
    pub(super) says: String,
    pub(super) claims: Vec<ClaimOf>,
    /// The same as one plot.
    pub(super) plot: Plot,
    /// Whether the document itself says it.
    pub(super) is_own: bool,
}

/// All claims of a group on one axis.
pub(super) struct Plot {
    /// What the ends of its axis are; none without a figure.
    pub(super) ends: Option<[String; 2]>,
    pub(super) rows: Vec<PlotRow>,
}

/// A claim's case in a plot; the claim stands beside its first.
pub(super) struct PlotRow {
    pub(super) says: Option<String>,
    pub(super) row: RowOf,
}

/// A claim as a page shows it.
pub(super) struct ClaimOf {
    pub(super) id: String,
    pub(super) says: String,
    pub(super) published: String,
    /// The ratios that decide, where there are any.
    pub(super) judged_by: Option<String>,
    pub(super) ratio: String,
    pub(super) basis: String,
    pub(super) notes: Vec<String>,
    /// What the ends of its axis are; none without a figure.
    pub(super) ends: Option<[String; 2]>,
    pub(super) rows: Vec<RowOf>,
}

/// A stack.
#[derive(Clone)]
pub(super) struct RowOf {
    pub(super) stack: String,
    pub(super) here: String,
    pub(super) mark: Option<Html>,
    pub(super) class: &'static str,
    pub(super) verdict: String,
}

/// How many claims hold: in one sentence, with its colour, and each count.
pub(super) struct Answer {
    pub(super) class: &'static str,
    pub(super) says: String,
    pub(super) tally: Vec<(&'static str, usize, &'static str)>,
}

/// The answer to whether what documents say holds here. Extensions and corrections are not theirs.
pub(super) fn answer(claims: &[Claim]) -> Answer {
    let own: Vec<&Case> = claims.iter().flat_map(|claim| claim.cases(Group::Document)).collect();
    let counts = counts(own.iter().copied());
    let number = |wanted: Verdict| {
        counts.iter().find(|(verdict, _)| *verdict == wanted).map_or(0, |(_, count)| *count)
    };
    let (holds, partly, fails) =
        (number(Verdict::Holds), number(Verdict::SizeDiffers), number(Verdict::DoesNotHold));
    let of = holds + partly + fails + number(Verdict::Inconclusive);
    let many = claims.iter().filter(|claim| !claim.cases(Group::Document).is_empty()).count();
    let (claims, hold, fail) = match many {
        1 => ("The claim".to_owned(), "holds", "fails"),
        several => (format!("The {several} claims"), "hold", "fail"),
    };
    let partly_says = match partly {
        0 => String::new(),
        partly => format!(", in {partly} with another size,"),
    };
    let (class, says) = match (holds + partly, fails) {
        _ if of == 0 => ("unchanged", "No claim was checked".to_owned()),
        (0, 0) => ("inconclusive", format!("{claims}: inconclusive here in all {of} cases")),
        (_, 0) => {
            ("good", format!("{claims} {hold} here in {holds} of {of} cases{partly_says} and {fail} in none"))
        }
        (_, fails) => (
            "result",
            format!("{claims} {hold} here in {holds} of {of} cases{partly_says} and {fail} in {fails}"),
        ),
    };
    let tally =
        counts.into_iter().map(|(verdict, number)| (class_of(verdict), number, verdict.words_of(number)));
    Answer { class, says, tally: tally.collect() }
}

fn class_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "good",
        Verdict::SizeDiffers => "differs",
        Verdict::DoesNotHold => "failed",
        Verdict::Inconclusive => "inconclusive",
        Verdict::NotApplicable => "unsupported",
        Verdict::NotMeasured => "warning",
    }
}

/// The claims of a document by group.
pub(super) fn groups(document: &str, reproduction: &Reproduction) -> Vec<GroupOf> {
    let prefix = if document.is_empty() { String::new() } else { format!("{document}-") };
    let groups = by_group([reproduction]).into_iter();
    let group = |(at, (group, cases)): (usize, (Group, Vec<&Case>))| {
        let claims = of_group(&reproduction.claims, group);
        let places = claims.iter().enumerate();
        GroupOf {
            id: format!("{prefix}group-{at}"),
            title: group.title(),
            says: in_cases(&cases),
            plot: Plot::of(&claims),
            claims: places
                .map(|(place, (claim, cases))| {
                    ClaimOf::of(&format!("{prefix}claim-{at}-{place}"), claim, cases)
                })
                .collect(),
            is_own: group == Group::Document,
        }
    };
    groups.enumerate().map(group).collect()
}

impl Plot {
    fn of(claims: &[(&Claim, Vec<&Case>)]) -> Self {
        let axis = Axis::of(claims.iter().map(|(claim, cases)| (*claim, cases.as_slice())));
        let rows = claims.iter().flat_map(|(claim, cases)| {
            let axis = axis.as_ref();
            cases.iter().enumerate().map(move |(at, case)| PlotRow {
                says: (at == 0).then(|| claim.says.clone()),
                row: RowOf::of(claim, case, axis),
            })
        });
        Self { ends: axis.as_ref().map(Axis::ends), rows: rows.collect() }
    }
}

impl ClaimOf {
    fn of(id: &str, claim: &Claim, cases: &[&Case]) -> Self {
        let axis = Axis::of([(claim, cases)].into_iter());
        Self {
            id: id.to_owned(),
            says: claim.says.clone(),
            published: claim.published.clone(),
            judged_by: criterion(&claim.terms).map(|criterion| capitalised(&criterion)),
            ratio: claim.ratio.clone(),
            basis: claim.basis.clone(),
            notes: claim_notes(claim, cases),
            ends: axis.as_ref().map(Axis::ends),
            rows: cases.iter().map(|case| RowOf::of(claim, case, axis.as_ref())).collect(),
        }
    }
}

impl RowOf {
    fn of(claim: &Claim, case: &Case, axis: Option<&Axis>) -> Self {
        let class = class_of(case.judged.verdict);
        let mark = match (&case.found, axis) {
            (Here::Figure(figure), Some(axis)) => Some(axis.mark(figure, claim.band_of(case), class)),
            _ => None,
        };
        let here = match &case.found {
            here @ Here::Figure(_) => found(&claim.terms, here),
            Here::Hole { .. } => String::new(),
        };
        Self { stack: case.of.clone(), here, mark, class, verdict: verdict(&claim.terms, case) }
    }
}

/// A logarithmic axis of ratios that shows 1, what was published and what was found.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn of<'c>(claims: impl Iterator<Item = (&'c Claim, &'c [&'c Case])> + Clone) -> Option<Self> {
        let found = |case: &&Case| match &case.found {
            Here::Figure(figure) => Some(figure.bounds.unwrap_or([figure.value; 2])),
            Here::Hole { .. } => None,
        };
        let mut found = claims
            .clone()
            .flat_map(|(_, cases)| cases.iter().filter_map(found).flatten())
            .filter(|value| *value > 0.0 && value.is_finite())
            .peekable();
        found.peek()?;
        let published =
            claims.flat_map(|(claim, cases)| cases.iter().filter_map(|case| claim.band_of(case))).flatten();
        let all = found.chain(published).chain([1.0]).filter(|value| *value > 0.0);
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = all.fold(ends, |(low, high), value| (low.min(value), high.max(value)));
        Some(Self { low, high })
    }

    fn ends(&self) -> [String; 2] {
        [self.low, self.high].map(short)
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
