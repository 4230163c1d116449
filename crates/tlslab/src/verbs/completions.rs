//! `tlslab completions` and `tlslab man`: the help, for shells and for `man`.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;
use tlslab_job::Status;

use crate::output;

/// Arguments of `completions`.
#[derive(Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Args)]
pub(crate) struct ManArgs {
    /// The folder, which is created.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Prints the script of a shell.
pub(crate) fn completions(args: &CompletionsArgs, mut command: Command) -> Status {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "tlslab", &mut script);
    // It consists only of words of the help.
    output::coloured(&String::from_utf8_lossy(&script));
    Status::Done
}

/// Writes a page for the command and one for each verb.
pub(crate) fn man(args: &ManArgs, command: Command) -> anyhow::Result<Status> {
    let folder = &args.folder;
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    Ok(Status::Done)
}
