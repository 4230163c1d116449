//! Removal of characters that control a terminal.

/// The text on one line, without characters that control a terminal or change the direction of writing: they
/// become `U+FFFD`; line ends and tabs become spaces.
pub fn clean(text: &str) -> String {
    let parts = text.split(['\n', '\r', '\t', '\u{2028}', '\u{2029}']).map(str::trim);
    let line = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    line.chars().map(visible).collect()
}

/// As [`clean`], but line feeds and tabs stay.
pub fn clean_lines(text: &str) -> String {
    text.chars().map(|letter| if matches!(letter, '\n' | '\t') { letter } else { visible(letter) }).collect()
}

fn visible(letter: char) -> char {
    let turns = matches!(
        letter,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    if letter.is_control() || turns { char::REPLACEMENT_CHARACTER } else { letter }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_comes_through() {
        assert_eq!(clean("a\u{1b}[31mb\nc\u{202e}d"), "a\u{fffd}[31mb c\u{fffd}d");
        assert_eq!(clean_lines("a\u{9b}b\r\n\tc"), "a\u{fffd}b\u{fffd}\n\tc");
    }

    proptest! {
        #[test]
        fn no_text_has_anything_left_that_steers(text in any::<String>()) {
            prop_assert!(!clean(&text).chars().any(char::is_control));
            let lines = clean_lines(&text);
            prop_assert!(!lines.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\t')));
            prop_assert_eq!(clean_lines(&lines), lines);
        }
    }
}
