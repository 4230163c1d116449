//! Commands in comments on pull requests.

use std::str::FromStr;

use tlslab_record::Seconds;

/// What begins a command.
const PREFIX: &str = "/tlslab";

/// What a comment asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Measures the pull request as it is now.
    Compare(CompareCommand),
    /// Cancels its jobs.
    Cancel,
    /// Says where its jobs stand.
    Status,
    /// Says what can be asked for.
    Help,
    /// It cannot be understood: why.
    Unknown(String),
}

/// `compare [suite] [budget] [stack…]`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CompareCommand {
    /// Another suite than the project's.
    pub suite: Option<String>,
    /// Another time than the project's.
    pub budget: Option<Seconds>,
    /// Some of the project's stacks.
    pub stacks: Vec<String>,
}

/// What can be asked for, in Markdown.
pub const HELP: &str = "`/tlslab compare [suite] [budget] [stack…]` measures the pull request as it is now, `/tlslab cancel` cancels, \
                        `/tlslab status` shows where it stands. A budget is a time such as `2m`.";

/// The command of a comment: its first line that begins with `/tlslab` or with the service's own name.
pub fn read(text: &str, own_name: &str, stacks: &[String]) -> Option<Command> {
    let mention = format!("@{own_name}");
    let is_quoted = |line: &str| line.starts_with('>') || line.starts_with("    ");
    let mut lines = text.lines().filter(|line| !is_quoted(line)).map(str::trim);
    let words: Vec<&str> = lines.find_map(|line| {
        let mut words = line.split_whitespace();
        let first = words.next()?;
        (first == PREFIX || !own_name.is_empty() && first.eq_ignore_ascii_case(&mention))
            .then(|| words.collect())
    })?;
    Some(match words.split_first() {
        None => Command::Help,
        Some((&"compare", rest)) => compare(rest, stacks),
        Some((&"cancel", [])) => Command::Cancel,
        Some((&"status", [])) => Command::Status,
        Some((&"help", _)) => Command::Help,
        Some((word, _)) => Command::Unknown(format!("\"{}\" is not a command", plain(word))),
    })
}

fn compare(words: &[&str], stacks: &[String]) -> Command {
    let mut command = CompareCommand::default();
    for word in words {
        if stacks.iter().any(|stack| stack == word) {
            command.stacks.push((*word).to_owned());
        } else if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            match Seconds::from_str(word) {
                Ok(budget) => command.budget = Some(budget),
                Err(cause) => return Command::Unknown(format!("the budget \"{}\": {cause}", plain(word))),
            }
        } else if command.suite.is_none() && is_suite(word) {
            command.suite = Some((*word).to_owned());
        } else {
            let known = stacks.join(", ");
            return Command::Unknown(format!(
                "\"{}\" is neither a suite, a time nor one of: {known}",
                plain(word)
            ));
        }
    }
    Command::Compare(command)
}

fn is_suite(word: &str) -> bool {
    word.len() <= 64
        && word.starts_with(|letter: char| letter.is_ascii_lowercase())
        && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
}

/// A word of a stranger's, for a message.
fn plain(word: &str) -> String {
    word.chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || "-_./+".contains(*letter))
        .take(40)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Option<Command> {
        read(text, "lab-bot", &["tiny".to_owned(), "tiny+O3".to_owned()])
    }

    #[test]
    fn commands_are_read() {
        assert_eq!(of("looks good"), None);
        assert_eq!(of("> /tlslab compare"), None, "it is quoted");
        assert_eq!(of("well\n/tlslab cancel\nthanks"), Some(Command::Cancel));
        assert_eq!(of("@Lab-Bot status"), Some(Command::Status));
        assert_eq!(of("@lab-botx status"), None);
        assert_eq!(of("/tlslab"), Some(Command::Help));
        let asked = Command::Compare(CompareCommand {
            suite: Some("quick".to_owned()),
            budget: Some("2m".parse().unwrap()),
            stacks: vec!["tiny+O3".to_owned()],
        });
        assert_eq!(of("/tlslab compare quick 2m tiny+O3"), Some(asked));
        for wrong in
            ["/tlslab destroy", "/tlslab compare 2parsecs", "/tlslab compare ../x", "/tlslab compare a b"]
        {
            assert!(matches!(of(wrong), Some(Command::Unknown(_))), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in ".{0,200}", words in "[a-z@/0-9 `*<>\\[\\]()-]{0,60}") {
            let _ = of(&text);
            if let Some(Command::Unknown(why)) = of(&format!("/tlslab {words}")) {
                prop_assert!(!why.contains(['<', '>', '`', '*', '@', '[', ']']), "{}", why);
            }
        }
    }
}
