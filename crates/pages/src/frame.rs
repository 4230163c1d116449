//! The parts of all pages: head, navigation, breadcrumbs, foot.

use askama::Template;

use crate::asset::Asset;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::Page;
use crate::target::{Section, Target};

#[derive(Template)]
#[template(path = "frame.html")]
struct Frame<'p> {
    page: &'p Page,
    policy: String,
    home: Option<String>,
    search: Option<String>,
    account: Option<Link>,
    sections: Vec<Entry>,
    styles: Vec<Placed>,
    scripts: Vec<Placed>,
}

struct Entry {
    title: &'static str,
    href: String,
    is_current: bool,
}

/// An asset: its address, or its text.
enum Placed {
    At(String),
    Here(Html),
}

impl Page {
    /// The page in its frame, a complete document. If `links` has no address for an asset, the document holds
    /// the asset.
    #[must_use]
    pub fn html(&self, links: &dyn Links) -> String {
        let placed = |is_script: bool| {
            let assets = self.all_assets().filter(move |asset| asset.is_script() == is_script);
            assets.map(|asset| place(asset, links)).collect()
        };
        let sections = Section::ALL.into_iter().filter_map(|section| {
            let href = links.to(&section.target())?;
            Some(Entry { title: section.title(), href, is_current: self.section == Some(section) })
        });
        let frame = Frame {
            page: self,
            policy: self.policy(links),
            home: links.to(&Target::Overview),
            search: links.to(&Target::Search),
            account: links.to(&Target::SignIn).map(|_| account(self.signed_in.as_deref(), links)),
            sections: sections.collect(),
            styles: placed(false),
            scripts: placed(true),
        };
        Html::of(&frame).as_str().to_owned()
    }
}

/// The link to sign in, or the name of the signed-in person.
fn account(signed_in: Option<&str>, links: &dyn Links) -> Link {
    let text = signed_in.map_or_else(|| "Sign in".to_owned(), |name| format!("Signed in as {name}"));
    Link::new(links, &Target::SignIn, text)
}

/// A page for a signed-in person, from one that was made for everybody.
#[must_use]
pub fn with_account(html: &str, name: &str, links: &dyn Links) -> String {
    let [nobody, somebody] = [None, Some(name)].map(|name| account(name, links).html());
    html.replacen(nobody.as_str(), somebody.as_str(), 1)
}

fn place(asset: &Asset, links: &dyn Links) -> Placed {
    match links.asset(asset) {
        Some(address) => Placed::At(address),
        // A policy names the digest of the exact text between the tags.
        None => Placed::Here(Html::markup(asset.text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use crate::asset::COMMON;
    use crate::links::{Alone, Link, Served};

    use super::*;

    #[test]
    fn a_file_holds_its_assets_and_a_served_page_names_them() {
        let page = Page {
            title: "a <b>".to_owned(),
            section: Some(Section::Runs),
            crumbs: vec![Link::none("a <b>")],
            ..Page::default()
        };
        let file = page.html(&Alone);
        assert!(file.contains("<title>a &#60;b&#62; · tlslab</title>"), "{file}");
        for asset in COMMON {
            assert!(file.contains(asset.text), "{}", asset.name);
            assert!(file.contains(&asset.policy_hash().replace('\'', "&#39;")), "{}", asset.name);
        }
        assert!(!file.contains("unsafe-inline") && !file.contains("aria-label=\"Site\""));
        let served = page.html(&Served { has: |target| *target != Target::Jobs });
        assert!(served.contains(&format!("src=\"/assets/{}\"", COMMON[2].file_name())), "{served}");
        assert!(served.contains("<a href=\"/runs\" aria-current=\"page\">Runs</a>"), "{served}");
        assert!(!served.contains("href=\"/jobs\""), "{served}");
    }

    #[test]
    fn no_asset_ends_its_own_element() {
        for asset in COMMON {
            assert!(!asset.text.contains("</"), "{} would end its element", asset.name);
        }
    }
}
