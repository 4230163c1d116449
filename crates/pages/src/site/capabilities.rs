//! The page of the capabilities of each stack.

use std::collections::BTreeMap;

use askama::Template;
use tlslab_scenario::capabilities::StackCapabilities;

use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::Page;
use crate::target::{Section, Target, slug, without_version};

#[derive(Template)]
#[template(path = "site/capabilities.html")]
struct Body<'m> {
    stacks: Vec<(&'m str, String, Link, &'m StackCapabilities)>,
    json: Option<String>,
}

/// The page: a part for each stack, closed until it is opened or a link leads into it.
#[must_use]
pub fn capabilities(stacks: &BTreeMap<String, StackCapabilities>, links: &dyn Links) -> Page {
    let results = |stack: &str| {
        let name = without_version(stack);
        Link::new(links, &Target::Stack(name.clone()), format!("Results of {name}"))
    };
    let body = Body {
        stacks: stacks
            .iter()
            .map(|(stack, able)| (stack.as_str(), slug(stack), results(stack), able))
            .collect(),
        json: links.to(&Target::File("data/capabilities.json".to_owned())),
    };
    Page {
        title: TITLE.to_owned(),
        section: Some(Section::Stacks),
        crumbs: vec![
            Link::new(links, &Target::Overview, "Overview"),
            Link::new(links, &Target::Stacks, "Stacks"),
            Link::none(TITLE),
        ],
        body: Html::of(&body),
        ..Page::default()
    }
}

/// The page's title, and the text of links to it.
pub(super) const TITLE: &str = "Capabilities of each stack";
