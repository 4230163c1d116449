//! The command line. Each flag is defined once: those of several verbs here, others in their verb's file.

mod as_of;
mod format;
mod invocation;
mod kept;
mod sandbox;
mod slicing;
pub(crate) mod values;
mod verb;

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::error::{ContextKind, ErrorKind};
use clap::{Command, CommandFactory, FromArgMatches, Parser};

pub(crate) use as_of::AsOfArgs;
pub(crate) use format::{Format, ListFormat};
pub(crate) use invocation::Invocation;
pub(crate) use kept::KeptArgs;
pub(crate) use sandbox::SandboxMode;
pub(crate) use slicing::SlicingArgs;
pub(crate) use verb::Verb;

/// Benchmarks TLS stacks: builds them from source, measures client and server apart, proves that the work was
/// the same, and shows the result with intervals.
#[derive(Parser)]
#[command(version = tlslab_tree::VERSION, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
    /// The lab's folder, with stacks/, drivers/, scenarios/ and crates/ [default: here or above, else the
    /// program's own].
    #[arg(long, global = true, env = "TLSLAB_ROOT", hide_env_values = true, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// The build cache: sources, builds and keys [default: tlslab in the user's cache folder].
    #[arg(long, global = true, env = "TLSLAB_CACHE", hide_env_values = true, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// A second build cache that is read and never written to, for jobs with untrusted code.
    #[arg(
        id = "trusted-cache",
        long,
        global = true,
        env = "TLSLAB_TRUSTED_CACHE",
        hide_env_values = true,
        value_name = "DIR"
    )]
    pub trusted_cache: Option<PathBuf>,
    /// With a sandbox: a host from which sources may be fetched over https, besides those in the lab's own
    /// recipes; or an origin such as http://forge.example:3000, for git alone.
    #[arg(
        id = "allow-host",
        long,
        global = true,
        env = "TLSLAB_ALLOW_HOSTS",
        hide_env_values = true,
        value_delimiter = ',',
        value_parser = tlslab_build::parse_allowed,
        value_name = "HOST"
    )]
    pub allow_host: Vec<String>,
    /// When builds and drivers run in a sandbox: auto (under CI, unless all stacks are released ones of the
    /// lab), require or off.
    #[arg(
        long,
        global = true,
        env = "TLSLAB_SANDBOX",
        hide_env_values = true,
        value_name = "MODE",
        default_value = "auto"
    )]
    pub sandbox: SandboxMode,
}

const EXIT_CODES: &str = "Exit status:
  0    done; every cell has a value or is unsupported for a stated reason
  1    an error; the message gives the reason
  2    the command line is wrong: an option, or the name of something that does not exist
  3    done, but at least one cell or build failed; the result says which and why
  4    --fail-on found a change of the given kind
  130  interrupted; run and compare resume with --resume, other verbs with the same command

A stack is NAME[@VERSION][+VARIANT]..., such as openssl, rustls/ring@0.23.36, openssl+clang+lto.
Its version may also be path:DIR, git:URL#REV, patch:FILE or system. `tlslab stacks` lists names,
`tlslab versions NAME` versions.";

/// The verbs in groups, for the help.
pub(crate) const GROUPS: [(&str, &[&str]); 6] = [
    ("Measure", &["run", "run-all", "choose", "standings", "reproduce", "build"]),
    ("Compare", &["compare", "bisect", "comment"]),
    ("Explain", &["anomalies", "profile", "contention", "scaling", "diff", "fidelity", "doctor", "validate"]),
    (
        "History",
        &[
            "history",
            "backfill",
            "watch",
            "annotate",
            "acknowledge",
            "report",
            "runs",
            "site",
            "export",
            "import",
        ],
    ),
    ("Serve", &["serve", "submit", "runner"]),
    (
        "Manage",
        &[
            "stacks",
            "versions",
            "scenarios",
            "cache",
            "copy",
            "prune",
            "recompute",
            "requests",
            "schema",
            "self-check",
            "completions",
            "man",
            "work",
        ],
    ),
];

/// What `--version` prints: also where the lab's files are.
fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let named = std::env::var_os("TLSLAB_ROOT").map(PathBuf::from);
        let files = match tlslab_lab::locate(named) {
            Ok(Some((folder, origin))) => format!("{} ({origin})", folder.display()),
            Ok(None) => "built into the program".to_owned(),
            Err(cause) => format!("{cause:#}"),
        };
        format!("{}\nfiles: {files}", tlslab_tree::VERSION)
    });
    &TEXT
}

/// The command line for its descriptions: documents, manual pages and completions.
pub(crate) fn plain_command() -> Command {
    Cli::command().version(env!("CARGO_PKG_VERSION"))
}

/// The command line with its verbs listed in groups.
fn command() -> Command {
    let command = Cli::command();
    let about = |name: &str| {
        let verb = command.get_subcommands().find(|verb| verb.get_name() == name);
        verb.and_then(Command::get_about).map(ToString::to_string).unwrap_or_default()
    };
    let mut listed = String::new();
    for (title, verbs) in GROUPS {
        listed.push_str(&format!("\n{title}:\n"));
        for name in verbs {
            listed.push_str(&format!("  {name:11} {}\n", about(name)));
        }
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{listed}\nOptions:\n{{options}}{{after-help}}"
    );
    command.help_template(template).long_version(long_version())
}

/// The command line of this process; ends the process if it is wrong.
pub(crate) fn parse() -> (Cli, Invocation) {
    let matches = command().try_get_matches().unwrap_or_else(|error| match error.kind() {
        // Without a verb, the help's groups are more useful than one line with all verbs.
        ErrorKind::MissingSubcommand if is_at_top(&error) => {
            let _ = command().write_help(&mut std::io::stderr());
            std::process::exit(2);
        }
        _ => error.exit(),
    });
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    (cli, Invocation::of(Cli::command(), &matches))
}

/// Whether an error is of the command itself, not of one of its verbs.
fn is_at_top(error: &clap::Error) -> bool {
    error.get(ContextKind::InvalidSubcommand).is_some_and(|command| !command.to_string().contains(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_verb_is_in_one_group_of_the_help() {
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, verbs)| verbs.iter().copied()).collect();
        listed.sort_unstable();
        let command = Cli::command();
        let mut verbs: Vec<&str> =
            command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(Command::get_name).collect();
        verbs.sort_unstable();
        assert_eq!(listed, verbs);
    }
}
