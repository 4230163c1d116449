//! A page before it is put into its frame.

use serde::Serialize;

use crate::asset::{Asset, COMMON};
use crate::embed::{Html, json};
use crate::links::{Link, Links};
use crate::target::Section;

/// A page: its text, its data and its own assets.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The title of the window, without the lab's name.
    pub title: String,
    /// The entry of the navigation that it belongs to.
    pub section: Option<Section>,
    /// Its breadcrumbs, outermost first; the page itself is the last.
    pub crumbs: Vec<Link>,
    /// Its parts, for a navigation within the page.
    pub parts: Vec<Part>,
    /// The contents of `main`.
    pub body: Html,
    /// Data of its scripts.
    pub data: Vec<Data>,
    /// The page's style sheets and scripts, in order.
    pub assets: Vec<Asset>,
    /// Lines at its foot.
    pub foot: Vec<Html>,
    /// The signed-in person, if the service allows signing in.
    pub signed_in: Option<String>,
    /// An Atom feed on the subject of the page.
    pub feed: Option<String>,
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The identifier of its element.
    pub id: &'static str,
    /// Its title in the navigation.
    pub title: &'static str,
    /// Whether it is empty without scripts.
    pub needs_script: bool,
}

/// Data for the page's scripts: JSON in an element with this identifier.
#[derive(Clone, Debug)]
pub struct Data {
    pub(crate) id: &'static str,
    pub(crate) json: Html,
}

impl Data {
    /// A value as data.
    #[must_use]
    pub fn new(id: &'static str, value: &impl Serialize) -> Self {
        Self { id, json: json(value) }
    }
}

impl Page {
    /// All assets: those of every page, then its own.
    pub fn all_assets(&self) -> impl Iterator<Item = &Asset> {
        COMMON.iter().chain(&self.assets)
    }

    /// The content security policy: no other host, no inline handler, no style attribute.
    #[must_use]
    pub fn policy(&self, links: &dyn Links) -> String {
        let of = |is_script: bool| {
            let assets = self.all_assets().filter(move |asset| asset.is_script() == is_script);
            let mut sources: Vec<String> = assets
                .map(|asset| match links.asset(asset) {
                    Some(_) => "'self'".to_owned(),
                    None => asset.policy_hash(),
                })
                .collect();
            sources.dedup();
            sources.join(" ")
        };
        format!(
            "default-src 'none'; style-src {}; script-src {}; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'",
            of(false),
            of(true)
        )
    }
}
