//! Words of a command line, and fields of a table.

/// The text with its first letter in upper case.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Quotes a word for a POSIX shell.
pub fn shell_word(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=+@%,".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Quotes a CSV field (RFC 4180). A text that a spreadsheet would treat as a formula gets a leading
/// apostrophe.
pub fn csv_field(field: &str) -> String {
    let is_formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']) && field.parse::<f64>().is_err();
    let field = if is_formula { format!("'{field}") } else { field.to_owned() };
    if field.contains(['"', ',', '\r', '\n']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_what_was_meant() {
        assert_eq!(shell_word("handshake/1.3/chain+name"), "handshake/1.3/chain+name");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn quotes_commas_and_line_feeds_are_quoted() {
        let fields = ["plain", "a,b", "say \"no\"", "two\nlines", ""].map(csv_field);
        assert_eq!(fields, ["plain", "\"a,b\"", "\"say \"\"no\"\"\"", "\"two\nlines\"", ""]);
    }

    #[test]
    fn no_field_is_a_formula() {
        let fields = ["=1+1", "@SUM(A1)", "+cmd|x", "-2+3", "\t=1", "-1.5", "+4", "-0"].map(csv_field);
        assert_eq!(fields, ["'=1+1", "'@SUM(A1)", "'+cmd|x", "'-2+3", "'\t=1", "-1.5", "+4", "-0"]);
    }
}
