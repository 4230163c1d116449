//! Who is fastest: a card per family and side, with a bar per stack.

use tlslab_estimate::{Headline, Report, Standing};
use tlslab_report::tables::{Relative, Tone, describe_basis, rests_on_two_speeds, tone, verdict};
use tlslab_text::{capitalised, clean};

use super::axis::{Axis, Tick};
use super::colour::colour;
use crate::links::{Link, Links};
use crate::target::Target;

/// One family and side.
pub(super) struct Card {
    pub family: &'static str,
    pub side: &'static str,
    pub lead: String,
    /// The interval, or why there is no verdict.
    pub verdict: String,
    pub is_mixture: bool,
    pub bars: Vec<Bar>,
    pub ticks: Vec<Tick>,
    pub axis: &'static str,
    /// The reference, if it is not the page's.
    pub other_reference: Option<String>,
    /// The basis of the figures.
    pub basis: String,
}

/// One stack's time over the reference's; places are attributes of marks.
pub(super) struct Bar {
    pub colour: usize,
    pub stack: Link,
    pub left: String,
    pub width: String,
    pub interval: Option<(String, String)>,
    pub amount: String,
    pub range: String,
    /// `faster`, `slower`, or empty if code layout can explain the difference.
    pub class: &'static str,
}

pub(super) fn all(report: &Report, links: &dyn Links) -> Vec<Card> {
    compared(report).map(|headline| card(report, headline, links)).collect()
}

/// A single stack has no comparison.
pub(super) fn compared(report: &Report) -> impl Iterator<Item = &Headline> {
    report.headlines.iter().filter(|headline| headline.standings.len() != 1)
}

fn card(report: &Report, headline: &Headline, links: &dyn Links) -> Card {
    let ratios: Vec<f64> = headline.standings.iter().map(|standing| standing.ratio.value).collect();
    let intervals = headline.standings.iter().filter_map(|standing| standing.ratio.interval);
    let bounds: Vec<f64> = intervals.flat_map(|interval| [interval.lower, interval.upper]).collect();
    let axis = Axis::of(&ratios, &bounds);
    let (lead, verdict) = verdict(headline);
    let nothing = match headline.left_out.as_slice() {
        [] => String::new(),
        names => {
            let names: Vec<_> = names.iter().map(|name| clean(name)).collect();
            format!(" Nothing measured: {}.", names.join(", "))
        }
    };
    let gaps = match headline.with_gaps.as_slice() {
        [] => String::new(),
        names => {
            let names: Vec<_> = names.iter().map(|name| clean(name)).collect();
            format!(" Not compared, as too few scenarios were measured: {}.", names.join(", "))
        }
    };
    let reference = headline.reference.as_deref().filter(|reference| *reference != report.run.baseline);
    Card {
        family: headline.family.title(),
        side: headline.side.name(),
        lead,
        verdict,
        is_mixture: rests_on_two_speeds(report, headline),
        bars: headline
            .standings
            .iter()
            .map(|standing| bar(report, headline, standing, &axis, links))
            .collect(),
        ticks: if headline.standings.is_empty() { Vec::new() } else { axis.ticks() },
        axis: axis.kind(),
        other_reference: reference.map(clean),
        basis: format!("{}.{gaps}{nothing}", capitalised(&describe_basis(headline))),
    }
}

fn bar(report: &Report, headline: &Headline, standing: &Standing, axis: &Axis, links: &dyn Links) -> Bar {
    let is_reference = headline.reference.as_ref() == Some(&standing.stack);
    let (left, width) = axis.bar(standing.ratio.value);
    let relative = Relative::of(&standing.ratio);
    let floor = report.layout_floor(headline.family);
    Bar {
        colour: colour(report, &standing.stack),
        stack: Link::new(links, &Target::Stack(standing.stack.clone()), clean(&standing.stack)),
        left,
        width,
        interval: standing
            .ratio
            .interval
            .filter(|_| !is_reference)
            .map(|interval| (axis.at(interval.lower), axis.at(interval.upper))),
        class: match tone(&standing.ratio, floor) {
            _ if is_reference => "",
            Tone::Plain => "",
            Tone::Faster => "v faster",
            Tone::Slower => "v slower",
        },
        range: if is_reference { String::new() } else { relative.range.clone() },
        amount: if is_reference { "reference".to_owned() } else { relative.amount() },
    }
}
