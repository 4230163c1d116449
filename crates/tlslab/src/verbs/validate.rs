//! `tlslab validate`: false alarms and power of comparisons on this host, and dependence of times on
//! neighbours.

use anyhow::bail;
use clap::Args;
use tlslab_job::{Outcome, Request, Status};
use tlslab_lab::Problem;
use tlslab_lab::{request::Iterations, request::Rounds, request::Stacks, request::Trials};
use tlslab_protocol::Measure;
use tlslab_record::{Count, Seconds, Share};
use tlslab_validation::{NeighboursRequest, ValidateRequest};
use tlslab_validation::{neighbours_markdown, validation_markdown};

use crate::cli::values::parse_time_or_count;
use crate::cli::{KeptArgs, SlicingArgs};
use crate::session::{Lab, carried_out, exit_status};

/// Arguments of `validate`.
#[derive(Args)]
pub(crate) struct ValidateArgs {
    /// Instead of comparisons, measure whether a stack's time depends on the other stacks of a run.
    #[arg(long)]
    pub neighbours: bool,
    /// Rounds of fresh processes, with --neighbours.
    #[arg(long, value_name = "N", default_value = "10", requires = "neighbours")]
    pub rounds: Rounds,
    /// The number of other stacks that each one is measured together with, with --neighbours.
    #[arg(long, value_name = "N", default_value = "3", requires = "neighbours")]
    pub others: Stacks,
    /// The stack that is compared with itself [default: rustls/ring]; its code must be relocatable. With
    /// --neighbours, a stack that takes part; may be repeated [default: the stacks of `tlslab run`].
    #[arg(long = "stack", value_name = "STACK")]
    pub stacks: Vec<String>,
    /// The suite whose scenarios are measured [default: compare, or neighbours with --neighbours].
    #[arg(long, value_name = "NAME")]
    pub suite: Option<String>,
    /// Scenarios by pattern instead of a suite's; may be repeated.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// Time or count: memory does not vary.
    #[arg(long, value_parser = parse_time_or_count, default_value = "time")]
    pub metric: Measure,
    /// Comparisons of a program with itself; each flag is a false alarm.
    #[arg(long, value_name = "N", default_value = "10")]
    pub same: Trials,
    /// Comparisons of one source, linked in two different orders.
    #[arg(long, value_name = "N", default_value = "10")]
    pub twins: Trials,
    /// Comparisons for each of six differences outside of the code's work, between programs with the same
    /// orders: one more allocation, a longer environment, a longer path, more constants, an unused function,
    /// data in another order.
    #[arg(long, value_name = "N", default_value = "0")]
    pub nulls: Trials,
    /// Comparisons with a build that was slowed down on purpose, for each scenario and slow-down.
    #[arg(long, value_name = "N", default_value = "5")]
    pub slowed: Trials,
    /// The slow-downs, %.
    #[arg(
        long = "slowed-by",
        alias = "by",
        value_name = "PERCENT",
        value_delimiter = ',',
        default_value = "0.1,0.5,1,2,5"
    )]
    pub by: Vec<Share>,
    /// Comparisons of two fixed code layouts of one source: how far layout alone moves times. Reports and
    /// comparisons on the same kind of host use it.
    #[arg(long, value_name = "N", default_value = "0")]
    pub layouts: Trials,
    /// Comparisons of one source, linked in two different orders, of which every round is recorded: --replays
    /// makes jobs of them.
    #[arg(long, value_name = "N", default_value = "0")]
    pub recordings: Trials,
    /// Judge this many jobs made of recorded rounds without a change, and a tenth as many for each slow-down.
    #[arg(long, value_name = "N", default_value = "0")]
    pub replays: Trials,
    /// Judge this many jobs of simulated rounds for each kind of noise.
    #[arg(long, value_name = "N", default_value = "0")]
    pub simulated: Trials,
    /// How long each timed comparison may take for each scenario; the confirmation of a change comes on top.
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pub per_scenario: Seconds,
    /// Seeds of each count.
    #[arg(long, value_name = "N", default_value = "5")]
    pub seeds: Count<2, 100>,
    /// Iterations of each count.
    #[arg(long, value_name = "N", default_value = "32")]
    pub count_iterations: Iterations,
    /// How stacks take turns.
    #[command(flatten)]
    pub slicing: SlicingArgs,
    /// The first seed of every random order.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How long a driver, the program that calls the library, may take for one reply.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub timeout: Seconds,
    /// Where jobs are recorded: the same command resumes.
    #[command(flatten)]
    pub kept: KeptArgs,
}

impl ValidateArgs {
    /// The request without --neighbours.
    pub(crate) fn request(&self) -> anyhow::Result<ValidateRequest> {
        let default = ValidateRequest::default();
        let stack = match &self.stacks[..] {
            [] => default.stack,
            [stack] => stack.clone(),
            _ => {
                let cause = "comparisons with itself take one stack";
                bail!(Problem::invalid("stack", "several stacks", cause, "name one, or add --neighbours"))
            }
        };
        Ok(ValidateRequest {
            stack,
            suite: self.suite.clone().unwrap_or(default.suite),
            scenarios: self.scenarios.clone(),
            metric: self.metric,
            same: self.same,
            twins: self.twins,
            nulls: self.nulls,
            slowed: self.slowed,
            layouts: self.layouts,
            recordings: self.recordings,
            replays: self.replays,
            simulated: self.simulated,
            by: self.by.clone(),
            per_scenario_s: self.per_scenario,
            seeds: self.seeds,
            count_iterations: self.count_iterations,
            slicing: self.slicing.request(),
            seed: self.seed,
            timeout_s: self.timeout,
        })
    }

    /// The request with --neighbours.
    pub(crate) fn neighbours(&self) -> NeighboursRequest {
        NeighboursRequest {
            stacks: self.stacks.clone(),
            others: self.others,
            suite: self.suite.clone().unwrap_or(NeighboursRequest::default().suite),
            scenarios: self.scenarios.clone(),
            rounds: self.rounds,
            slicing: self.slicing.request(),
            seed: self.seed,
            timeout_s: self.timeout,
        }
    }
}

/// Does what is not recorded yet, then prints the results of all of it.
pub(crate) fn validate(lab: &Lab, args: &ValidateArgs) -> anyhow::Result<Status> {
    let results = args.kept.results();
    if args.neighbours {
        let request = Request::Neighbours(Box::new(args.neighbours()));
        let done = carried_out(lab, &results, &lab.new_job(), &request);
        return exit_status(done, "interrupted; nothing was recorded", |outcome| {
            if let Outcome::Neighbours(found) = &outcome {
                out!("{}", neighbours_markdown(found));
            }
            Ok(outcome.status())
        });
    }
    let request = Request::Validate(Box::new(args.request()?));
    let done = carried_out(lab, &results, &lab.job_of(&request, &results)?, &request);
    exit_status(done, "interrupted; the same command resumes", |outcome| {
        if let Outcome::Validation(validation) = &outcome {
            out!("{}", validation_markdown(&validation.rates));
        }
        Ok(outcome.status())
    })
}
