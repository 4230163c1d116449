//! `tlslab profile`: which functions take a cell's instructions.

use tlslab_lab::{Environment, profile as profile_cell};

use crate::Ended;
use crate::cli::ProfileArgs;
use crate::session::{CachedBuilds, ended_by, in_session};
use crate::sheets::shown;

/// Counts the cell and prints a table for each side.
pub fn profile(environment: &Environment, args: &ProfileArgs) -> anyhow::Result<Ended> {
    let done =
        in_session(environment, CachedBuilds::Hidden, |session| profile_cell(session, &args.request()));
    ended_by(done, "interrupted", |functions| {
        out!("{}", shown(&functions.sheet, args.shown.format, args.callers)?);
        Ok(Ended::Well)
    })
}
