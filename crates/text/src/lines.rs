//! Text in lines of limited width.

use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};
use unicode_width::UnicodeWidthChar;

/// The first line of an error; the others are the end of a log.
pub fn first_line(text: &str) -> &str {
    text.trim_start().lines().next().unwrap_or_default()
}

/// The width of a text, terminal columns.
pub fn width(text: &str) -> usize {
    display_width(text)
}

/// The text in at most `most` columns; if it is longer, it ends with `…`.
pub fn shortened(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let (mut short, mut columns) = (String::new(), 0);
    for letter in text.chars() {
        columns += letter.width().unwrap_or(0);
        if columns + 1 > most {
            break;
        }
        short.push(letter);
    }
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// The text in lines of at most `most` columns; all but the first are indented by `hang` columns. A longer
/// word is split.
pub fn wrapped(text: &str, most: usize, hang: usize) -> Vec<String> {
    let hanging = " ".repeat(hang);
    let options = Options::new(most.max(hang + 8))
        .subsequent_indent(&hanging)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::wrap(text, options).into_iter().map(|line| line.into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn lines_keep_to_their_width() {
        let lines = wrapped("note: one two three fourteenletters five", 14, 2);
        for line in &lines {
            assert!(width(line) <= 14, "{line:?}");
        }
        assert_eq!(lines.concat().replace(' ', ""), "note:onetwothreefourteenlettersfive");
        assert_eq!(&lines[..2], ["note: one two", "  three"]);
        assert_eq!(wrapped("  indented", 14, 2), ["  indented"]);
        assert_eq!(wrapped("", 14, 2), [""]);
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("漢字漢字", 5), "漢字…");
        assert_eq!(first_line("\n error\nlog"), "error");
    }

    #[test]
    fn a_word_without_end_takes_no_time_without_end() {
        let start = Instant::now();
        assert_eq!(wrapped(&"x".repeat(1 << 20), 100, 4).len(), 10_923);
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
