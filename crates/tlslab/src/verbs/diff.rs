//! `tlslab diff`: which functions take more or fewer instructions.

use tlslab_lab::{Environment, diff as diff_cells};

use crate::Ended;
use crate::cli::DiffArgs;
use crate::session::{CachedBuilds, ended_by, in_session};
use crate::sheets::shown;

/// Counts what is not counted yet, and prints what changed.
pub fn diff(environment: &Environment, args: &DiffArgs) -> anyhow::Result<Ended> {
    let request = args.request()?;
    let done = in_session(environment, CachedBuilds::Hidden, |session| diff_cells(session, &request));
    ended_by(done, "interrupted", |functions| {
        out!("{}", shown(&functions.sheet, args.shown.format, false)?);
        Ok(Ended::Well)
    })
}
