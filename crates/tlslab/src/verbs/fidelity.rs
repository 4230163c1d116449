//! `tlslab fidelity`: how far valgrind counts the code that runs natively.

use clap::Args;
use tlslab_job::{Outcome, Request, Status};
use tlslab_lab::fidelities_text;
use tlslab_lab::{request::FidelityRequest, request::Iterations};
use tlslab_record::Seconds;

use crate::cli::KeptArgs;
use crate::session::{Lab, carried_out, exit_status};

/// Arguments of `fidelity`.
#[derive(Args)]
pub(crate) struct FidelityArgs {
    /// The stack.
    #[arg(value_name = "STACK")]
    pub stack: String,
    /// The suite whose scenarios are counted.
    #[arg(long, value_name = "NAME", default_value = "fidelity")]
    pub suite: String,
    /// Scenarios by pattern instead of a suite's; may be repeated.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// Iterations of each scenario's count.
    #[arg(long = "count-iterations", alias = "iterations", value_name = "N", default_value = "32")]
    pub iterations: Iterations,
    /// How long the timing may take, such as 45s, 10m, 1h.
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Seconds>,
    /// How long the driver, the program that calls the library, may take for one reply; ten times as long
    /// under a counter.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: Seconds,
    /// Where runs are kept; reports of counts there show the result.
    #[command(flatten)]
    pub kept: KeptArgs,
}

impl FidelityArgs {
    /// The request.
    pub(crate) fn request(&self) -> FidelityRequest {
        FidelityRequest {
            stack: self.stack.clone(),
            suite: self.suite.clone(),
            scenarios: self.scenarios.clone(),
            iterations: self.iterations,
            budget_s: self.budget,
            timeout_s: self.timeout,
        }
    }
}

/// Counts each scenario twice, times it twice and prints the differences.
pub(crate) fn fidelity(lab: &Lab, args: &FidelityArgs) -> anyhow::Result<Status> {
    let (results, request) = (args.kept.results(), Request::Fidelity(args.request()));
    let done = carried_out(lab, &results, &lab.new_job(), &request);
    exit_status(done, "interrupted; nothing was recorded", |outcome| {
        if let Outcome::Fidelity(found) = &outcome {
            out!("{}", fidelities_text(found));
        }
        outln!("\nrecorded in {}; reports of counts there show the result", args.kept.out.display());
        Ok(outcome.status())
    })
}
