//! Breadcrumbs of a service's pages.

use crate::links::{Link, Links};
use crate::target::Target;

/// The overview, a list perhaps, and the page itself.
pub(super) fn crumbs(links: &dyn Links, between: Option<(Target, &str)>, own: &str) -> Vec<Link> {
    let mut crumbs = vec![Link::new(links, &Target::Overview, "Overview")];
    crumbs.extend(between.map(|(target, text)| Link::new(links, &target, text)));
    crumbs.push(Link::none(own));
    crumbs
}
