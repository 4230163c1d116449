//! From a [`Program`] to a [`Supervised`] one.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::error::ProcessError;
use crate::keeper::Keeper;
use crate::message::{Message, Received, Step};
use crate::orphans::{self, adopt_orphans};
use crate::program::{Input, Output, Program};
use crate::settings::Settings;
use crate::supervised::Supervised;

impl Program {
    /// Starts the program under a keeper. When this returns, the program has been executed.
    ///
    /// A program's file cannot be executed while it is open for writing. Another thread of the lab that
    /// starts a process right after the file was written keeps it open for a moment in the process it forked,
    /// so this is tried again for a while.
    ///
    /// # Errors
    /// Fails if the program cannot be executed, if one of its settings is refused, or if it cannot be
    /// supervised.
    pub fn spawn(&self) -> Result<Supervised, ProcessError> {
        adopt_orphans()?;
        let deadline = Instant::now() + BUSY;
        loop {
            match self.try_spawn() {
                Err(error) if error.is_busy() && Instant::now() < deadline => std::thread::sleep(RETRY),
                result => return result,
            }
        }
    }

    fn try_spawn(&self) -> Result<Supervised, ProcessError> {
        let settings = Settings::of(self).map_err(|(step, cause)| self.refused(step, cause))?;
        let mut command = self.command()?;
        let (lifeline_end, lifeline) = io::pipe().map_err(no_pipe)?;
        let (status, status_end) = io::pipe().map_err(no_pipe)?;
        let mut keeper = Keeper::new(lifeline_end.as_raw_fd(), status_end.as_raw_fd());
        // SAFETY: the code in the forked process only makes system calls; it neither allocates nor locks. The
        // two descriptors are open until after the fork.
        unsafe { command.pre_exec(move || keeper.split(&settings)) };
        let spawned = orphans::spawn_registered(&mut command);
        // The command holds the program's ends of the pipes, the others hold the keeper's: each would hide an
        // end from the lab.
        drop((command, lifeline_end, status_end));
        match spawned {
            Ok((child, started)) => {
                Supervised::new(self.path.clone(), child, started, lifeline.into(), status.into())
            }
            Err(cause) => Err(self.why_not_started(status.as_raw_fd(), cause)),
        }
    }

    fn command(&self) -> Result<Command, ProcessError> {
        if let Some(directory) = &self.directory
            && !directory.is_dir()
        {
            let (program, directory) = (self.path.clone(), directory.clone());
            return Err(ProcessError::Directory { program, directory });
        }
        let mut command = Command::new(executable(&self.path));
        command.args(&self.args);
        if !self.inherits_environment {
            command.env_clear();
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command.stdin(match self.stdin {
            Input::Null => Stdio::null(),
            Input::Piped => Stdio::piped(),
        });
        command.stdout(self.open(&self.stdout)?);
        command.stderr(self.open(&self.stderr)?);
        Ok(command)
    }

    fn open(&self, output: &Output) -> Result<Stdio, ProcessError> {
        match output {
            Output::Null => Ok(Stdio::null()),
            Output::Piped => Ok(Stdio::piped()),
            Output::File(path) => match File::options().create(true).append(true).open(path) {
                Ok(file) => Ok(file.into()),
                Err(cause) => {
                    let (program, file) = (self.path.clone(), path.clone());
                    Err(ProcessError::OutputFile { program, file, cause })
                }
            },
        }
    }

    /// The standard library passes on an error number; the status pipe has the step to which it belongs.
    fn why_not_started(&self, status: i32, cause: io::Error) -> ProcessError {
        while let Ok(Received::Message(message)) = Message::receive(status, None) {
            if let Message::Refused { step, errno } = message {
                return self.refused(step, io::Error::from_raw_os_error(errno));
            }
        }
        ProcessError::Start { program: self.path.clone(), cause }
    }

    fn refused(&self, step: Step, cause: io::Error) -> ProcessError {
        let (setting, next_step) = (step.describe(), step.next_step());
        ProcessError::Setting { program: self.path.clone(), setting, cause, next_step }
    }
}

/// A relative path would be looked up in the program's directory instead of the lab's.
fn executable(path: &Path) -> PathBuf {
    let is_bare_name = path.components().count() == 1 && path.is_relative();
    if is_bare_name { path.to_owned() } else { std::path::absolute(path).unwrap_or_else(|_| path.to_owned()) }
}

fn no_pipe(cause: io::Error) -> ProcessError {
    ProcessError::Unsupervised {
        what: "no pipe can be opened to the keeper",
        cause,
        next_step: "raise the limit on open files with `ulimit -n`",
    }
}

/// How long a program's file may be open for writing.
const BUSY: Duration = Duration::from_secs(5);
const RETRY: Duration = Duration::from_millis(5);
