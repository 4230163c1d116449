//! `tlslab runner`: takes jobs from a service.

use std::path::{PathBuf, absolute};

use anyhow::Context;
use tlslab_lab::{Cancel, Status, read_bounded};
use tlslab_runner::{Client, Runner, RunnerConfig};

use crate::cli::RunnerArgs;
use crate::session::Lab;
use crate::signals::cancel_on_signals;

/// Characters of a key.
const LONGEST_KEY: u64 = 1_024;

/// Takes jobs until Ctrl-C or SIGTERM; then the job at hand is given back, and what was measured stays.
pub fn runner(lab: &Lab, root: Option<PathBuf>, args: &RunnerArgs) -> anyhow::Result<Status> {
    let key = read_bounded(&args.key_file, LONGEST_KEY)?;
    let client = Client::new(&args.service, key.trim())?;
    let cancel = Cancel::new();
    cancel_on_signals(&cancel)?;
    let config = RunnerConfig {
        lab: std::env::current_exe().context("cannot find the lab's own program")?,
        directory: std::env::current_dir().context("cannot find the current folder")?,
        root,
        cache: Some(absolute(&lab.environment.cache)?),
        folder: absolute(&args.folder)?,
        report: Box::new(|text| errln!("{text}")),
    };
    Runner::new(config, client).run(cancel.flag(), args.once)?;
    Ok(Status::Done)
}
