//! `tlslab run`: builds what is needed, measures, prints the result.

use tlslab_lab::{Error, Outcome, RowFunctions, Status, run_stacks};

use crate::cli::{Invocation, RunArgs};
use crate::results::print_report;
use crate::session::{CachedBuilds, Lab, in_session};

/// Runs, or resumes a run.
pub fn run(lab: &Lab, args: &RunArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let results = args.kept.results();
    let conditions = lab.new_or_resumed(args.resume.as_deref(), &results, false)?;
    let request = args.request();
    let done =
        in_session(lab, &results, &conditions, CachedBuilds::Hidden, |session| run_stacks(session, &request));
    let outcome = match done {
        Ok(outcome) => outcome,
        Err(Error::Interrupted { run }) => {
            if let Some(run) = run {
                let functions = if args.functions { " --functions" } else { "" };
                let again = invocation.complete(&format!("`tlslab run --resume {run}{functions}`"));
                errln!("interrupted; everything measured is kept. Go on with: {again}");
            }
            return Ok(Status::Interrupted);
        }
        Err(Error::Failed(cause)) => return Err(cause),
    };
    print_report(&outcome.report, args.format, invocation);
    if outcome.functions == Some(RowFunctions::Interrupted) {
        errln!("interrupted; the run is complete, but without instructions by function");
        return Ok(Status::Interrupted);
    }
    Ok(Outcome::Run(Box::new(outcome)).status())
}
