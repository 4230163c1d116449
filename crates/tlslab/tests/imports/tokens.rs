//! Rust source as tokens, as far as names and paths need them.

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    Name(String),
    /// `::`
    Separator,
    Mark(char),
    /// A string, a character, a lifetime or a number.
    Other,
}

impl Token {
    /// The text of a name.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// All tokens, without comments.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (token, end) = if let Some(end) = end_of_comment(rest) {
            (None, end)
        } else if let Some(end) = end_of_string(rest) {
            (Some(Token::Other), end)
        } else if first == '\'' {
            (Some(Token::Other), end_of_quoted(rest))
        } else if is_in_name(first) {
            let end = end_of_name(rest);
            let is_number = first.is_ascii_digit();
            (Some(if is_number { Token::Other } else { Token::Name(rest[..end].to_owned()) }), end)
        } else if rest.starts_with("::") {
            (Some(Token::Separator), 2)
        } else {
            ((!first.is_whitespace()).then_some(Token::Mark(first)), first.len_utf8())
        };
        tokens.extend(token);
        rest = &rest[end..];
    }
    tokens
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn end_of_name(rest: &str) -> usize {
    rest.find(|c| !is_in_name(c)).unwrap_or(rest.len())
}

/// The end of the comment that begins here; `None` if none does.
fn end_of_comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if !rest.starts_with("/*") {
        return None;
    }
    let (mut depth, mut at) = (0, 0);
    loop {
        match &rest.as_bytes()[at..] {
            [] => return Some(at),
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

/// The end of the string that begins here, with its prefix and its quotes; `None` if none does.
fn end_of_string(rest: &str) -> Option<usize> {
    let quote = rest.find('"')?;
    let (letters, hashes) = rest[..quote].split_at(rest[..quote].trim_end_matches('#').len());
    let is_raw = letters.ends_with('r');
    if !["", "b", "c", "r", "br", "cr"].contains(&letters) || !is_raw && !hashes.is_empty() {
        return None;
    }
    let open = quote + 1;
    if is_raw {
        let close = format!("\"{hashes}");
        return rest[open..].find(&close).map(|at| open + at + close.len());
    }
    let mut is_escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(open) {
        if byte == b'"' && !is_escaped {
            return Some(at + 1);
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    None
}

/// The end of the character or the lifetime that begins with this quote.
fn end_of_quoted(rest: &str) -> usize {
    let behind = &rest[1..];
    let first = behind.chars().next().map_or(0, char::len_utf8);
    if behind.starts_with('\\') {
        // The character behind the backslash may be a quote.
        return 3 + behind[2..].find('\'').map_or(0, |at| at + 1);
    }
    if behind[first..].starts_with('\'') { first + 2 } else { 1 + end_of_name(behind) }
}

#[test]
fn neither_comments_nor_strings_hold_names() {
    let text = r####"a // b "c
        /* d /* e */ f */ 'g' g2::<'h> '\'' '"' b"i \" j" r#"k " l"# c"m" '\u{1F600}' '–' n.0"####;
    let names: Vec<String> = tokens(text).iter().filter_map(Token::name).map(str::to_owned).collect();
    assert_eq!(names, ["a", "g2", "n"]);
}
