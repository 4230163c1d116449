//! Escaping of text for Markdown and HTML.

use crate::clean::clean;

/// An invisible character; inside a mention or an address it prevents the link.
const JOINER: char = '\u{2060}';

/// Escapes text for Markdown, so that it is displayed literally: no markup or HTML, no mention of people, no
/// link, no reference to an issue or commit.
pub fn markdown(text: &str) -> String {
    let mut safe = String::new();
    for word in clean(text).split_inclusive(' ') {
        let hidden = without_reference(word);
        let mut letters = hidden.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '|' | '<' | '>' | '`' | '[' | ']' | '*' | '_' | '~' | '\\' | '#' | '$' => {
                    safe.push('\\');
                    safe.push(letter);
                }
                // A name such as &commat; would become a character before mentions are detected.
                '&' => safe.push_str("&amp;"),
                letter => safe.push(letter),
            }
            // References of the forges to people, issues, merge requests, milestones, snippets and epics.
            let refers = match letter {
                '@' | '#' | '!' | '^' | '$' | '&' | '~' => letters.peek().is_some_and(|next| *next != ' '),
                '%' => letters.peek().is_some_and(|next| next.is_alphanumeric() || *next == '"'),
                _ => false,
            };
            if refers {
                safe.push(JOINER);
            }
        }
    }
    let addresses = [("://", ":\u{2060}//"), ("www.", "www\u{2060}."), ("WWW.", "WWW\u{2060}.")];
    addresses.iter().fold(safe, |safe, (address, text)| safe.replace(address, text))
}

/// Escapes a word so that neither `GH-12` nor a commit's digits are a reference.
fn without_reference(word: &str) -> String {
    let mut safe = String::new();
    let mut rest = word;
    while !rest.is_empty() {
        // A run of letters and digits, or a single other character.
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end.max(rest.chars().next().map_or(0, char::len_utf8)));
        let is_commit = run.len() >= 7
            && run.bytes().all(|byte| byte.is_ascii_hexdigit())
            && run.bytes().any(|byte| byte.is_ascii_alphabetic());
        let is_forge = run.eq_ignore_ascii_case("gh") && after.starts_with('-');
        match (is_commit, is_forge) {
            (true, _) => safe.extend([&run[..1], "\u{2060}", &run[1..]]),
            (_, true) => safe.extend([run, "\u{2060}"]),
            _ => safe.push_str(run),
        }
        rest = after;
    }
    safe
}

/// The text as inline code in Markdown, escaped.
pub fn markdown_code(text: &str) -> String {
    let inside = clean(text).replace('`', "'");
    if inside.trim().is_empty() { "(no name)".to_owned() } else { format!("`{inside}`") }
}

/// Escapes text for use between HTML tags or in an attribute.
pub fn html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_from_outside_is_markup() {
        let text = "@everyone <img src=x> ![a](https://b.example) www.c.example | `d` &commat;e #1 !2\n/close\u{202e}";
        assert_eq!(
            markdown(text),
            "@\u{2060}everyone \\<img src=x\\> !\u{2060}\\[a\\](https:\u{2060}//b.example) www\u{2060}.c.example \\| \\`d\\` \
             &amp;\u{2060}commat;e \\#\u{2060}1 !\u{2060}2 /close\u{fffd}"
        );
        assert_eq!(markdown_code("a`b\nc"), "`a'b c`");
        assert_eq!(markdown_code(" "), "(no name)");
        assert_eq!(html("<a href='x' b=\"y\">&"), "&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;");
    }

    #[test]
    fn nothing_from_outside_is_a_reference() {
        assert_eq!(markdown("GH-12 gh-3"), "GH\u{2060}-12 gh\u{2060}-3");
        assert_eq!(markdown("at 235fa10, not 1234567"), "at 2\u{2060}35fa10, not 1234567");
        assert_eq!(markdown("%4 &3 $5 ~bug"), "%\u{2060}4 &amp;\u{2060}3 \\$\u{2060}5 \\~\u{2060}bug");
        assert_eq!(markdown("5 % of #, a & b!"), "5 % of \\#\u{2060}, a &amp; b!");
        assert_eq!(markdown("handshake-12 deadbe"), "handshake-12 deadbe");
    }

    proptest! {
        #[test]
        fn no_text_has_a_tag_or_a_mention(text in any::<String>()) {
            let safe = markdown(&text);
            let follows = |sign: char| safe.char_indices().filter(move |(_, letter)| *letter == sign).map(|(at, _)| &safe[at + 1..]);
            for sign in ['@', '#', '!'] {
                prop_assert!(follows(sign).all(|after| after.starts_with([JOINER, ' ']) || after.is_empty()));
            }
            for (at, _) in safe.match_indices(['<', '>', '|', '`']) {
                let escapes = safe[..at].chars().rev().take_while(|letter| *letter == '\\').count();
                prop_assert!(escapes % 2 == 1, "{safe:?}");
            }
        }

        #[test]
        fn no_text_leaves_its_attribute(text in any::<String>()) {
            prop_assert!(!html(&text).contains(['<', '>', '"', '\'']));
        }
    }
}
