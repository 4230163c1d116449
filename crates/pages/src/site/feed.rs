//! The feed of changes: Atom, RFC 4287.

use std::fmt::Write;

use tlslab_text::html as escaped;

/// A feed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feed {
    /// Its title.
    pub title: String,
    /// Its identifier, an absolute IRI that never changes.
    pub id: String,
    /// Where the site is, with a slash at its end; empty if that is not known, and links are then relative.
    pub base: String,
    /// Its entries, newest first.
    pub entries: Vec<FeedEntry>,
}

/// An entry of a feed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeedEntry {
    /// Its identifier, an absolute IRI that never changes.
    pub id: String,
    /// The change.
    pub title: String,
    /// When, RFC 3339.
    pub updated: String,
    /// Its page, relative to the base.
    pub href: String,
    /// More, as text.
    pub summary: String,
}

/// The feed as XML.
#[must_use]
pub fn feed(feed: &Feed) -> String {
    let newest = feed.entries.iter().map(|entry| entry.updated.as_str()).max();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>{}</title>\n<id>{}</id>\n<updated>{}</updated>\n<author><name>tlslab</name></author>\n",
        xml(&feed.title),
        xml(&feed.id),
        xml(newest.unwrap_or("1970-01-01T00:00:00Z")),
    );
    if !feed.base.is_empty() {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "<link rel=\"self\" href=\"{}feed.atom\"/>", xml(&feed.base));
    }
    for entry in &feed.entries {
        let _ = writeln!(
            text,
            "<entry>\n<title>{}</title>\n<id>{}</id>\n<updated>{}</updated>\n<link href=\"{}{}\"/>\n<summary>{}</summary>\n</entry>",
            xml(&entry.title),
            xml(&entry.id),
            xml(&entry.updated),
            xml(&feed.base),
            xml(&entry.href),
            xml(&entry.summary)
        );
    }
    text + "</feed>\n"
}

/// Text in XML: without the characters that XML 1.0 does not have.
fn xml(text: &str) -> String {
    let allowed = |letter: &char| match letter {
        '\t' | '\n' | '\r' => true,
        letter => *letter >= ' ' && !matches!(letter, '\u{fffe}' | '\u{ffff}'),
    };
    escaped(&text.chars().filter(allowed).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_feed_is_markup() {
        let entry = FeedEntry {
            id: "urn:x:1".to_owned(),
            title: "a < b & \u{1}c".to_owned(),
            updated: "2026-11-25T12:00:00Z".to_owned(),
            href: "history/a.html#x=\"1\"".to_owned(),
            summary: "]]>".to_owned(),
        };
        let text = feed(&Feed {
            title: "Changes".to_owned(),
            id: "urn:x".to_owned(),
            base: "https://lab.example/".to_owned(),
            entries: vec![entry],
        });
        assert!(text.contains("<title>a &lt; b &amp; c</title>"), "{text}");
        assert!(
            text.contains("<link href=\"https://lab.example/history/a.html#x=&quot;1&quot;\"/>"),
            "{text}"
        );
        assert!(
            text.contains("<updated>2026-11-25T12:00:00Z</updated>\n<author>") && !text.contains("]]>"),
            "{text}"
        );
    }
}
