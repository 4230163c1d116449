//! Where everything is that a page refers to.

use std::collections::BTreeSet;

use askama::Template;

use crate::asset::Asset;
use crate::embed::Html;
use crate::target::Target;

/// Resolves targets and assets to addresses.
pub trait Links {
    /// The address of a target; none if it has no page here.
    fn to(&self, target: &Target) -> Option<String>;
    /// The address of an asset; none if the page embeds it.
    fn asset(&self, asset: &Asset) -> Option<String>;
}

/// Where links of a single file lead: nowhere.
pub struct Alone;

impl Links for Alone {
    fn to(&self, _: &Target) -> Option<String> {
        None
    }

    fn asset(&self, _: &Asset) -> Option<String> {
        None
    }
}

/// Links between the files of a static site, relative to one of them.
pub struct Files<'s> {
    /// The files that the site has.
    pub files: &'s BTreeSet<String>,
    /// The page that has the links.
    pub from: &'s Target,
}

impl Files<'_> {
    /// The file of a target within the site.
    #[must_use]
    pub fn file(target: &Target) -> String {
        match target {
            Target::File(path) => path.clone(),
            target => format!("{}.html", target.path()),
        }
    }

    fn relative(&self, path: &str) -> String {
        let above = "../".repeat(self.from.path().matches('/').count());
        format!("{above}{path}")
    }
}

impl Links for Files<'_> {
    fn to(&self, target: &Target) -> Option<String> {
        let file = Self::file(target);
        self.files.contains(&file).then(|| self.relative(&file))
    }

    fn asset(&self, asset: &Asset) -> Option<String> {
        Some(self.relative(&format!("assets/{}", asset.file_name())))
    }
}

/// Links of a service that has its pages at the root of an address. Pages are made on request, so it decides
/// by kinds of targets.
pub struct Served {
    /// Whether a target has a page.
    pub has: fn(&Target) -> bool,
}

impl Served {
    /// The path of a target in the service's address.
    #[must_use]
    pub fn address(target: &Target) -> String {
        let path = target.path();
        match path.strip_suffix("index") {
            Some(folder) if !matches!(target, Target::File(_)) => {
                format!("/{}", folder.trim_end_matches('/'))
            }
            _ => format!("/{path}"),
        }
    }
}

impl Links for Served {
    fn to(&self, target: &Target) -> Option<String> {
        (self.has)(target).then(|| Self::address(target))
    }

    fn asset(&self, asset: &Asset) -> Option<String> {
        Some(format!("/assets/{}", asset.file_name()))
    }
}

/// A text with a link, or the text alone if there is no page for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The text.
    pub text: String,
    /// Where it leads.
    pub href: Option<String>,
}

#[derive(Template)]
#[template(
    source = r#"{% if let Some(href) = link.href %}<a href="{{ href }}">{{ link.text }}</a>{% else %}{{ link.text }}{% endif %}"#,
    ext = "html"
)]
struct Anchor<'l> {
    link: &'l Link,
}

impl Link {
    /// A text that leads to a target.
    pub fn new(links: &dyn Links, target: &Target, text: impl Into<String>) -> Self {
        Self { text: text.into(), href: links.to(target) }
    }

    /// A text alone.
    pub fn none(text: impl Into<String>) -> Self {
        Self { text: text.into(), href: None }
    }

    /// As markup.
    #[must_use]
    pub fn html(&self) -> Html {
        Html::of(&Anchor { link: self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative_to_the_page_or_addresses_or_text() {
        let run = Target::Run("20261125-120000-abcd".to_owned());
        let files = [run.clone(), Target::Overview].map(|target| Files::file(&target));
        let files = BTreeSet::from(files);
        let from_stack = Files { files: &files, from: &Target::Stack("a/b".to_owned()) };
        assert_eq!(from_stack.to(&run).unwrap(), "../runs/20261125-120000-abcd.html");
        assert_eq!(from_stack.to(&Target::Overview).unwrap(), "../index.html");
        assert_eq!(from_stack.to(&Target::Jobs), None);
        let from_overview = Files { files: &files, from: &Target::Overview };
        assert_eq!(from_overview.to(&run).unwrap(), "runs/20261125-120000-abcd.html");
        let served = Served { has: |_| true };
        assert_eq!(served.to(&Target::Runs).unwrap(), "/runs");
        assert_eq!(served.to(&Target::Overview).unwrap(), "/");
        assert_eq!(served.to(&run).unwrap(), "/runs/20261125-120000-abcd");
        assert_eq!(served.to(&Target::File("api/index".to_owned())).unwrap(), "/api/index");
        assert_eq!(Link::new(&Alone, &run, "<x>").html().as_str(), "&#60;x&#62;");
        assert_eq!(
            Link::new(&from_stack, &run, "x").html().as_str(),
            "<a href=\"../runs/20261125-120000-abcd.html\">x</a>"
        );
    }
}
