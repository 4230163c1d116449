//! The page of standings: places of stacks in a project's own choice of results.

use askama::Template;
use tlslab_standings::{Standings, chart};

use crate::asset::Asset;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Page, Part};
use crate::target::Target;

pub(crate) const STYLE: Asset =
    Asset { name: "standings.css", text: include_str!("../assets/standings.css") };

#[derive(Template)]
#[template(path = "standings.html")]
struct Body {
    title: String,
    answer: String,
    places: Grid,
    groups: Vec<GroupOf>,
    since: Option<SinceThen>,
    method: Vec<String>,
    warnings: Vec<String>,
}

struct Grid {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

struct GroupOf {
    id: String,
    title: String,
    chart: Html,
    grid: Grid,
}

struct SinceThen {
    title: String,
    lists: Vec<(&'static str, Vec<String>)>,
}

impl Grid {
    fn of(rows: Vec<Vec<String>>) -> Self {
        let mut rows = rows.into_iter();
        Self { head: rows.next().unwrap_or_default(), rows: rows.collect() }
    }
}

/// The page of standings.
#[must_use]
pub fn standings(standings: &Standings, links: &dyn Links) -> Page {
    let group = |at: usize| GroupOf {
        id: format!("results-{}", at + 1),
        title: standings.groups[at].title.clone(),
        chart: Html::markup(chart(standings, at, false)),
        grid: Grid::of(standings.results_of(at)),
    };
    let since = standings.since.as_ref().map(|since| {
        let (title, lists) = since.lists();
        SinceThen { title, lists: lists.into_iter().map(|(name, list)| (name, list.to_vec())).collect() }
    });
    let body = Body {
        title: standings.title.clone(),
        answer: standings.answer(),
        places: Grid::of(standings.places()),
        groups: (0..standings.groups.len()).map(group).collect(),
        since,
        method: standings.method(),
        warnings: standings.warnings.clone(),
    };
    let part = |id, title| Part { id, title, needs_script: false };
    let mut parts = vec![part("places", "Places"), part("results", "Results")];
    parts.extend(body.since.as_ref().map(|_| part("since", "What changed")));
    parts.push(part("method", "Method"));
    Page {
        title: standings.title.clone(),
        crumbs: vec![Link::new(links, &Target::Overview, "Overview"), Link::none(&*standings.title)],
        parts,
        assets: vec![STYLE],
        body: Html::of(&body),
        ..Page::default()
    }
}
