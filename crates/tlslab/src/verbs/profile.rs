//! `tlslab profile`: which functions take a cell's instructions.

use tlslab_lab::{Results, Status, profile_into};

use crate::cli::ProfileArgs;
use crate::session::{CachedBuilds, Lab, exit_status, in_session};
use crate::sheets::shown;

/// Counts the cell and prints a table for each side.
pub(crate) fn profile(lab: &Lab, args: &ProfileArgs) -> anyhow::Result<Status> {
    let request = args.request();
    let done = in_session(lab, &Results::default(), &lab.new_job(), CachedBuilds::Hidden, |session| {
        profile_into(session, &request, args.out.as_deref())
    });
    exit_status(done, "interrupted", |functions| {
        out!("{}", shown(&functions.sheet, args.shown.format, args.callers)?);
        Ok(Status::Done)
    })
}
