//! The page of histories: whether the newest version changed, which version last did, and plots to explore.

mod data;
mod headline;
mod names;
mod options;
mod steps;

use askama::Template;
use names::{cell, in_parts};
pub use options::HistoryOptions;
use tlslab_report::timeline::{Timeline, Timelines};

use self::data::Histories;
use self::headline::{Headline, headline};
use self::steps::{Step, steps};
use crate::asset::Asset;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Data, Page, Part};
use crate::target::{Section, Target};
use tlslab_text::number::{counted, figure};

pub(crate) const ASSETS: [Asset; 7] = [
    Asset { name: "history.css", text: include_str!("../../assets/history.css") },
    Asset { name: "uplot.js", text: include_str!("../../assets/vendor/uplot/uPlot.iife.min.js") },
    Asset { name: "history-model.js", text: include_str!("../../assets/history-model.js") },
    Asset { name: "history-paint.js", text: include_str!("../../assets/history-paint.js") },
    Asset { name: "history-plot.js", text: include_str!("../../assets/history-plot.js") },
    Asset { name: "history-list.js", text: include_str!("../../assets/history-list.js") },
    Asset { name: "history.js", text: include_str!("../../assets/history.js") },
];

/// How many steps the page shows at once; older ones are folded.
const UNFOLDED: usize = 25;

#[derive(Template)]
#[template(path = "history.html")]
struct Body {
    headline: Headline,
    reference: Option<String>,
    series: String,
    shown: String,
    recent: Option<Html>,
    older: Option<Html>,
    older_steps: usize,
    further_steps: usize,
    summaries: Vec<Summary>,
    further_summaries: usize,
}

#[derive(Template)]
#[template(path = "history_steps.html")]
struct Steps<'s> {
    label: &'static str,
    steps: &'s [Step],
}

/// A series in one row.
struct Summary {
    scenario: String,
    under: String,
    points: String,
    level: String,
    last: Option<Step>,
    none: String,
}

/// The page of several histories.
#[must_use]
pub fn history(timelines: &Timelines, options: &HistoryOptions, links: &dyn Links) -> Page {
    let all = steps(timelines, options, links);
    let shown = &all[..all.len().min(options.most_steps)];
    let (recent, older) = shown.split_at(shown.len().min(UNFOLDED));
    let table = |label, steps: &[Step]| (!steps.is_empty()).then(|| Html::of(&Steps { label, steps }));
    let summaries = timelines.timelines.iter().enumerate().take(options.most_summaries);
    let summaries: Vec<Summary> = summaries
        .map(|(at, timeline)| summary(timeline, all.iter().find(|step| step.series == at)))
        .collect();
    let body = Body {
        headline: headline(timelines, &all, options),
        reference: timelines.reference.clone(),
        series: counted(timelines.timelines.len(), "series"),
        shown: options.shown.clone(),
        recent: table("Steps", recent),
        older: table("Older steps", older),
        older_steps: older.len(),
        further_steps: all.len() - shown.len(),
        further_summaries: timelines.timelines.len() - summaries.len(),
        summaries,
    };
    let title = options.of.as_ref().map_or_else(|| "History".to_owned(), |of| format!("History of {of}"));
    let part = |id, title, needs_script| Part { id, title, needs_script };
    let mut crumbs = vec![Link::new(links, &Target::Overview, "Overview")];
    match &options.of {
        Some(of) => crumbs.extend([Link::new(links, &Target::History, "History"), Link::none(&**of)]),
        None => crumbs.push(Link::none("History")),
    }
    Page {
        title,
        section: Some(Section::History),
        crumbs,
        parts: vec![
            part("plots", "Plot", true),
            part("steps", "Steps", false),
            part("values", "Values", true),
            part("series", "Series", false),
        ],
        body: Html::of(&body),
        data: vec![Data::new("histories", &Histories::of(timelines, options, links))],
        assets: ASSETS.to_vec(),
        ..Page::default()
    }
}

fn summary(timeline: &Timeline, last: Option<&Step>) -> Summary {
    let series = &timeline.series;
    let level = timeline.segments().last().map(|segment| segment.level);
    let level = level.or_else(|| timeline.points.last().map(|point| point.value));
    let unit = if series.unit.is_empty() { String::new() } else { format!(" {}", series.unit) };
    let holes = match timeline.holes.len() {
        0 => String::new(),
        holes => format!(", {holes} without a value"),
    };
    Summary {
        scenario: in_parts(&series.scenario),
        under: cell(timeline),
        points: format!("{}{holes}", timeline.points.len()),
        level: level.map_or_else(|| "no value".to_owned(), |level| format!("{}{unit}", figure(level))),
        last: last.cloned(),
        none: timeline
            .no_history
            .clone()
            .or_else(|| timeline.too_few())
            .unwrap_or_else(|| "no step".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_vendored_file_has_the_recorded_digest() {
        let recorded = include_str!("../../assets/vendor/uplot/README.md");
        let digest = hex::encode(Sha256::digest(ASSETS[1].text.as_bytes()));
        assert!(recorded.contains(&format!("| sha256 | `{digest}` |")), "{digest} is not in its README");
    }

    #[test]
    fn no_asset_ends_its_own_element() {
        for asset in ASSETS {
            assert!(!asset.text.contains("</") && !asset.text.contains("<!--"), "{}", asset.name);
            assert!(!asset.text.contains('\r'), "{}: its digest would be another in a document", asset.name);
        }
    }

    #[test]
    fn names_are_texts_of_parts() {
        assert_eq!(in_parts("handshake/1.3/ecdsa-p256/x25519"), "handshake 1.3 · ecdsa-p256 · x25519");
        assert_eq!(in_parts("primitives/aead"), "primitives · aead");
    }
}
