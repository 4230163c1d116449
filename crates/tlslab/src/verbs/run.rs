//! `tlslab run`: builds what is needed, measures, prints the result.

use tlslab_lab::{Error, Outcome, Request, RowFunctions, Status};

use crate::cli::{Invocation, RunArgs};
use crate::results::print_report;
use crate::session::{Lab, carried_out};

/// Runs, or resumes a run.
pub fn run(lab: &Lab, args: &RunArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let results = args.kept.results();
    let conditions = lab.new_or_resumed(args.resume.as_deref(), &results, false)?;
    let request = args.as_of.put_in(&lab.environment, Request::Run(Box::new(args.request())))?;
    let outcome = match carried_out(lab, &results, &conditions, &request) {
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
    Ok(print(&outcome, args, invocation))
}

/// Prints a run in the asked format; how the command ends.
pub fn print(outcome: &Outcome, args: &RunArgs, invocation: &Invocation) -> Status {
    let Outcome::Run(run) = outcome else { unreachable!("a run was asked for") };
    print_report(&run.report, args.format, invocation);
    if run.functions == Some(RowFunctions::Interrupted) {
        errln!("interrupted; the run is complete, but without instructions by function");
        return Status::Interrupted;
    }
    outcome.status()
}
