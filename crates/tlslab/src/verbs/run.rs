//! `tlslab run`: builds what is needed, measures, prints the result.

use tlslab_estimate::{OneOf, OverRuns, Report};
use tlslab_lab::request::RunRequest;
use tlslab_lab::{BusyLoop, Error, Outcome, Request, RowFunctions, Status, keep_between_runs};

use crate::cli::{Format, Invocation, RunArgs};
use crate::results::print_report;
use crate::session::{Lab, carried_out};

/// Runs, or resumes a run.
pub(crate) fn run(lab: &Lab, args: &RunArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    if args.repeat.small() > 1 {
        return repeated(lab, args, invocation);
    }
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
pub(crate) fn print(outcome: &Outcome, args: &RunArgs, invocation: &Invocation) -> Status {
    let Outcome::Run(run) = outcome else { unreachable!("a run was asked for") };
    if args.format == Format::Table && run.report.stacks.iter().all(|stack| stack.failure().is_some()) {
        say_why_nothing_was_measured(&run.report, invocation);
        return outcome.status();
    }
    print_report(&run.report, args.format, invocation);
    if run.functions == Some(RowFunctions::Interrupted) {
        errln!("interrupted; the run is complete, but without instructions by function");
        return Status::Interrupted;
    }
    outcome.status()
}

/// A report without any figure has nothing to read.
fn say_why_nothing_was_measured(report: &Report, invocation: &Invocation) {
    for (stack, failure) in report.stacks.iter().filter_map(|stack| Some((stack, stack.failure()?))) {
        // Why something was not built was reported when it was to be built.
        if !failure.starts_with("not built") {
            errln!("{}: {}", stack.name, failure.lines().next().unwrap_or_default());
        }
    }
    let again = invocation.complete(&format!("`tlslab report {}`", report.run.id));
    errln!("nothing was measured; the whole messages: {again}");
}

/// Several runs of one request, one after the other, and what each figure is over all of them.
fn repeated(lab: &Lab, args: &RunArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let (results, runs) = (args.kept.results(), args.repeat.small());
    let (mut reports, mut status): (Vec<Report>, Status) = (Vec::new(), Status::Done);
    let mut loads = Vec::new();
    for at in 0..runs {
        let is_loaded = args.busy_loop && at % 2 == 1;
        let _load = is_loaded.then(BusyLoop::start).transpose()?;
        let seed = args.seed.map(|seed| seed.wrapping_add(u64::from(at)));
        let request = Request::Run(Box::new(RunRequest { seed, ..args.request() }));
        let request = args.as_of.put_in(&lab.environment, request)?;
        match carried_out(lab, &results, &lab.new_job(), &request) {
            Ok(outcome) => {
                if outcome.status() != Status::Done {
                    status = outcome.status();
                }
                if let Outcome::Run(run) = outcome {
                    let beside = if is_loaded { ", beside a busy loop" } else { "" };
                    errln!("run {} of {runs}{beside}: {}", at + 1, run.report.run.id);
                    reports.push(run.report);
                    loads.push(is_loaded);
                }
            }
            Err(Error::Interrupted { .. }) => {
                errln!("interrupted; {} of {runs} runs are complete", reports.len());
                status = Status::Interrupted;
                break;
            }
            Err(Error::Failed(cause)) => return Err(cause),
        }
    }
    let confidence = lab.environment.policy.confidence;
    let of_run = |(report, is_loaded)| OneOf { report, is_loaded };
    let all: Vec<OneOf<'_>> = reports.iter().zip(loads.iter().copied()).map(of_run).collect();
    let over = OverRuns::of(&all, confidence);
    if let Some(over) = &over
        && keep_between_runs(&results, over, loads.iter().filter(|is_loaded| **is_loaded).count())?
    {
        errln!("noted: intervals of later runs on this kind of host contain what differs between these");
    }
    match (over, args.format) {
        (Some(over), Format::Json) => out!("{}\n", serde_json::to_string_pretty(&over)?),
        (Some(over), _) => out!("{}", invocation.complete(&over.text())),
        (None, _) => errln!("figures over several runs need two of them"),
    }
    Ok(status)
}
