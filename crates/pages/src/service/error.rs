//! The error page.

use askama::Template;

use super::crumbs::crumbs;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::Page;
use crate::target::Target;

#[derive(Template)]
#[template(path = "service/error.html")]
struct Body<'m> {
    title: &'m str,
    message: &'m str,
    others: Vec<Link>,
}

/// The page of an error: what it is, its cause, and links to other pages.
#[must_use]
pub fn error(title: &str, message: &str, links: &dyn Links) -> Page {
    let others = [
        (Target::Overview, "Overview"),
        (Target::Search, "Search stacks, scenarios and runs"),
        (Target::Jobs, "Jobs"),
    ];
    let others = others.into_iter().map(|(target, text)| Link::new(links, &target, text));
    let body = Body { title, message, others: others.filter(|link| link.href.is_some()).collect() };
    Page {
        title: title.to_owned(),
        crumbs: crumbs(links, None, title),
        body: Html::of(&body),
        ..Page::default()
    }
}
