//! `tlslab profile`: which functions take a cell's instructions.

use std::path::PathBuf;

use clap::Args;
use tlslab_job::Status;
use tlslab_lab::request::ProfileRequest;
use tlslab_lab::{Results, profile_into};

use crate::session::{CachedBuilds, Lab, exit_status, in_session};
use crate::sheets::{HowCountedArgs, ShownArgs, write_sheet};

/// Arguments of `profile`.
#[derive(Args)]
pub(crate) struct ProfileArgs {
    /// The stack.
    #[arg(long, value_name = "STACK")]
    pub stack: String,
    /// The scenario.
    #[arg(long, value_name = "NAME")]
    pub scenario: String,
    /// Also list the callers of each function.
    #[arg(long)]
    pub callers: bool,
    /// Which functions are shown, and how.
    #[command(flatten)]
    pub shown: ShownArgs,
    /// How the work is counted.
    #[command(flatten)]
    pub how: HowCountedArgs,
    /// Also keep the files in this folder: callgrind_annotate and KCachegrind open them, `tlslab diff`
    /// compares them.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

impl ProfileArgs {
    /// The request.
    pub(crate) fn request(&self) -> ProfileRequest {
        ProfileRequest {
            stack: self.stack.clone(),
            scenario: self.scenario.clone(),
            counting: self.how.request(),
            selection: self.shown.request(),
        }
    }
}

/// Counts the cell and prints a table for each side.
pub(crate) fn profile(lab: &Lab, args: &ProfileArgs) -> anyhow::Result<Status> {
    let request = args.request();
    let done = in_session(lab, &Results::default(), &lab.new_job(), CachedBuilds::Hidden, |session| {
        profile_into(&session.workshop, &request, args.out.as_deref())
    });
    exit_status(done, "interrupted", |functions| {
        out!("{}", write_sheet(&functions.sheet, args.shown.format, args.callers)?);
        Ok(Status::Done)
    })
}
