//! The command: one file per verb, no logic of its own beyond putting the crates together.

#[macro_use]
mod output;

mod cli;
mod ended;
mod progress;
mod results;
mod session;
mod sheets;
mod signals;
mod verbs;

use std::process::ExitCode;

use anyhow::Context;
use tlslab_lab::{EVICTOR, Environment};

use crate::cli::{Cli, Invocation, Verb};
pub use crate::ended::Ended;

fn main() -> ExitCode {
    if std::env::var_os(EVICTOR).is_some() {
        return tlslab_evictor::serve();
    }
    let (cli, invocation) = cli::parse();
    match dispatch(cli, &invocation) {
        Ok(Ended::Well) => ExitCode::SUCCESS,
        Ok(Ended::WithFailures) => ExitCode::from(3),
        Ok(Ended::Changed) => ExitCode::from(4),
        Ok(Ended::Interrupted) => ExitCode::from(130),
        Err(error) => {
            errln!("tlslab: {}", invocation.complete(&format!("{error:#}")));
            ExitCode::FAILURE
        }
    }
}

fn dispatch(cli: Cli, invocation: &Invocation) -> anyhow::Result<Ended> {
    if let Verb::Schema(args) = cli.verb {
        return verbs::schema::schema(&args);
    }
    if let Verb::Comment(args) = cli.verb {
        return verbs::comment::comment(&args);
    }
    if let Verb::Copy(args) = cli.verb {
        return verbs::copy::copy(&args);
    }
    let mut environment = Environment::find(cli.root, cli.cache)?;
    environment.evictor = Some(std::env::current_exe().context("cannot find the lab's own program")?);
    environment.sandbox = cli.sandbox;
    environment.trusted_cache = cli.trusted_cache;
    environment.allowed_hosts = cli.allow_host;
    let environment = &environment;
    match cli.verb {
        Verb::Run(args) => verbs::run::run(environment, &args, invocation),
        Verb::Compare(args) => verbs::compare::compare(environment, &args, invocation),
        Verb::Doctor(args) => verbs::doctor::doctor(environment, &args, invocation),
        Verb::Validate(args) => verbs::validate::validate(environment, &args),
        Verb::Reproduce(args) => verbs::reproduce::reproduce(environment, &args, invocation),
        Verb::Bisect(args) => verbs::bisect::bisect(environment, &args),
        Verb::Build(args) => verbs::build::build(environment, &args),
        Verb::Stacks(args) => verbs::stacks::stacks(environment, &args, invocation),
        Verb::Versions(args) => verbs::versions::versions(environment, &args),
        Verb::Cache(args) => verbs::cache::cache(environment, &args, invocation),
        Verb::Scenarios(args) => verbs::scenarios::scenarios(environment, &args, invocation),
        Verb::Runs(args) => verbs::runs::runs(&args, invocation),
        Verb::Report(args) => verbs::report::report(&args, invocation),
        Verb::Export(args) => verbs::export::export(&args, invocation),
        Verb::History(args) => verbs::history::history(environment, &args),
        Verb::Backfill(args) => verbs::backfill::backfill(environment, &args, invocation),
        Verb::Watch(args) => verbs::backfill::watch(environment, &args, invocation),
        Verb::Annotate(args) => verbs::annotate::annotate(&args),
        Verb::Import(args) => verbs::import::import(&args),
        Verb::Prune(args) => verbs::prune::prune(environment, &args),
        Verb::Recompute(args) => verbs::recompute::recompute(&args, invocation),
        Verb::Profile(args) => verbs::profile::profile(environment, &args),
        Verb::Diff(args) => verbs::diff::diff(environment, &args),
        Verb::Fidelity(args) => verbs::fidelity::fidelity(environment, &args),
        Verb::Requests(args) => verbs::requests::requests(environment, &args),
        Verb::Schema(_) | Verb::Comment(_) | Verb::Copy(_) => unreachable!("handled above"),
    }
}
