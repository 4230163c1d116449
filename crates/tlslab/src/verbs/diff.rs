//! `tlslab diff`: which functions take more or fewer instructions.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use tlslab_job::Status;
use tlslab_lab::{ErrorKind, Problem, Results, diff as diff_cells};
use tlslab_lab::{request::DiffRequest, request::FunctionSource};

use crate::session::{CachedBuilds, Lab, exit_status, in_session};
use crate::sheets::{HowCountedArgs, ShownArgs, write_sheet};

/// Prefixes of a path in `diff`. The last is an older name of the other two; it checks which of them the path
/// is.
const PLACES: [&str; 3] = ["folder:", "file:", "files:"];

/// Arguments of `diff`.
#[derive(Args)]
pub(crate) struct DiffArgs {
    /// The baseline: a stack, or folder:PATH for a folder that `profile --out` has written, or file:PATH for
    /// a file in callgrind's format.
    #[arg(value_name = "BASELINE")]
    pub base: String,
    /// The candidate, likewise.
    #[arg(value_name = "CANDIDATE")]
    pub new: String,
    /// The scenario in which stacks are counted.
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// Which functions are shown, and how.
    #[command(flatten)]
    pub shown: ShownArgs,
    /// How the work is counted, if a stack is named.
    #[command(flatten)]
    pub how: HowCountedArgs,
}

impl DiffArgs {
    /// The request.
    pub(crate) fn request(&self) -> anyhow::Result<DiffRequest> {
        let source = |text: &String| -> anyhow::Result<FunctionSource> {
            let [folder, file, either] = PLACES.map(|place| text.strip_prefix(place).map(PathBuf::from));
            match (folder, file, either) {
                (Some(folder), ..) => Ok(FunctionSource::Folder(folder)),
                (_, Some(file), _) => Ok(FunctionSource::File(file)),
                (.., Some(path)) => {
                    if !path.exists() {
                        let next = "name a file, or a folder that `profile --out` has written";
                        bail!(Problem::new(
                            ErrorKind::NotFound,
                            text,
                            "there is no such file or folder",
                            next
                        ));
                    }
                    Ok(if path.is_dir() { FunctionSource::Folder(path) } else { FunctionSource::File(path) })
                }
                _ => {
                    let scenario = self.scenario.clone();
                    let scenario = scenario.ok_or_else(|| {
                        let cause = "a stack's functions are counted in one scenario";
                        Problem::invalid("scenario", text, cause, "name it: --scenario NAME")
                    })?;
                    Ok(FunctionSource::Stack { stack: text.clone(), scenario })
                }
            }
        };
        Ok(DiffRequest {
            baseline: source(&self.base)?,
            candidate: source(&self.new)?,
            counting: self.how.request(),
            selection: self.shown.request(),
        })
    }
}

/// Counts missing functions, and prints the changes.
pub(crate) fn diff(lab: &Lab, args: &DiffArgs) -> anyhow::Result<Status> {
    let request = args.request()?;
    let done = in_session(lab, &Results::default(), &lab.new_job(), CachedBuilds::Hidden, |session| {
        diff_cells(&session.workshop, &request)
    });
    exit_status(done, "interrupted", |functions| {
        out!("{}", write_sheet(&functions.sheet, args.shown.format, false)?);
        Ok(Status::Done)
    })
}
