//! Whether every link of a site leads to something.

use std::collections::{BTreeMap, BTreeSet};

/// The links of a page, and the anchors in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refs {
    /// Addresses of links, scripts and style sheets.
    pub to: BTreeSet<String>,
    /// Identifiers of elements.
    pub ids: BTreeSet<String>,
}

impl Refs {
    /// The links of a page of this lab: attributes are in double quotes, and text contains no quotes.
    pub(crate) fn of(html: &str) -> Self {
        let mut refs = Self::default();
        for name in [" href=\"", " src=\""] {
            refs.to.extend(values(html, name));
        }
        refs.ids.extend(values(html, " id=\""));
        refs
    }
}

fn values(html: &str, name: &str) -> Vec<String> {
    let starts = html.match_indices(name).map(|(at, _)| &html[at + name.len()..]);
    starts.filter_map(|rest| rest.split_once('"')).map(|(value, _)| unescaped(value)).collect()
}

fn unescaped(text: &str) -> String {
    let pairs = [
        ("&#38;", "&"),
        ("&amp;", "&"),
        ("&#39;", "'"),
        ("&#34;", "\""),
        ("&quot;", "\""),
        ("&#60;", "<"),
        ("&#62;", ">"),
    ];
    // The ampersand last, so that nothing is unescaped twice.
    let rest = pairs[2..].iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    rest.replace(pairs[0].0, "&").replace(pairs[1].0, "&")
}

/// The broken links: page and address. `pages` has each page's links, `files` every file of the site.
pub(crate) fn broken(pages: &BTreeMap<String, Refs>, files: &BTreeSet<String>) -> Vec<(String, String)> {
    let mut broken = Vec::new();
    for (page, refs) in pages {
        for address in &refs.to {
            if !leads(page, address, pages, files) {
                broken.push((page.clone(), address.clone()));
            }
        }
    }
    broken
}

fn leads(page: &str, address: &str, pages: &BTreeMap<String, Refs>, files: &BTreeSet<String>) -> bool {
    // Other sites are not asked, and data is at hand.
    if address.split(['/', '#', '?']).next().is_some_and(|start| start.contains(':')) {
        return true;
    }
    let (path, anchor) =
        address.split_once('#').map_or((address, None), |(path, anchor)| (path, Some(anchor)));
    let target = if path.is_empty() { page.to_owned() } else { joined(page, path) };
    let is_there = files.contains(&target);
    // A text with an equals sign is the state of a view.
    let anchor = anchor.filter(|anchor| !anchor.is_empty() && !anchor.contains('='));
    is_there && anchor.is_none_or(|anchor| pages.get(&target).is_none_or(|refs| refs.ids.contains(anchor)))
}

/// A relative address from a page's folder.
fn joined(page: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in relative.split('/') {
        match part {
            ".." => _ = parts.pop(),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_must_lead_to_a_file_and_to_an_element() {
        let page = r##"<h2 id="a">x</h2><a href="../b.html#there">b</a><a href="#a">a</a><a href="https://x.example/">x</a>
            <a href="c.html">c</a><a href="../b.html#gone">g</a><a href="../b.html#x=1&#38;y=2">s</a><link href="data:,"><script src="../s.js">"##;
        let pages = BTreeMap::from([
            ("p/a.html".to_owned(), Refs::of(page)),
            ("b.html".to_owned(), Refs::of("<p id=\"there\">")),
        ]);
        let files = ["p/a.html", "b.html", "s.js"].map(str::to_owned);
        let broken = broken(&pages, &BTreeSet::from(files));
        let expected = [("p/a.html", "../b.html#gone"), ("p/a.html", "c.html")];
        assert_eq!(broken, expected.map(|(page, to)| (page.to_owned(), to.to_owned())));
    }
}
