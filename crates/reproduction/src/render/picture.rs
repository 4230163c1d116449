//! All claims of all documents in one picture: the published range and the result of every stack.

use std::fmt::Write;

use tlslab_text::html as escaped;

use super::ratios::found;
use super::verdicts::{elsewhere, row_verdict, sentence_summary, summary, verdict};
use super::words::{here, short};
use crate::judged::Verdict;
use crate::model::{Case, Claim, Here, Reproduction};
use crate::sentences::sentences;
use crate::terms::Group;

const WIDTH: f64 = 1000.0;
const LEFT: f64 = 560.0;
const RIGHT: f64 = 20.0;
const ROW: f64 = 20.0;
const HEAD: f64 = 34.0;
const TITLE: f64 = 26.0;
const FOOT: f64 = 24.0;
/// Ratios beyond these stand at the edge.
const ENDS: [f64; 2] = [0.25, 8.0];
const TICKS: [f64; 6] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
/// How many letters of a claim have room.
const LETTERS: usize = 92;

/// A stand-alone image on white. The axis is logarithmic and the same for all.
pub fn claims_svg(reproductions: &[Reproduction]) -> String {
    let described: Vec<&Reproduction> = reproductions.iter().filter(|one| !one.claims.is_empty()).collect();
    let rows: usize = described.iter().map(|one| one.claims.len()).sum();
    let height = HEAD + described.len() as f64 * TITLE + rows as f64 * ROW + FOOT;
    let cases = described.iter().flat_map(|one| &one.claims).flat_map(|claim| &claim.here);
    let counts = format!(
        "{}. Cells: {}",
        sentence_summary(&sentences(reproductions), ""),
        summary(cases.filter(|case| case.group == Group::Document))
    );
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Published claims and their verdicts; the documents' own: {counts}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <text x=\"8\" y=\"20\" font-size=\"12\" font-weight=\"bold\">{counts}</text>\n"
    );
    // Writing to a string cannot fail.
    for tick in TICKS {
        let (at, bottom) = (x(tick), height - FOOT);
        let stroke = if tick == 1.0 { "#555555" } else { "#dddddd" };
        let _ = writeln!(
            text,
            "<line x1=\"{at:.1}\" y1=\"{HEAD}\" x2=\"{at:.1}\" y2=\"{bottom}\" stroke=\"{stroke}\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555555\">{tick}</text>",
            height - 8.0
        );
    }
    let mut top = HEAD;
    for reproduction in described {
        let _ = writeln!(
            text,
            "<text x=\"8\" y=\"{:.1}\" font-weight=\"bold\">{}</text>",
            top + 18.0,
            escaped(&reproduction.title)
        );
        top += TITLE;
        for claim in &reproduction.claims {
            row(&mut text, claim, top + ROW / 2.0);
            top += ROW;
        }
    }
    text + "</svg>\n"
}

/// A claim: its words, the published range as a band, and a dot for each stack.
fn row(text: &mut String, claim: &Claim, y: f64) {
    let short_words: String = match claim.says.chars().count() {
        0..=LETTERS => claim.says.clone(),
        _ => claim.says.chars().take(LETTERS - 1).chain(['…']).collect(),
    };
    let _ = writeln!(
        text,
        "<text x=\"20\" y=\"{:.1}\" font-size=\"11\">{}<title>{}</title></text>",
        y + 4.0,
        escaped(&short_words),
        escaped(&format!("{} {}; published: {}", claim.says, claim.ratio, claim.published))
    );
    if let Some([lower, upper]) = claim.terms.band().filter(|_| claim.terms.quantifier.is_none()) {
        let (at, width) = (x(lower), (x(upper) - x(lower)).max(3.0));
        let _ = writeln!(
            text,
            "<rect x=\"{at:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"#d9c36a\"><title>published: {}</title></rect>",
            y - ROW / 2.0 + 2.0,
            ROW - 4.0,
            escaped(&claim.published)
        );
    }
    // The document's own dots are in front.
    let of_rows = claim.terms.quantifier.is_some();
    let mut cases: Vec<&Case> = if of_rows { &claim.rows } else { &claim.here }.iter().collect();
    cases.sort_by_key(|case| case.group == Group::Document);
    for case in cases {
        let words = match of_rows {
            true => (here(&case.found), row_verdict(&case.judged)),
            false => (found(&claim.terms, &case.found), verdict(&claim.terms, case)),
        };
        dot(text, y, case, &case.found, case.judged.verdict, [&case.of, &words.0, &words.1]);
        let there = elsewhere(&claim.terms, case);
        for (of, (host, ratio, words)) in case.elsewhere.iter().zip(&there) {
            let on = format!("{}, {host}", case.of);
            let words = if of_rows { row_verdict(&of.judged) } else { words.clone() };
            dot(text, y, case, &of.found, of.judged.verdict, [&on, ratio, &words]);
        }
    }
}

/// A ratio with its interval, if it is a figure that was judged.
fn dot(text: &mut String, y: f64, case: &Case, found: &Here, verdict: Verdict, words: [&str; 3]) {
    let (Here::Figure(figure), Some(colour)) = (found, colour(verdict)) else { return };
    let [of, ratio, words] = words.map(escaped);
    if let Some([lower, upper]) = figure.bounds {
        let _ = writeln!(
            text,
            "<line x1=\"{:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\"/>",
            x(lower),
            x(upper)
        );
    }
    let (radius, fill) = if case.group == Group::Document { (4, colour) } else { (3, "none") };
    let _ = writeln!(
        text,
        "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{colour}\"><title>{of}: {ratio}, {words}</title></circle>",
        x(figure.value),
    );
}

/// Distinguishable with a colour vision deficiency, too; none if nothing was measured.
fn colour(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Holds => Some("#0072b2"),
        Verdict::SizeDiffers => Some("#cc79a7"),
        Verdict::DoesNotHold => Some("#d55e00"),
        Verdict::Inconclusive => Some("#999999"),
        Verdict::NotApplicable | Verdict::NotMeasured => None,
    }
}

fn x(ratio: f64) -> f64 {
    let [from, to] = ENDS.map(f64::ln);
    let at = ratio.clamp(ENDS[0], ENDS[1]).ln();
    LEFT + (at - from) / (to - from) * (WIDTH - LEFT - RIGHT)
}

/// The meaning of the colours and the band.
pub(super) fn claims_svg_legend() -> String {
    let [from, to] = ENDS.map(short);
    format!(
        "Each dot is a ratio with its interval: blue where the claim holds, purple where its direction holds and its size differs, \
         orange where it does not hold, grey where it is inconclusive. Full dots are what the document speaks of, empty ones \
         extensions and corrections. The yellow band is what was published. Ratios beyond {from} and {to} stand at the edge."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judged::Judged;
    use crate::model::Figure;
    use crate::terms::{Direction, Terms};

    #[test]
    fn every_stack_with_a_figure_has_a_dot_within_the_axis() {
        let at = |value: f64| Here::Figure(Figure::within(value, [value; 2]));
        let hole = Here::Hole { hole: "unsupported: no".to_owned() };
        let terms = Terms { direction: Some(Direction::More), figure: Some(2.0), ..Terms::default() };
        let case = |of: &str, group: Group, found: Here| {
            let judged = Judged::of(&terms, &found, 1.0);
            Case::new(of.to_owned(), group, found, judged)
        };
        let claim = Claim {
            says: "a < b ".repeat(30),
            published: "2".to_owned(),
            sentence: None,
            ratio: "b over a".to_owned(),
            basis: "fair".to_owned(),
            because: None,
            causes: vec![],
            rows: vec![],
            here: vec![
                case("one", Group::Document, at(100.0)),
                case("two", Group::Extension, at(0.5)),
                case("three", Group::Document, hole),
            ],
            terms,
        };
        let mut text = String::new();
        row(&mut text, &claim, 10.0);
        assert_eq!(text.matches("<circle").count(), 2);
        assert!(text.contains(&format!("cx=\"{:.1}\"", WIDTH - RIGHT)), "{text}");
        assert!(text.contains("#d55e00") && text.contains("…") && !text.contains("a < b"), "{text}");
    }
}
