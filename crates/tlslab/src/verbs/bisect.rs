//! `tlslab bisect`: the revision or release that changed a cell.

use std::path::PathBuf;

use clap::Args;
use tlslab_job::{Outcome, Request, Status};
use tlslab_lab::bisection_text;
use tlslab_lab::request::BisectRequest;
use tlslab_protocol::Measure;
use tlslab_record::Seconds;

use crate::cli::KeptArgs;
use crate::cli::values::parse_searched;
use crate::session::{Lab, carried_out, exit_status};

/// Arguments of `bisect`.
#[derive(Args)]
pub(crate) struct BisectArgs {
    /// The stack without its version: rustls-dev/ring, openssl+clang.
    #[arg(value_name = "STACK")]
    pub stack: String,
    /// The library's repository: a checkout on this machine.
    #[arg(
        long,
        value_name = "DIR",
        requires = "good",
        requires = "bad",
        required_unless_present = "releases"
    )]
    pub repository: Option<PathBuf>,
    /// A revision without the change.
    #[arg(long, value_name = "REV", requires = "repository")]
    pub good: Option<String>,
    /// A revision with the change.
    #[arg(long, value_name = "REV", requires = "repository")]
    pub bad: Option<String>,
    /// Search releases instead of revisions: one without the change and a later one with it.
    #[arg(long, value_names = ["FROM", "TO"], num_args = 2, conflicts_with_all = ["repository", "good", "bad"])]
    pub releases: Vec<String>,
    /// The suite in which bisect searches the cell with the largest change.
    #[arg(long, value_name = "NAME", default_value = "compare")]
    pub suite: String,
    /// Scenarios by pattern instead of a suite's; may be repeated.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// The metric that changed: count, time, contention, wire or kernel.
    #[arg(long, value_parser = parse_searched, default_value = "count")]
    pub metric: Measure,
    /// How long a scenario is timed at each step; an inconclusive one is timed for longer.
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub per_scenario: Seconds,
    /// How long a driver, the program that calls the library, may take for one reply.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: Seconds,
    /// Where steps are recorded: the same command resumes.
    #[command(flatten)]
    pub kept: KeptArgs,
}

impl BisectArgs {
    /// The request.
    pub(crate) fn request(&self) -> BisectRequest {
        let (good, bad) = match &*self.releases {
            [from, to] => (from.clone(), to.clone()),
            _ => (self.good.clone().unwrap_or_default(), self.bad.clone().unwrap_or_default()),
        };
        BisectRequest {
            stack: self.stack.clone(),
            repository: self.repository.clone(),
            good,
            bad,
            suite: self.suite.clone(),
            scenarios: self.scenarios.clone(),
            metric: self.metric,
            per_scenario_s: self.per_scenario,
            timeout_s: self.timeout,
        }
    }
}

/// Searches the revision or release and prints the outcome.
pub(crate) fn bisect(lab: &Lab, args: &BisectArgs) -> anyhow::Result<Status> {
    let (results, request) = (args.kept.results(), Request::Bisect(Box::new(args.request())));
    let done = carried_out(lab, &results, &lab.job_of(&request, &results)?, &request);
    exit_status(done, "interrupted; the same command resumes", |outcome| {
        if let Outcome::Bisection(bisection) = &outcome {
            out!("{}", bisection_text(bisection));
            errln!("{:.0} s in all", bisection.took_s);
        }
        Ok(outcome.status())
    })
}
