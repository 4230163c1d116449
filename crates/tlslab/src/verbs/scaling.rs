//! `tlslab scaling`: how a stack scales over processors.

use clap::Args;
use tlslab_job::Status;
use tlslab_lab::request::{ScalingRequest, Threads};
use tlslab_lab::{Results, Scaling, scaling as scaled};
use tlslab_record::Seconds;

use crate::cli::ListFormat;
use crate::session::{CachedBuilds, Lab, exit_status, in_session};

/// Arguments of `scaling`.
#[derive(Args)]
pub(crate) struct ScalingArgs {
    /// A stack; may be repeated [default: stacks in [run] of tlslab.toml].
    #[arg(long = "stack", value_name = "STACK")]
    pub stacks: Vec<String>,
    /// The scenario.
    #[arg(long, value_name = "NAME", default_value = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none")]
    pub scenario: String,
    /// The threads of one process, and the number of processes: at most the number of processors.
    #[arg(long, value_name = "N", default_value = "2")]
    pub threads: Threads,
    /// How long each stack is timed.
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub point: Seconds,
    /// How long a driver, the program that calls the library, may take for one reply.
    #[arg(long, value_name = "TIME", default_value = "5m")]
    pub timeout: Seconds,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Counts what threads contend for, times them against processes, and prints both.
pub(crate) fn scaling(lab: &Lab, args: &ScalingArgs) -> anyhow::Result<Status> {
    let request = ScalingRequest {
        stacks: args.stacks.clone(),
        scenario: args.scenario.clone(),
        threads: args.threads,
        point_s: args.point,
        timeout_s: args.timeout,
    };
    let done = in_session(lab, &Results::default(), &lab.new_job(), CachedBuilds::Hidden, |session| {
        scaled(&session.workshop, &request)
    });
    exit_status(done, "interrupted", |found| {
        match args.format {
            ListFormat::Json => outln!("{}", serde_json::to_string_pretty(&found)?),
            ListFormat::Markdown => out!("{}", found.text(tlslab_text::ListFormat::Markdown)),
            ListFormat::Table => out!("{}", found.text(tlslab_text::ListFormat::Table)),
        }
        let has_failed = found.stacks.iter().any(|stack| matches!(stack.outcome, Scaling::Failed(_)));
        Ok(if has_failed { Status::WithFailures } else { Status::Done })
    })
}
