//! `tlslab work`: one job, from standard input to lines of JSON on standard output.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use serde::Serialize;
use tlslab_lab::{
    Cancel, Conditions, Ending, Error, Event, EventLine, FORMAT, Job, JobId, LONGEST_JOB, Outcome, Results,
    Session, Status, carry_out,
};

use crate::cli::WorkArgs;
use crate::session::Lab;
use crate::signals::cancel_on_signals;

/// Carries out the job. Its end is a line like its events; the exit status is that of the verb that asks for the same.
pub fn work(lab: &Lab, args: &WorkArgs) -> anyhow::Result<Status> {
    let mut text = Vec::new();
    let most = LONGEST_JOB as u64 + 1;
    io::stdin()
        .lock()
        .take(most)
        .read_to_end(&mut text)
        .context("cannot read the job from standard input")?;
    let job = Job::read(&text)?;
    let results = Results { history: args.history.clone(), ..args.kept.results() };
    let ending = carried_out(lab, &results, &job)?;
    let status = ending.status;
    if let Some(error) = &ending.error {
        errln!("tlslab: {error}");
    }
    print(&ending);
    Ok(status)
}

fn carried_out(lab: &Lab, results: &Results, job: &Job) -> anyhow::Result<Ending> {
    let cancel = Cancel::new();
    cancel_on_signals(&cancel)?;
    let number = AtomicU64::new(0);
    let report = |event: &Event| {
        let number = number.fetch_add(1, Ordering::Relaxed) + 1;
        print(&EventLine::new(&job.id, number, event.clone()));
    };
    let conditions = Conditions::from(job);
    let session = Session::new(&lab.environment, results, &conditions, &report, &cancel);
    Ok(ending(&job.id, carry_out(&session, &job.request)))
}

fn ending(job: &JobId, done: Result<Outcome, Error>) -> Ending {
    let (format, job) = (FORMAT, job.clone());
    match done {
        Ok(outcome) => Ending { format, job, status: outcome.status(), outcome: Some(outcome), error: None },
        Err(error) => {
            let is_interrupted = matches!(error, Error::Interrupted { .. });
            let status = if is_interrupted { Status::Interrupted } else { Status::Failed };
            Ending { format, job, status, outcome: None, error: Some(error.problem()) }
        }
    }
}

/// A line on standard output, whole even if several threads print. Whoever stops reading does not stop the job.
fn print(line: &impl Serialize) {
    let Ok(mut text) = serde_json::to_string(line) else { return };
    text.push('\n');
    let mut output = io::stdout().lock();
    let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
}
