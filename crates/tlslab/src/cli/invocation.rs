//! Commands that messages suggest, with the options that this command was called with.

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use tlslab_lab::Problem;
use tlslab_store::Address;

/// The options that a suggested command repeats. What environment variables and defaults set needs no
/// repetition.
pub(crate) struct Invocation {
    /// The command line's definition.
    command: Command,
    verb: String,
    given: Vec<Given>,
}

/// An option on the command line.
struct Given {
    name: &'static str,
    /// Without its password.
    value: String,
    has_password: bool,
}

/// The options that name places, and the sandbox.
const PLACES: [&str; 8] =
    ["root", "cache", "trusted-cache", "sandbox", "allow-host", "out", "store", "history"];
/// The text with which a suggested command begins.
const BEGINS: &str = "`tlslab ";

impl Invocation {
    /// The options of a command line.
    pub(crate) fn of(command: Command, matches: &ArgMatches) -> Self {
        let verb = matches.subcommand_name().unwrap_or_default();
        let mut deepest = matches;
        while let Some((_, below)) = deepest.subcommand() {
            deepest = below;
        }
        let taken = PLACES.into_iter().filter(|name| takes(&command, verb, name));
        let given = taken.filter_map(|name| Given::find(deepest, name)).collect();
        let verb = verb.to_owned();
        Self { command, verb, given }
    }

    /// A text whose suggested commands, each in backticks, have the options of this one.
    pub(crate) fn complete(&self, text: &str) -> String {
        let (mut completed, mut rest) = (String::new(), text);
        while let Some(begins) = rest.find(BEGINS) {
            let words = &rest[begins + BEGINS.len()..];
            let Some(ends) = words.find('`') else { break };
            let after = begins + BEGINS.len() + ends + 1;
            completed.push_str(&rest[..begins]);
            match shlex::split(&words[..ends]).and_then(|words| self.command(words)) {
                Some(command) => completed.push_str(&command),
                None => completed.push_str(&rest[begins..after]),
            }
            rest = &rest[after..];
        }
        completed + rest
    }

    /// An error as text, with the option that is wrong instead of the field of a request.
    pub(crate) fn explain(&self, error: &anyhow::Error) -> String {
        let problem = error.chain().find_map(|cause| cause.downcast_ref::<Problem>());
        let option = problem.and_then(|problem| self.option(problem.field.as_deref()?));
        let text = format!("{error:#}");
        let field = problem.and_then(|problem| problem.field.as_deref()).unwrap_or_default();
        match option {
            Some(option) => {
                let rest = text.strip_prefix(field).and_then(|rest| rest.strip_prefix(": "));
                let rest = rest.unwrap_or(&text);
                // The thing may be the option itself.
                let rest =
                    rest.strip_prefix(&option).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(rest);
                format!("{option}: {rest}")
            }
            None => text,
        }
    }

    /// The option that sets a field of a request: `budget_s` is --budget.
    fn option(&self, field: &str) -> Option<String> {
        let verb = self.command.find_subcommand(&self.verb)?;
        let names = [field, field.trim_end_matches("_s")];
        let is_it = |arg: &&clap::Arg, name: &str| arg.get_id() == name || arg.get_long() == Some(name);
        let found = names.iter().find_map(|name| verb.get_arguments().find(|arg| is_it(arg, name)));
        found.and_then(|arg| Some(format!("--{}", arg.get_long()?)))
    }

    /// The command that resumes a run.
    pub(crate) fn resume(&self, run: &str, is_comparison: bool) -> String {
        match is_comparison {
            true => self.complete(&format!("`tlslab compare --resume {run}`")),
            false => self.complete(&format!("`tlslab run --resume {run}`")),
        }
    }

    /// A command with its options, quoted for a shell; `None` if it is not one of the lab's.
    fn command(&self, words: Vec<String>) -> Option<String> {
        let verb = words.first().filter(|verb| self.command.find_subcommand(verb).is_some())?;
        // If a command names a place of runs, that one applies.
        let names = |name: &str| {
            words.iter().any(|word| {
                word.strip_prefix("--").is_some_and(|option| option.split('=').next() == Some(name))
            })
        };
        let names_runs = names("out") || names("store");
        let mut note = String::new();
        let mut line = vec!["tlslab".to_owned()];
        line.extend_from_slice(&words);
        for Given { name, value, has_password } in &self.given {
            if !takes(&self.command, verb, name)
                || names(name)
                || names_runs && ["out", "store"].contains(name)
            {
                continue;
            }
            match value.starts_with('-') {
                true => line.push(format!("--{name}={value}")),
                false => line.extend([format!("--{name}"), value.clone()]),
            }
            if *has_password {
                note = format!(" (with the password of --{name}, which is not printed)");
            }
        }
        let line = shlex::try_join(line.iter().map(String::as_str)).ok()?;
        Some(format!("`{line}`{note}"))
    }
}

impl Given {
    fn find(matches: &ArgMatches, name: &'static str) -> Option<Self> {
        let has_value = matches.ids().any(|id| id == name);
        if !has_value || matches.value_source(name) != Some(ValueSource::CommandLine) {
            return None;
        }
        if let Ok(path) = matches.try_get_one::<PathBuf>(name) {
            return Some(Self { name, value: path?.display().to_string(), has_password: false });
        }
        if ["sandbox", "allow-host"].contains(&name) {
            let values: Vec<_> = matches.get_raw(name)?.map(|value| value.to_string_lossy()).collect();
            let value = values.join(",");
            return Some(Self { name, value, has_password: false });
        }
        let address: &Address = matches.try_get_one(name).ok()??;
        Some(Self { name, value: address.text(), has_password: address.has_password() })
    }
}

/// Whether a verb has an option of this name and meaning: `profile` has an --out for something else.
fn takes(command: &Command, verb: &str, name: &str) -> bool {
    let known = match name {
        "root" | "cache" | "trusted-cache" | "sandbox" | "allow-host" => return true,
        "out" => "store",
        name => name,
    };
    command.find_subcommand(verb).is_some_and(|verb| verb.get_arguments().any(|arg| arg.get_id() == known))
}
