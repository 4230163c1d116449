//! `tlslab completions` and `tlslab man`: the help, for shells and for `man`.

use std::fs;

use anyhow::Context;
use tlslab_lab::Status;

use crate::cli::{CompletionsArgs, ManArgs, plain_command};
use crate::output;

/// Prints the script of a shell.
pub fn completions(args: &CompletionsArgs) -> Status {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut plain_command(), "tlslab", &mut script);
    // It is made of the help's own words alone.
    output::coloured(&String::from_utf8_lossy(&script));
    Status::Done
}

/// Writes a page for the command and one for each verb.
pub fn man(args: &ManArgs) -> anyhow::Result<Status> {
    let folder = &args.folder;
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    clap_mangen::generate_to(plain_command(), folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    Ok(Status::Done)
}
