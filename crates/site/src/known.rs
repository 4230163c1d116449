//! Links to those runs, stacks, scenarios and histories alone that a site has: a series may name others.

use tlslab_pages::{Asset, Links, Target};

/// The links of a site's pages.
pub(crate) struct Known<'l> {
    /// Whether the site has a target.
    pub has: &'l dyn Fn(&Target) -> bool,
    /// Where its targets are.
    pub links: &'l dyn Links,
}

impl Links for Known<'_> {
    fn to(&self, target: &Target) -> Option<String> {
        (self.has)(target).then(|| self.links.to(target)).flatten()
    }

    fn asset(&self, asset: &Asset) -> Option<String> {
        self.links.asset(asset)
    }
}
