//! Search over stacks, scenarios, runs and comparisons.

use askama::Template;
use serde::{Deserialize, Serialize};

use crate::asset::Asset;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Data, Page};
use crate::target::Target;

/// Something that can be found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// `stack`, `scenario`, `run`, `comparison`, `document`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// More words that it is found by.
    pub words: String,
    /// Where it is.
    #[serde(skip)]
    pub target: Option<Target>,
}

#[derive(Template)]
#[template(path = "site/search.html")]
struct Body {
    entries: usize,
    lists: Vec<Link>,
}

/// An entry as the script reads it: kind, name, words, address.
type Found<'e> = (&'e str, &'e str, &'e str, String);

pub(crate) const SCRIPT: Asset = Asset { name: "search.js", text: include_str!("../../assets/search.js") };

/// The page. Without a script it leads to the lists.
#[must_use]
pub fn search(entries: &[Entry], links: &dyn Links) -> Page {
    let found: Vec<Found<'_>> = entries
        .iter()
        .filter_map(|entry| {
            let address = links.to(entry.target.as_ref()?)?;
            Some((entry.kind.as_str(), entry.name.as_str(), entry.words.as_str(), address))
        })
        .collect();
    let lists = [
        (Target::Stacks, "all stacks"),
        (Target::Scenarios, "all scenarios"),
        (Target::Runs, "all runs"),
        (Target::Comparisons, "all comparisons"),
    ];
    let lists = lists.into_iter().map(|(target, text)| Link::new(links, &target, text));
    let body = Body { entries: found.len(), lists: lists.filter(|link| link.href.is_some()).collect() };
    Page {
        title: "Search".to_owned(),
        crumbs: vec![Link::new(links, &Target::Overview, "Overview"), Link::none("Search")],
        body: Html::of(&body),
        data: vec![Data::new("entries", &found)],
        assets: vec![SCRIPT],
        ..Page::default()
    }
}
