//! Addresses of pages, and the headers of their answers.

use axum::http::HeaderValue;
use tlslab_pages::{Links, Page, Served, Target};

/// Where everything is that pages lead to.
pub(crate) const LINKS: Served = Served { has };

pub(crate) fn has(target: &Target) -> bool {
    match target {
        Target::Profile(_) | Target::Validation => false,
        // A site has comparisons as JSON alone.
        Target::File(path) => !(path.starts_with("comparisons/") && path.ends_with(".csv")),
        _ => true,
    }
}

/// Personal pages are not cached.
pub(crate) const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-store");

/// The policy of a page as a header: a page itself cannot forbid that others frame it.
pub(crate) fn policy(page: &Page, links: &dyn Links) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("{}; frame-ancestors 'none'", page.policy(links))).ok()
}
