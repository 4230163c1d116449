//! `tlslab diff`: which functions take more or fewer instructions.

use tlslab_lab::{Results, Status, diff as diff_cells};

use crate::cli::DiffArgs;
use crate::session::{CachedBuilds, Lab, exit_status, in_session};
use crate::sheets::shown;

/// Counts what is not counted yet, and prints what changed.
pub(crate) fn diff(lab: &Lab, args: &DiffArgs) -> anyhow::Result<Status> {
    let request = args.request()?;
    let done = in_session(lab, &Results::default(), &lab.new_job(), CachedBuilds::Hidden, |session| {
        diff_cells(session, &request)
    });
    exit_status(done, "interrupted", |functions| {
        out!("{}", shown(&functions.sheet, args.shown.format, false)?);
        Ok(Status::Done)
    })
}
