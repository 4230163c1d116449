//! Text from outside made safe to print, and text broken into lines.

/// The first line of an error; what follows is the end of a log.
pub(super) fn first_line(text: &str) -> &str {
    text.trim_start().lines().next().unwrap_or_default()
}

/// Names and reasons come from drivers and files. Whatever steers a terminal or turns the direction of writing is
/// replaced, so that a name cannot forge a line of the report.
pub(super) fn clean(text: &str) -> String {
    let steers = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let words = text.split(['\n', '\r', '\t']).map(str::trim).filter(|part| !part.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    line.chars().map(|letter| if steers(letter) { '\u{fffd}' } else { letter }).collect()
}

/// How many columns a text takes; every letter counts as one.
pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}

/// At most `most` columns, the rest replaced by `…`.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// Lines of at most `most` columns; all but the first are indented by `hang`. A word that is too long is cut.
pub(super) fn wrapped(text: &str, most: usize, hang: usize) -> Vec<String> {
    let most = most.max(hang + 8);
    let mut lines = Vec::new();
    let words = text.trim_start();
    let mut line = " ".repeat(text.len() - words.len());
    for word in words.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        if !line.trim().is_empty() && width(&line) + 1 + word.len() > most {
            lines.push(std::mem::replace(&mut line, " ".repeat(hang)));
        } else if !line.trim().is_empty() {
            line.push(' ');
        }
        while width(&line) + word.len() > most {
            let rest = word.split_off(most - width(&line));
            line.extend(word);
            lines.push(std::mem::replace(&mut line, " ".repeat(hang)));
            word = rest;
        }
        line.extend(word);
    }
    lines.push(line);
    lines
}

/// A word of the command line as a POSIX shell must read it.
pub(super) fn shell_word(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=+@%,".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_comes_through() {
        assert_eq!(clean("a\u{1b}[31mb\nc\u{202e}d"), "a\u{fffd}[31mb c\u{fffd}d");
    }

    #[test]
    fn lines_keep_to_their_width() {
        let lines = wrapped("note: one two three fourteenletters five", 14, 2);
        assert_eq!(lines, ["note: one two", "  three", "  fourteenlett", "  ers five"]);
        assert_eq!(wrapped("", 14, 2), [""]);
        assert_eq!(shortened("abcdef", 4), "abc…");
    }

    #[test]
    fn a_shell_reads_back_what_was_meant() {
        assert_eq!(shell_word("handshake/1.3/chain+name"), "handshake/1.3/chain+name");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
