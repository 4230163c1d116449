//! Commands in comments on pull requests.

use std::str::FromStr;

use tlslab_record::Seconds;

/// What begins a command.
const PREFIX: &str = "/tlslab";

/// The largest regression that can be accepted, percent.
const MOST_ACCEPTED: f64 = 10_000.0;
/// Characters of a reason that are kept.
const LONGEST_REASON: usize = 500;

/// What a comment asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    /// Measures the pull request as it is now.
    Compare(CompareCommand),
    /// Cancels its jobs.
    Cancel,
    /// Accepts the regression of its head.
    Accept {
        /// Up to which size, percent.
        percent: f64,
        /// Why.
        reason: String,
    },
    /// Says where its jobs stand.
    Status,
    /// Says what can be asked for.
    Help,
    /// It cannot be understood: why.
    Unknown(String),
}

/// `compare [suite] [budget] [stack…]`.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct CompareCommand {
    /// Another suite than the project's.
    pub suite: Option<String>,
    /// Another time than the project's.
    pub budget: Option<Seconds>,
    /// Some of the project's stacks.
    pub stacks: Vec<String>,
}

/// What can be asked for, in Markdown.
pub(crate) const HELP: &str = "`/tlslab compare [suite] [budget] [stack…]` measures the pull request as it is now, `/tlslab cancel` cancels, \
                        `/tlslab accept PERCENT reason` accepts its regression up to that size, `/tlslab status` shows where it stands. A budget is a time such as `2m`.";

/// The command of a comment, which begins in the first column of its first line with `/tlslab` or with the
/// service's own name. Code, quotes and HTML comments begin otherwise, and nothing of what follows is read.
pub(crate) fn read(text: &str, own_name: &str, stacks: &[String]) -> Option<Command> {
    let mention = format!("@{own_name}");
    let line = text.lines().next().filter(|line| !line.starts_with(char::is_whitespace))?;
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let is_command = first == PREFIX || !own_name.is_empty() && first.eq_ignore_ascii_case(&mention);
    let words: Vec<&str> = is_command.then(|| words.collect())?;
    Some(match words.split_first() {
        None => Command::Help,
        Some((&"compare", rest)) => compare(rest, stacks),
        Some((&"cancel", [])) => Command::Cancel,
        Some((&"accept", rest)) => accept(rest),
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

/// `accept 2.5 % reason`, with or without the space.
fn accept(words: &[&str]) -> Command {
    let usage = || {
        Command::Unknown("Write a size in percent and a reason, as in `accept 2.5% safer parsing`".to_owned())
    };
    let Some((size, reason)) = words.split_first() else { return usage() };
    let reason = if reason.first() == Some(&"%") { &reason[1..] } else { reason };
    let percent = size.trim_end_matches('%').parse::<f64>().ok();
    let percent = percent.filter(|percent| *percent > 0.0 && *percent <= MOST_ACCEPTED);
    let reason: String = tlslab_text::clean(&reason.join(" ")).chars().take(LONGEST_REASON).collect();
    match percent {
        Some(percent) if !reason.is_empty() => Command::Accept { percent, reason },
        _ => usage(),
    }
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

    fn read_command(text: &str) -> Option<Command> {
        read(text, "lab-bot", &["tiny".to_owned(), "tiny+O3".to_owned()])
    }

    #[test]
    fn commands_are_read() {
        assert_eq!(read_command("looks good"), None);
        assert_eq!(read_command("> /tlslab compare"), None, "it is quoted");
        assert_eq!(read_command("/tlslab cancel\nthanks"), Some(Command::Cancel));
        let accept = |percent, reason: &str| Some(Command::Accept { percent, reason: reason.to_owned() });
        assert_eq!(read_command("/tlslab accept 2.5% safer parsing"), accept(2.5, "safer parsing"));
        assert_eq!(read_command("/tlslab accept 12 % because"), accept(12.0, "because"));
        assert_eq!(read_command("@Lab-Bot status"), Some(Command::Status));
        assert_eq!(read_command("@lab-botx status"), None);
        assert_eq!(read_command("/tlslab"), Some(Command::Help));
        let asked = Command::Compare(CompareCommand {
            suite: Some("quick".to_owned()),
            budget: Some("2m".parse().unwrap()),
            stacks: vec!["tiny+O3".to_owned()],
        });
        assert_eq!(read_command("/tlslab compare quick 2m tiny+O3"), Some(asked));
        for wrong in [
            "/tlslab destroy",
            "/tlslab compare 2parsecs",
            "/tlslab compare ../x",
            "/tlslab compare a b",
            "/tlslab accept",
            "/tlslab accept 2%",
            "/tlslab accept -1 x",
            "/tlslab accept NaN x",
            "/tlslab accept much x",
        ] {
            assert!(matches!(read_command(wrong), Some(Command::Unknown(_))), "{wrong}");
        }
    }

    #[test]
    fn only_the_first_line_of_a_comment_is_a_command() {
        for text in [
            "you can write\n```\n/tlslab compare\n```",
            "```\n/tlslab compare\n```",
            "<!--\n/tlslab compare\n-->",
            "<!-- /tlslab compare -->",
            "well\n/tlslab compare",
            "\n/tlslab compare",
            "    /tlslab compare",
            "\t/tlslab compare",
            "`/tlslab compare`",
            "> /tlslab compare",
            "/TLSLAB compare",
        ] {
            assert_eq!(read_command(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in ".{0,200}", words in "[a-z@/0-9 `*<>\\[\\]()-]{0,60}") {
            let _ = read_command(&text);
            if let Some(Command::Unknown(why)) = read_command(&format!("/tlslab {words}")) {
                prop_assert!(!why.contains(['<', '>', '`', '*', '@', '[', ']']), "{}", why);
            }
        }
    }
}
