//! `tlslab bisect`: the revision with which a cell changed.

use tlslab_lab::{Outcome, Status, bisect as search, bisection_text};

use crate::cli::BisectArgs;
use crate::session::{CachedBuilds, Lab, exit_status, in_session};

/// Looks for the revision and prints what was found.
pub fn bisect(lab: &Lab, args: &BisectArgs) -> anyhow::Result<Status> {
    let request = args.request();
    let conditions = lab.job_of("bisect", &request);
    let results = args.kept.results();
    let done =
        in_session(lab, &results, &conditions, CachedBuilds::Hidden, |session| search(session, &request));
    exit_status(done, "interrupted; the same command resumes", |bisection| {
        out!("{}", bisection_text(&bisection));
        errln!("{:.0} s in all", bisection.took_s);
        Ok(Outcome::Bisection(Box::new(bisection)).status())
    })
}
