//! A claim with its verdict for each stack, and each ratio on one axis with the published range.

use std::fmt::Write;

use tlslab_reproduction::{
    Case, Claim, Figure, Group, Here, Reproduction, SentenceOutcome, Verdict, by_group, claim_notes, counts,
    criterion, found, here, in_cases, of_group, row_verdict, sentences, short, verdict,
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
    /// The claims as one plot.
    pub(super) plot: Plot,
    /// Whether it is the document's own claim.
    pub(super) is_own: bool,
}

/// All claims of a group on one axis.
pub(super) struct Plot {
    /// The ends of its axis; none without a figure.
    pub(super) ends: Option<[String; 2]>,
    pub(super) rows: Vec<PlotRow>,
}

/// A claim's case in a plot; the claim's text is next to its first case.
pub(super) struct PlotRow {
    pub(super) says: Option<String>,
    pub(super) row: RowOf,
}

/// A claim as a page shows it.
pub(super) struct ClaimOf {
    pub(super) id: String,
    pub(super) says: String,
    pub(super) published: String,
    /// The ratios that decide, if there are any.
    pub(super) judged_by: Option<String>,
    pub(super) ratio: String,
    pub(super) basis: String,
    pub(super) notes: Vec<String>,
    /// The ends of its axis; none without a figure.
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

/// The answer to whether the documents' claims hold here, by their sentences; the tally is of cells.
/// Extensions, corrections and ratios that the lab made are excluded.
pub(super) fn answer<'r>(reproductions: impl IntoIterator<Item = &'r Reproduction> + Clone) -> Answer {
    let sentences = sentences(reproductions.clone());
    let number =
        |wanted: &[SentenceOutcome]| sentences.iter().filter(|one| wanted.contains(&one.outcome)).count();
    let all = number(&[SentenceOutcome::All]);
    let (some, none) = (number(&[SentenceOutcome::Some]), number(&[SentenceOutcome::None]));
    let undecided = number(&[SentenceOutcome::Undecided]);
    let class = match (all + some + none, some + none) {
        (0, _) if undecided == 0 => "unchanged",
        (0, _) => "inconclusive",
        (_, 0) => "good",
        _ => "result",
    };
    let says = match all + some + none + undecided {
        0 => "No claim was checked".to_owned(),
        1 => {
            let holds = match (all, some, none) {
                (1, ..) => "holds here in all its cells",
                (_, 1, _) => "holds here in some of its cells",
                (.., 1) => "holds here in none of its cells",
                _ => "is undecided here",
            };
            format!("The sentence {holds}")
        }
        total => {
            let parts = [(some, "in some"), (none, "in none")].into_iter().filter(|(count, _)| *count > 0);
            let parts = parts.map(|(count, words)| format!(", {count} {words}")).collect::<String>();
            let open = if undecided > 0 { format!("; {undecided} undecided") } else { String::new() };
            format!("{all} of {total} sentences hold here in all their cells{parts}{open}")
        }
    };
    let claims = reproductions.into_iter().flat_map(|one| &one.claims);
    let own: Vec<&Case> = claims.flat_map(|claim| claim.cases(Group::Document)).collect();
    let tally = counts(own).into_iter();
    let tally = tally.map(|(verdict, number)| (class_of(verdict), number, verdict.words_of(number)));
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
    let host = reproduction.hosts.first().map(|host| host.name.as_str());
    let group = |(at, (group, cases)): (usize, (Group, Vec<&Case>))| {
        let claims = of_group(&reproduction.claims, group);
        let places = claims.iter().enumerate();
        GroupOf {
            id: format!("{prefix}group-{at}"),
            title: group.title(),
            says: in_cases(&cases),
            plot: Plot::of(&claims, host),
            claims: places
                .map(|(place, (claim, cases))| {
                    ClaimOf::of(&format!("{prefix}claim-{at}-{place}"), claim, cases, host)
                })
                .collect(),
            is_own: group == Group::Document,
        }
    };
    groups.enumerate().map(group).collect()
}

impl Plot {
    fn of(claims: &[(&Claim, Vec<&Case>)], host: Option<&str>) -> Self {
        let axis = Axis::of(claims.iter().map(|(claim, cases)| (*claim, cases.as_slice())));
        let rows = claims.iter().flat_map(|(claim, cases)| {
            let rows = RowOf::all(claim, cases, axis.as_ref(), host).into_iter().enumerate();
            rows.map(|(at, row)| PlotRow { says: (at == 0).then(|| claim.says.clone()), row })
        });
        Self { ends: axis.as_ref().map(Axis::ends), rows: rows.collect() }
    }
}

impl ClaimOf {
    fn of(id: &str, claim: &Claim, cases: &[&Case], host: Option<&str>) -> Self {
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
            rows: RowOf::all(claim, cases, axis.as_ref(), host),
        }
    }
}

impl RowOf {
    /// The cases of a claim on every host, with the rows of a claim about many or most of them. `host` is the
    /// first one's name, if there are several.
    fn all(claim: &Claim, cases: &[&Case], axis: Option<&Axis>, host: Option<&str>) -> Vec<Self> {
        let is_shown = |row: &&Case| cases.iter().any(|case| case.group == row.group);
        let rows = claim.rows.iter().filter(is_shown);
        let of_cases = cases.iter().flat_map(|case| {
            on_hosts(case, host).into_iter().map(|case| Self::of(claim, &case, axis)).collect::<Vec<_>>()
        });
        let of_rows = rows.flat_map(|row| {
            on_hosts(row, host).into_iter().map(|row| Self::of_row(&row, axis)).collect::<Vec<_>>()
        });
        of_cases.chain(of_rows).collect()
    }

    /// A row of a claim of many or most.
    fn of_row(row: &Case, axis: Option<&Axis>) -> Self {
        // One row is no verdict on the claim.
        let class = "unchanged";
        let (here, mark) = match &row.found {
            Here::Figure(figure) => (here(&row.found), axis.map(|axis| axis.mark(figure, None, class))),
            Here::Hole { .. } => (String::new(), None),
        };
        Self { stack: row.of.clone(), here, mark, class, verdict: row_verdict(&row.judged) }
    }

    fn of(claim: &Claim, case: &Case, axis: Option<&Axis>) -> Self {
        let class = class_of(case.judged.verdict);
        let is_ratio = claim.terms.quantifier.is_none();
        let mark = match (&case.found, axis.filter(|_| is_ratio)) {
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

/// A case as one of each host, with the host's name if there are several.
fn on_hosts(case: &Case, host: Option<&str>) -> Vec<Case> {
    let Some(host) = host else { return vec![case.clone()] };
    let first = Case { of: format!("{}, {host}", case.of), elsewhere: vec![], ..case.clone() };
    let others = case.elsewhere.iter().map(|on| Case {
        of: format!("{}, {}", case.of, on.host),
        found: on.found.clone(),
        judged: on.judged.clone(),
        ..first.clone()
    });
    [first.clone()].into_iter().chain(others).collect()
}

/// A logarithmic axis of ratios that shows 1, the published range and the measured figures.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn of<'c>(claims: impl Iterator<Item = (&'c Claim, &'c [&'c Case])> + Clone) -> Option<Self> {
        let found = |case: &&Case| -> Vec<f64> {
            let all = [&case.found].into_iter().chain(case.elsewhere.iter().map(|on| &on.found));
            let bounds = all.filter_map(|found| match found {
                Here::Figure(figure) => Some(figure.bounds.unwrap_or([figure.value; 2])),
                Here::Hole { .. } => None,
            });
            bounds.flatten().collect()
        };
        let ratios = |(claim, cases): (&'c Claim, &'c [&'c Case])| -> Vec<f64> {
            match claim.terms.quantifier {
                Some(_) => claim.rows.iter().flat_map(|row| found(&row)).collect(),
                None => cases.iter().flat_map(found).collect(),
            }
        };
        let mut found =
            claims.clone().flat_map(ratios).filter(|value| *value > 0.0 && value.is_finite()).peekable();
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
