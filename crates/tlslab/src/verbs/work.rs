//! `tlslab work`: one job, from standard input to lines of JSON on standard output.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tlslab_build::{Credentials, PrivateRepositories};
use tlslab_job::{Ending, EventLine, FORMAT, Job, LONGEST_JOB, Status, carry_out};
use tlslab_lab::{Cancel, Conditions, Event, Results, Session};
use tlslab_store::Address;

use crate::cli::KeptArgs;
use crate::session::Lab;
use crate::signals::cancel_on_signals;

/// Arguments of `work`.
#[derive(Args)]
pub(crate) struct WorkArgs {
    /// Where runs and exports go.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The database with the histories that set each cell's own threshold [default: that of --store].
    #[arg(long, value_name = "URL")]
    pub history: Option<Address>,
    /// A repository that git fetches with a credential. The parent process provides it through a socket,
    /// descriptor 900.
    #[arg(long, hide = true, value_name = "URL")]
    pub private: Vec<String>,
}

impl WorkArgs {
    /// Gives git the credentials of private repositories; `None` if the job has no credentials.
    ///
    /// # Errors
    /// Fails if this process has no such socket.
    pub(crate) fn credentials(&self) -> anyhow::Result<Option<Credentials>> {
        if self.private.is_empty() {
            return Ok(None);
        }
        let program = std::env::current_exe().context("cannot find the lab's own program")?;
        let private = PrivateRepositories::new(&self.private);
        let credentials = Credentials::inherited(private, &program)
            .context("--private: descriptor 900 is not a socket; only runners use this option")?;
        Ok(Some(credentials))
    }
}

/// Carries out the job. Its end is a line like its events; the exit status is that of the verb for the same
/// request.
pub(crate) fn work(lab: &Lab, args: &WorkArgs) -> anyhow::Result<Status> {
    let mut text = Vec::new();
    let most = LONGEST_JOB as u64 + 1;
    io::stdin()
        .lock()
        .take(most)
        .read_to_end(&mut text)
        .context("cannot read the job from standard input")?;
    let job = match Job::read(&text) {
        Ok(job) => job,
        // The sender reads errors from the same stream as everything else.
        Err(problem) => {
            print(
                &serde_json::json!({ "format": FORMAT, "event": "ended", "status": "failed", "error": &problem }),
            );
            return Err(problem.into());
        }
    };
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
    Ok(Ending::new(&job.id, carry_out(&session, &job.request)))
}

/// A line on standard output, whole even if several threads print. The job continues if nobody reads.
fn print(line: &impl Serialize) {
    let Ok(mut text) = serde_json::to_string(line) else { return };
    text.push('\n');
    let mut output = io::stdout().lock();
    let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
}
