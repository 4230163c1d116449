//! The command: one file per verb, no logic of its own beyond putting the crates together.

mod capabilities;
mod cli;
mod comparison;
mod counted;
mod counting;
mod hiding;
mod host;
mod house;
mod journal;
mod known_fidelity;
mod naming;
mod plan;
mod progress;
mod results;
mod signals;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Verb};
use crate::house::House;

/// How a verb ended, when it did not end with an error.
pub enum Ended {
    /// All is well.
    Well,
    /// Done, but something in the result failed.
    WithFailures,
    /// Stopped on request.
    Interrupted,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match dispatch(cli) {
        Ok(Ended::Well) => ExitCode::SUCCESS,
        Ok(Ended::WithFailures) => ExitCode::from(3),
        Ok(Ended::Interrupted) => ExitCode::from(130),
        Err(error) => {
            eprintln!("tlslab: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(cli: Cli) -> anyhow::Result<Ended> {
    if let Verb::Schema(args) = cli.verb {
        return verbs::schema::schema(&args);
    }
    let house = House::find(cli.root, cli.cache)?;
    match cli.verb {
        Verb::Run(args) => verbs::run::run(&house, &args),
        Verb::Build(args) => verbs::build::build(&house, &args),
        Verb::Stacks(args) => verbs::stacks::stacks(&house, &args),
        Verb::Cache(args) => verbs::cache::cache(&house, &args),
        Verb::Scenarios(args) => verbs::scenarios::scenarios(&house, &args),
        Verb::Runs(args) => verbs::runs::runs(&args),
        Verb::Report(args) => verbs::report::report(&args),
        Verb::Profile(args) => verbs::profile::profile(&house, &args),
        Verb::Diff(args) => verbs::diff::diff(&house, &args),
        Verb::Fidelity(args) => verbs::fidelity::fidelity(&house, &args),
        Verb::Requests(args) => verbs::requests::requests(&house, &args),
        Verb::Schema(_) => unreachable!("handled above"),
    }
}
