//! `tlslab run-all`: the rows of a suite as files in one folder, laid out as by the program that defines the
//! rows.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use tlslab_job::{Outcome, Request, Status};
use tlslab_lab::request::RunRequest;
use tlslab_lab::{Problem, RowFunctions};
use tlslab_text::number::counted;

use crate::cli::KeptArgs;
use crate::session::{Lab, carried_out, exit_status};

/// Arguments of `run-all`.
#[derive(Args)]
pub(crate) struct RunAllArgs {
    /// The folder for icounts.csv, memory.csv and cachegrind/ROW, files of functions in callgrind's format.
    /// It must not exist, or be empty.
    #[arg(long, value_name = "DIR", default_value = "target/ci-bench")]
    pub output_dir: PathBuf,
    /// A suite with rows.
    #[arg(long, value_name = "NAME", default_value = "ci-bench")]
    pub suite: String,
    /// Where the run is recorded.
    #[command(flatten)]
    pub kept: KeptArgs,
}

impl RunAllArgs {
    /// The request.
    pub(crate) fn request(&self) -> RunRequest {
        RunRequest { suite: Some(self.suite.clone()), functions: true, ..RunRequest::default() }
    }
}

/// The folder of profiles in the run's folder, and its name in the requested one.
const PROFILES: [&str; 2] = ["callgrind", "cachegrind"];

/// Runs the suite and copies the files of its rows.
pub(crate) fn run_all(lab: &Lab, args: &RunAllArgs) -> anyhow::Result<Status> {
    let folder = &args.output_dir;
    check_is_free(folder)?;
    let (results, request) = (args.kept.results(), Request::Run(Box::new(args.request())));
    let conditions = lab.job_of(&request, &results)?;
    let done = carried_out(lab, &results, &conditions, &request);
    exit_status(done, "interrupted; measurements are saved, and the same command resumes", |outcome| {
        let Outcome::Run(run) = &outcome else { unreachable!("a run was asked for") };
        let from = results.out.join(&run.files.folder);
        let files: Vec<String> = run.report.rows.iter().map(|file| file.name.clone()).collect();
        for file in &files {
            copy(&from.join(file), &folder.join(file))?;
        }
        let [profiles, called] = PROFILES;
        let copied = copy_all(&from.join(profiles), &folder.join(called))?;
        outln!(
            "{}: {}, {called}/ ({} in callgrind's format)",
            folder.display(),
            files.join(", "),
            counted(copied, "file")
        );
        let is_whole = run.functions != Some(RowFunctions::Interrupted);
        Ok(if is_whole { outcome.status() } else { Status::Interrupted })
    })
}

/// Fails if the folder is not empty.
fn check_is_free(folder: &Path) -> anyhow::Result<()> {
    let is_free = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => !folder.exists(),
    };
    if is_free {
        return Ok(());
    }
    let next = "remove it, or name another folder";
    bail!(Problem::refused(folder.display().to_string(), "it exists and is not an empty folder", next))
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    let within = to.parent().unwrap_or(to);
    fs::create_dir_all(within).with_context(|| format!("cannot create the folder {}", within.display()))?;
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Copies the files of a folder, if it exists, and returns their number.
fn copy_all(from: &Path, to: &Path) -> anyhow::Result<usize> {
    if !from.is_dir() {
        return Ok(0);
    }
    let mut copied = 0;
    for entry in fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
        copied += 1;
    }
    Ok(copied)
}
