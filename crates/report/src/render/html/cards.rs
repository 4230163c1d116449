//! The main result on the first screen: a card per family and side.

use tlslab_estimate::digits::{bounds, written};
use tlslab_estimate::{Headline, Report};
use tlslab_text::clean;

use super::super::table::{over, verdict};
use super::colour::colour;

/// One family and side.
pub(super) struct Card {
    pub family: &'static str,
    pub side: &'static str,
    /// Who is first, in a few words.
    pub lead: String,
    /// By how much, or why that cannot be said.
    pub verdict: String,
    pub bars: Vec<Bar>,
    /// What the figures rest on.
    pub basis: String,
}

/// One stack's time over the reference's; positions in percent of the track.
pub(super) struct Bar {
    pub colour: usize,
    pub stack: String,
    pub width: String,
    pub interval: Option<(String, String)>,
    pub figure: String,
    pub bounds: String,
}

pub(super) fn all(report: &Report) -> Vec<Card> {
    // A stack that stands alone is compared with nothing.
    let compared = report.headlines.iter().filter(|headline| headline.standings.len() != 1);
    compared.map(|headline| card(report, headline)).collect()
}

fn card(report: &Report, headline: &Headline) -> Card {
    let ratio = |standing: &tlslab_estimate::Standing| {
        standing
            .ratio
            .interval
            .map_or(standing.ratio.value, |interval| interval.upper.max(standing.ratio.value))
    };
    let longest = headline.standings.iter().map(ratio).fold(f64::MIN_POSITIVE, f64::max);
    let percent = |value: f64| format!("{:.3}", 100.0 * value / longest);
    let bars = headline.standings.iter().map(|standing| {
        let is_reference = headline.reference.as_ref() == Some(&standing.stack);
        let interval = standing.ratio.interval.filter(|_| !is_reference);
        Bar {
            colour: colour(report, &standing.stack),
            stack: clean(&standing.stack),
            width: percent(standing.ratio.value),
            interval: interval
                .map(|interval| (percent(interval.lower), percent(interval.upper - interval.lower))),
            figure: if is_reference { "1".to_owned() } else { written(&standing.ratio).value },
            bounds: match bounds(&standing.ratio) {
                _ if is_reference => "reference".to_owned(),
                Some((lower, upper)) => format!("{lower} to {upper}"),
                None => "no interval".to_owned(),
            },
        }
    });
    let bars = bars.collect();
    let (lead, verdict) = verdict(headline);
    let reference = headline.reference.as_deref().map(clean);
    let reference = reference.map(|reference| format!("Time relative to {reference}, ")).unwrap_or_default();
    let left_out = match headline.left_out.as_slice() {
        [] => String::new(),
        names => {
            let names: Vec<_> = names.iter().map(|name| clean(name)).collect();
            format!(" Nothing measured: {}.", names.join(", "))
        }
    };
    let basis = format!("{reference}{}.{left_out}", over(headline));
    Card { family: headline.family.title(), side: headline.side.name(), lead, verdict, bars, basis }
}
