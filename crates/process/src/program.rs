//! A program before its start: what to run, with which inputs and settings.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::channel::ChannelEnd;

/// A program and its settings. It starts with [`Program::spawn`].
///
/// The environment contains only given variables, so that a result does not depend on the caller's shell;
/// [`Program::inherit_environment`] starts from the lab's instead.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a program runs when it is spawned"]
pub struct Program {
    /// The file to execute. A bare name is looked up in the `PATH` that the program gets; a relative path
    /// starts from the lab's working directory.
    pub path: PathBuf,
    /// The arguments, without the program's own name.
    pub args: Vec<OsString>,
    /// Variables to set; a later one replaces an earlier one of the same name.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether the lab's own environment comes first.
    pub inherits_environment: bool,
    /// The working directory; the lab's by default.
    pub directory: Option<PathBuf>,
    /// Standard input.
    pub stdin: Input,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
    /// Its end of a channel to the lab.
    pub channel: Option<ChannelEnd>,
    /// The only CPU it may run on.
    pub cpu: Option<usize>,
    /// Whether address-space randomisation is off, so that its addresses repeat from run to run.
    pub fixed_addresses: bool,
    /// Its scheduling priority, from -20 (first) to 19 (last); the lab's by default.
    pub nice: Option<i32>,
}

/// The source of a program's input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// Nothing to read.
    #[default]
    Null,
    /// The lab writes: [`Supervised::stdin`](crate::Supervised::stdin).
    Piped,
}

/// The destination of a program's output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// Nowhere.
    #[default]
    Null,
    /// The lab reads: [`Supervised::stdout`](crate::Supervised::stdout),
    /// [`Supervised::stderr`](crate::Supervised::stderr).
    Piped,
    /// To the end of this file, which is created if it does not exist; both streams can share it.
    File(PathBuf),
}

impl Program {
    /// A program without arguments, environment, input or output.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            args: Vec::new(),
            environment: Vec::new(),
            inherits_environment: false,
            directory: None,
            stdin: Input::Null,
            stdout: Output::Null,
            stderr: Output::Null,
            channel: None,
            cpu: None,
            fixed_addresses: false,
            nice: None,
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets a variable.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Sets variables.
    pub fn envs<N: AsRef<OsStr>, V: AsRef<OsStr>>(self, variables: impl IntoIterator<Item = (N, V)>) -> Self {
        variables.into_iter().fold(self, |program, (name, value)| program.env(name, value))
    }

    /// Starts from the lab's environment instead of an empty one.
    pub fn inherit_environment(mut self) -> Self {
        self.inherits_environment = true;
        self
    }

    /// Sets the working directory.
    pub fn directory(mut self, directory: impl AsRef<Path>) -> Self {
        self.directory = Some(directory.as_ref().to_owned());
        self
    }

    /// Sets standard input.
    pub fn stdin(mut self, stdin: Input) -> Self {
        self.stdin = stdin;
        self
    }

    /// Sets standard output.
    pub fn stdout(mut self, stdout: Output) -> Self {
        self.stdout = stdout;
        self
    }

    /// Sets standard error.
    pub fn stderr(mut self, stderr: Output) -> Self {
        self.stderr = stderr;
        self
    }

    /// Gives it its end of a channel to the lab.
    pub fn channel(mut self, end: impl Into<Option<ChannelEnd>>) -> Self {
        self.channel = end.into();
        self
    }

    /// Binds it to one CPU.
    pub fn cpu(mut self, cpu: impl Into<Option<usize>>) -> Self {
        self.cpu = cpu.into();
        self
    }

    /// Turns address-space randomisation off, or leaves it as it is.
    pub fn fixed_addresses(mut self, fixed: bool) -> Self {
        self.fixed_addresses = fixed;
        self
    }

    /// Sets its scheduling priority.
    pub fn nice(mut self, nice: impl Into<Option<i32>>) -> Self {
        self.nice = nice.into();
        self
    }
}
