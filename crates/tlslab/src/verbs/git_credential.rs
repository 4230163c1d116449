//! `tlslab git-credential`: git runs it when a code host demands a credential.

use std::io::{self, Read};

use anyhow::Context;
use clap::Args;
use tlslab_build::answer_git;
use tlslab_job::Status;

/// Arguments of `git-credential`.
#[derive(Args)]
pub(crate) struct GitCredentialArgs {
    /// Git's request: get, store or erase.
    pub action: String,
}

/// The most bytes of git's request.
const LONGEST: u64 = 64 << 10;

/// Answers git. Without a credential git has to give up; the reason is printed to standard error.
pub(crate) fn git_credential(args: &GitCredentialArgs) -> anyhow::Result<Status> {
    let mut asked = String::new();
    io::stdin().lock().take(LONGEST).read_to_string(&mut asked).context("cannot read git's request")?;
    match answer_git(&args.action, &asked) {
        Ok(answer) => out!("{answer}"),
        Err(cause) => {
            errln!("tlslab: {cause}");
            out!("quit=1\n");
        }
    }
    Ok(Status::Done)
}
