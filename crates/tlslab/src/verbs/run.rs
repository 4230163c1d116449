//! `tlslab run`: builds what is needed, measures, prints the result.

use tlslab_lab::{Environment, Error, RowFunctions, run_stacks};

use crate::Ended;
use crate::cli::{Invocation, RunArgs};
use crate::results::{ended, print_report};
use crate::session::{CachedBuilds, in_session};

/// Runs, or resumes a run.
pub fn run(environment: &Environment, args: &RunArgs, invocation: &Invocation) -> anyhow::Result<Ended> {
    let done = in_session(environment, CachedBuilds::Hidden, |session| run_stacks(session, &args.request()));
    let outcome = match done {
        Ok(outcome) => outcome,
        Err(Error::Interrupted { run }) => {
            if let Some(run) = run {
                let functions = if args.functions { " --functions" } else { "" };
                let again = invocation.complete(&format!("`tlslab run --resume {run}{functions}`"));
                errln!("interrupted; everything measured is kept. Go on with: {again}");
            }
            return Ok(Ended::Interrupted);
        }
        Err(Error::Failed(cause)) => return Err(cause),
    };
    print_report(&outcome.report, args.format, invocation);
    Ok(match outcome.functions {
        Some(RowFunctions::Interrupted) => {
            errln!("interrupted; the run is complete, but without instructions by function");
            Ended::Interrupted
        }
        Some(RowFunctions::Counted { excluded }) if excluded > 0 => Ended::WithFailures,
        _ => ended(&outcome.report),
    })
}
