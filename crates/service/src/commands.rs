//! Commands in comments on pull requests.

use std::str::FromStr;

use tlslab_protocol::Measure;
use tlslab_record::Seconds;

/// The prefix of a project's name.
const ADDRESS: &str = "project=";
/// The prefix of a command.
const PREFIX: &str = "/tlslab";

/// The largest regression that can be accepted, percent.
const MOST_ACCEPTED: f64 = 10_000.0;
/// Characters of a reason that are kept.
const LONGEST_REASON: usize = 500;

/// The command of a comment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    /// Measures the pull request's current head.
    Compare(CompareCommand),
    /// Measures a failed or cancelled job again.
    Retry,
    /// Cancels its jobs.
    Cancel,
    /// Accepts the regression of its head.
    Accept {
        /// Up to which size, percent.
        percent: f64,
        /// Why.
        reason: String,
    },
    /// Shows the state of its jobs.
    Status,
    /// Lists the commands.
    Help,
    /// It cannot be understood: why.
    Unknown(String),
}

/// `compare [suite] [budget] [stack…] [NAME=VALUE…]`.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct CompareCommand {
    /// Another suite than the project's.
    pub suite: Option<String>,
    /// Another time than the project's.
    pub budget: Option<Seconds>,
    /// Some of the project's stacks.
    pub stacks: Vec<String>,
    /// Scenarios by pattern; after `!` those that are not measured.
    pub scenarios: Vec<String>,
    /// Other metrics than the project's.
    pub metrics: Vec<Measure>,
    /// Another baseline: a branch, a tag or a commit.
    pub against: Option<String>,
}

impl CompareCommand {
    /// How it differs from the measurement that decides a commit's status; none if it does not.
    pub(crate) fn aside(&self) -> Option<String> {
        let mut words = Vec::new();
        words.extend(self.against.as_ref().map(|against| format!("against {against}")));
        if !self.scenarios.is_empty() {
            words.push(format!("of {}", self.scenarios.join(", ")));
        }
        if !self.metrics.is_empty() {
            let names: Vec<_> = self.metrics.iter().map(|metric| metric.name()).collect();
            words.push(format!("by {}", names.join(" and ")));
        }
        (!words.is_empty()).then(|| words.join(" "))
    }
}

/// A command, and the one of the repository's projects that it names; all of them if it names none.
pub(crate) type Addressed = (Command, Option<String>);

/// Names in the projects of a repository that a command may use.
pub(crate) struct Names<'a> {
    /// The service's own account.
    pub own: &'a str,
    /// Stacks.
    pub stacks: Vec<&'a str>,
    /// Projects.
    pub projects: Vec<&'a str>,
}

/// The commands, in Markdown.
pub(crate) const HELP: &str = "`/tlslab compare [suite] [budget] [stack…]` measures the current head of the pull request, \
                               `/tlslab retry` repeats a failed or cancelled measurement, `/tlslab cancel` cancels, \
                               `/tlslab accept PERCENT reason` accepts its regression up to that size, `/tlslab status` \
                               shows its state. A budget is a time such as `2m`. With `against=v1.0`, \
                               `scenario=handshake/**`, `exclude=idle/**` or `metric=count,heap`, `compare` adds a \
                               measurement that does not change the status. `project=NAME` in a command chooses one of \
                               several projects.";

/// The command of a comment, which begins in the first column of its first line with `/tlslab` or with the
/// service's own name. Code, quotes and HTML comments begin otherwise, and the rest is not read.
pub(crate) fn read(text: &str, names: &Names<'_>) -> Option<Addressed> {
    let mention = format!("@{}", names.own);
    let line = text.lines().next().filter(|line| !line.starts_with(char::is_whitespace))?;
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let is_command = first == PREFIX || !names.own.is_empty() && first.eq_ignore_ascii_case(&mention);
    let words: Vec<&str> = is_command.then(|| words.collect())?;
    let is_address = |word: &&str| word.starts_with(ADDRESS);
    let project = words.iter().find_map(|word| word.strip_prefix(ADDRESS)).map(str::to_owned);
    if let Some(project) = project.as_deref().filter(|project| !names.projects.contains(project)) {
        let known = names.projects.join(", ");
        let why = format!("\"project={}\": this repository has the projects {known}", plain(project));
        return Some((Command::Unknown(why), None));
    }
    let words: Vec<&str> = words.into_iter().filter(|word| !is_address(word)).collect();
    let command = match words.split_first() {
        None => Command::Help,
        Some((&"compare", rest)) => compare(rest, names).unwrap_or_else(Command::Unknown),
        Some((&"retry", [])) => Command::Retry,
        Some((&"cancel", [])) => Command::Cancel,
        Some((&"accept", rest)) => accept(rest),
        Some((&"status", [])) => Command::Status,
        Some((&"help", _)) => Command::Help,
        Some((&"retry" | &"cancel" | &"status", _)) => {
            Command::Unknown(format!("`{}` takes no argument but `project=NAME`", words[0]))
        }
        Some((word, _)) => Command::Unknown(format!("\"{}\" is not a command", plain(word))),
    };
    Some((command, project))
}

fn compare(words: &[&str], names: &Names<'_>) -> Result<Command, String> {
    let mut command = CompareCommand::default();
    for word in words {
        if names.stacks.contains(word) {
            command.stacks.push((*word).to_owned());
        } else if let Some((name, value)) = word.split_once('=') {
            set(&mut command, name, value)?;
        } else if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            command.budget = Some(budget(word)?);
        } else if command.suite.is_none() && is_suite(word) {
            command.suite = Some((*word).to_owned());
        } else {
            let known = names.stacks.join(", ");
            return Err(format!("\"{}\" is neither a suite, a time nor one of: {known}", plain(word)));
        }
    }
    Ok(Command::Compare(command))
}

fn budget(word: &str) -> Result<Seconds, String> {
    Seconds::from_str(word).map_err(|cause| format!("the budget \"{}\": {cause}", plain(word)))
}

/// `NAME=VALUE`, with several values after commas if the name allows them.
fn set(command: &mut CompareCommand, name: &str, value: &str) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("\"{}={}\": {why}", plain(name), plain(value)));
    let is_all = |is_good: fn(&str) -> bool| value.split(',').all(is_good);
    match name {
        "suite" if is_suite(value) => command.suite = Some(value.to_owned()),
        "budget" => command.budget = Some(budget(value)?),
        "scenario" | "include" if is_all(is_pattern) => {
            command.scenarios.extend(value.split(',').map(str::to_owned));
        }
        "exclude" if is_all(is_pattern) => {
            command.scenarios.extend(value.split(',').map(|pattern| format!("!{pattern}")));
        }
        "scenario" | "include" | "exclude" => return wrong("write a pattern over names of scenarios"),
        "metric" | "metrics" => {
            for word in value.split(',') {
                match serde_json::from_value::<Measure>(word.into()) {
                    Ok(metric) => command.metrics.push(metric),
                    Err(_) => return wrong(&format!("there is no metric \"{}\"", plain(word))),
                }
            }
        }
        "against" if is_reference(value) => command.against = Some(value.to_owned()),
        "against" => return wrong("write a branch, a tag or a commit"),
        _ => {
            let known = "suite, budget, scenario, exclude, metric, against";
            return wrong(&format!("unknown; the names are {known}"));
        }
    }
    Ok(())
}

/// A pattern over names of scenarios: it is part of a comment, too.
fn is_pattern(text: &str) -> bool {
    (1..=200).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./+*?{}".contains(&b))
}

/// A git reference that may be part of an address and of a comment.
fn is_reference(text: &str) -> bool {
    (1..=200).contains(&text.len())
        && !text.starts_with(['-', '/', '.'])
        && !text.contains("..")
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./+".contains(&b))
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
        let names = Names { own: "lab-bot", stacks: vec!["tiny", "tiny+O3"], projects: vec!["p", "q"] };
        read(text, &names).map(|(command, _)| command)
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
            ..CompareCommand::default()
        });
        assert_eq!(read_command("/tlslab compare quick 2m tiny+O3"), Some(asked));
        let text = "/tlslab compare project=q scenario=handshake/** exclude=idle/*,bulk/* metric=count,wire against=v/1.0";
        let Some(Command::Compare(asked)) = read_command(text) else { panic!("{text}") };
        let names = Names { own: "lab-bot", stacks: Vec::new(), projects: vec!["p", "q"] };
        for text in [
            text,
            "/tlslab retry project=q",
            "/tlslab accept project=q 2% because",
            "/tlslab project=q cancel",
        ] {
            let (command, project) = read(text, &names).unwrap();
            assert_eq!(project.as_deref(), Some("q"), "{text}");
            assert!(!matches!(command, Command::Unknown(_)), "{text}: {command:?}");
        }
        assert_eq!(asked.scenarios, ["handshake/**", "!idle/*", "!bulk/*"]);
        assert_eq!(
            asked.aside().unwrap(),
            "against v/1.0 of handshake/**, !idle/*, !bulk/* by count and wire"
        );
        assert_eq!(read_command("/tlslab retry"), Some(Command::Retry));
        for wrong in [
            "/tlslab destroy",
            "/tlslab compare 2parsecs",
            "/tlslab compare ../x",
            "/tlslab compare a b",
            "/tlslab compare project=r",
            "/tlslab cancel project=",
            "/tlslab retry everything",
            "/tlslab compare against=--upload-pack",
            "/tlslab compare against=a..b",
            "/tlslab compare metric=speed",
            "/tlslab compare scenario=",
            "/tlslab compare scenario=`x`",
            "/tlslab compare colour=red",
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
