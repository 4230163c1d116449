//! The page of a comparison: which stack is faster or what regressed, by how much, in which functions, with
//! which certainty.

mod axis;
mod changed;
mod facts;
mod headline;
mod kind;
mod rows;

use askama::Template;
use tlslab_comparison::Comparison;
use tlslab_profile::Flame;

use self::changed::{ChangedSide, changed_sides};
use self::facts::{Fact, Warning, command, facts, warnings};
use self::headline::{Headline, groups, headline};
use self::kind::{Group, Words, names};
use self::rows::Section;
use crate::asset::Asset;
use crate::embed::Html;
use crate::functions::ASSETS;
use crate::links::{Link, Links};
use crate::page::{Page, Part};
use crate::target::{self, Target};

pub(crate) const STYLE: Asset =
    Asset { name: "comparison.css", text: include_str!("../../assets/comparison.css") };

#[derive(Template)]
#[template(path = "comparison.html")]
struct Body {
    headline: Headline,
    files: Vec<Link>,
    tally: Vec<Tally>,
    facts: Vec<Fact>,
    sections: Vec<Section>,
    /// Whether nothing needs attention, so that only folded rows remain.
    is_quiet: bool,
    flames: Vec<ChangedSide>,
    warnings: Vec<Warning>,
    method: Vec<String>,
    has_seeds: bool,
    command: Option<String>,
}

struct Tally {
    class: &'static str,
    number: usize,
    word: &'static str,
}

/// The page of a comparison.
#[must_use]
pub fn comparison(comparison: &Comparison, links: &dyn Links) -> Page {
    comparison_with_functions(comparison, &[], links)
}

/// The page as a file next to the comparison's profiles, with the flame graph of each.
#[must_use]
pub fn comparison_with_functions(comparison: &Comparison, flames: &[Flame], links: &dyn Links) -> Page {
    let words = Words::of(comparison);
    let groups = groups(comparison);
    let shown = groups.iter().filter(|(group, cells)| {
        !cells.is_empty() || matches!(group, Group::Worse | Group::Better | Group::Inconclusive)
    });
    let tally = shown.map(|(group, cells)| Tally {
        class: if *group == Group::Tiny { "tiny up" } else { group.class(words) },
        number: cells.len(),
        word: group.word(words, cells.len()),
    });
    let sections: Vec<Section> =
        groups.iter().filter_map(|group| Section::of(comparison, group, words, links)).collect();
    let warnings = warnings(comparison);
    let command = command(comparison);
    let path = comparison_target(comparison).path();
    let file = |ending: &str, text: &str| Link::new(links, &Target::File(format!("{path}.{ending}")), text);
    let body = Body {
        headline: headline(comparison, words),
        files: vec![file("csv", "CSV"), file("json", "JSON")],
        tally: tally.collect(),
        facts: facts(comparison, links),
        is_quiet: sections.iter().all(|section| section.is_folded),
        method: tlslab_comparison::method(comparison),
        has_seeds: comparison.changes.iter().any(|change| change.metric != tlslab_comparison::Compared::Time),
        flames: changed_sides(comparison, flames),
        sections,
        warnings,
        command,
    };
    let title = format!("{} compared", names(&comparison.pairs));
    Page {
        crumbs: vec![
            Link::new(links, &Target::Overview, "Overview"),
            Link::new(links, &Target::Comparisons, "Comparisons"),
            Link::none(names(&comparison.pairs)),
        ],
        section: Some(target::Section::Comparisons),
        parts: parts(&body),
        foot: vec![Html::text(&format!("tlslab {}", comparison.lab_version))],
        title,
        assets: std::iter::once(STYLE)
            .chain((!flames.is_empty()).then_some(ASSETS).into_iter().flatten())
            .collect(),
        body: Html::of(&body),
        ..Page::default()
    }
}

/// Where a comparison is, by its runs.
#[must_use]
pub fn comparison_target(comparison: &Comparison) -> Target {
    Target::Comparison(comparison.runs.join("+"))
}

fn parts(body: &Body) -> Vec<Part> {
    let part = |id, title| Part { id, title, needs_script: false };
    let mut parts: Vec<Part> = body.sections.iter().map(|section| part(section.id, section.title)).collect();
    if !body.flames.is_empty() {
        parts.push(part("functions", "Changed functions"));
    }
    if !body.warnings.is_empty() {
        parts.push(part("warnings", "Warnings"));
    }
    parts.push(part("method", "Method"));
    if body.command.is_some() {
        parts.push(part("repeat", "Repeat"));
    }
    parts
}
