//! `tlslab contention`: cache lines and locks for which threads contend in a cell.

use clap::{Args, ValueEnum};
use tlslab_contention::text;
use tlslab_job::Status;
use tlslab_lab::request::{ContentionRequest, Iterations, Threads, Top};
use tlslab_lab::{Results, contention as noted};
use tlslab_record::Seconds;

use crate::session::{CachedBuilds, Lab, exit_status, in_session};

/// Arguments of `contention`.
#[derive(Args)]
pub(crate) struct ContentionArgs {
    /// The stack.
    #[arg(long, value_name = "STACK")]
    pub stack: String,
    /// The scenario.
    #[arg(long, value_name = "NAME")]
    pub scenario: String,
    /// The threads that make connections in turn.
    #[arg(long, value_name = "N", default_value = "2")]
    pub threads: Threads,
    /// The connections that they make in all.
    #[arg(long, value_name = "N", default_value = "8")]
    pub connections: Iterations,
    /// The number of cache lines and of locks to show.
    #[arg(long, value_name = "N", default_value = "8")]
    pub top: Top,
    /// How long the driver, the program that calls the library, may take for one reply.
    #[arg(long, value_name = "TIME", default_value = "5m")]
    pub timeout: Seconds,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ContentionFormat::Text)]
    pub format: ContentionFormat,
}

/// The format of the result.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum ContentionFormat {
    /// For a terminal.
    Text,
    /// Every line, lock and function.
    Json,
}

/// Records what threads contend for, and prints it.
pub(crate) fn contention(lab: &Lab, args: &ContentionArgs) -> anyhow::Result<Status> {
    let request = ContentionRequest {
        stack: args.stack.clone(),
        scenario: args.scenario.clone(),
        threads: args.threads,
        connections: args.connections,
        timeout_s: args.timeout,
    };
    let done = in_session(lab, &Results::default(), &lab.new_job(), CachedBuilds::Hidden, |session| {
        noted(&session.workshop, &request)
    });
    exit_status(done, "interrupted", |found| {
        match args.format {
            ContentionFormat::Text => out!("{}", text(&found, args.top.get() as usize)),
            ContentionFormat::Json => outln!("{}", serde_json::to_string_pretty(&found)?),
        }
        Ok(Status::Done)
    })
}
