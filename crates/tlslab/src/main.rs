//! The command: one file per verb, no logic of its own beyond putting the crates together.

#![allow(
    rustdoc::broken_intra_doc_links,
    rustdoc::bare_urls,
    reason = "doc comments of options are help texts, in which `[run]` is a section and not a link"
)]

#[macro_use]
mod output;

mod cli;
mod pages;
mod progress;
mod results;
mod session;
mod sheets;
mod signals;
mod verbs;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use tlslab_job::Status;
use tlslab_lab::{EVICTOR, Environment, ErrorKind, problem_in};
use tlslab_record::Policy;

use crate::cli::{Cli, Invocation, Verb};
use crate::pages::PageFiles;
use crate::session::Lab;
use crate::verbs::scenarios::{ScenariosArgs, ScenariosVerb};

fn main() -> ExitCode {
    if std::env::var_os(EVICTOR).is_some() {
        return tlslab_evictor::serve();
    }
    let (cli, invocation) = cli::parse();
    match dispatch(cli, &invocation) {
        Ok(status) => ExitCode::from(status.exit_code()),
        Err(error) => {
            errln!("tlslab: {}", invocation.complete(&invocation.explain(&error)));
            ExitCode::from(exit_code(&error))
        }
    }
}

/// A request that is contradictory or names unknown things is a wrong command line.
fn exit_code(error: &anyhow::Error) -> u8 {
    match problem_in(error).kind {
        ErrorKind::Invalid | ErrorKind::NotFound => 2,
        _ => 1,
    }
}

fn dispatch(cli: Cli, invocation: &Invocation) -> anyhow::Result<Status> {
    if let Some(done) = without_tree(&cli, invocation) {
        return done;
    }
    let mut lab = lab(&cli)?;
    if let Verb::Work(args) = &cli.verb {
        lab.environment.credentials = args.credentials()?;
    }
    let lab = &lab;
    let environment = &lab.environment;
    let root = cli.root;
    match cli.verb {
        Verb::Run(args) => verbs::run::run(lab, &args, invocation),
        Verb::RunAll(args) => verbs::run_all::run_all(lab, &args),
        Verb::Choose(args) => verbs::choose::choose(lab, &args, invocation),
        Verb::Standings(args) => verbs::standings::standings(lab, &args, invocation),
        Verb::Compare(args) => verbs::compare::compare(lab, &args, invocation),
        Verb::Doctor(args) => verbs::doctor::doctor(lab, &args, invocation),
        Verb::Validate(args) => verbs::validate::validate(lab, &args),
        Verb::Reproduce(args) => verbs::reproduce::reproduce(lab, &args, invocation),
        Verb::Bisect(args) => verbs::bisect::bisect(lab, &args),
        Verb::Build(args) => verbs::build::build(lab, &args),
        Verb::Stacks(args) => verbs::stacks::stacks(lab, &args, invocation),
        Verb::Versions(args) => verbs::versions::versions(environment, &args),
        Verb::Cache(args) => verbs::cache::cache(lab, &args, invocation),
        Verb::Scenarios(args) => verbs::scenarios::scenarios(lab, &args, invocation),
        Verb::Backfill(args) => verbs::backfill::backfill(lab, &args, invocation),
        Verb::Watch(args) => verbs::watch::watch(lab, &args, invocation),
        Verb::Contention(args) => verbs::contention::contention(lab, &args),
        Verb::Scaling(args) => verbs::scaling::scaling(lab, &args),
        Verb::Profile(args) => verbs::profile::profile(lab, &args),
        Verb::Diff(args) => verbs::diff::diff(lab, &args),
        Verb::Fidelity(args) => verbs::fidelity::fidelity(lab, &args),
        Verb::Requests(args) => verbs::requests::requests(environment, &args),
        Verb::Work(args) => verbs::work::work(lab, &args),
        Verb::Runner(args) => verbs::runner::runner(lab, root, &args),
        _ => unreachable!("it needs no tree"),
    }
}

/// Carries out a verb that needs none of the lab's files: it only prints known or recorded facts. `None` for
/// others.
fn without_tree(cli: &Cli, invocation: &Invocation) -> Option<anyhow::Result<Status>> {
    Some(match &cli.verb {
        Verb::Schema(args) => verbs::schema::schema(args),
        Verb::Completions(args) => Ok(verbs::completions::completions(args, cli::plain_command())),
        Verb::Man(args) => verbs::completions::man(args, cli::plain_command()),
        Verb::SelfCheck => Ok(verbs::self_check::self_check(&lab(cli).map(|lab| lab.environment))),
        Verb::GitCredential(args) => verbs::git_credential::git_credential(args),
        Verb::Comment(args) => verbs::comment::comment(args),
        Verb::Submit(args) => verbs::submit::submit(args, invocation),
        Verb::Copy(args) => verbs::copy::copy(args),
        Verb::Site(args) => verbs::site::site(args),
        Verb::Serve(args) => verbs::serve::serve(args),
        Verb::Runs(args) => verbs::runs::runs(args, invocation),
        Verb::Report(args) => verbs::report::report(args, invocation),
        Verb::Anomalies(args) => {
            policy(cli).and_then(|policy| verbs::anomalies::anomalies(args, policy.history))
        }
        Verb::Export(args) => verbs::export::export(args, invocation),
        Verb::Annotate(args) => verbs::annotate::annotate(args),
        Verb::Acknowledge(args) => verbs::acknowledge::acknowledge(args),
        Verb::Import(args) => verbs::import::import(args, invocation),
        Verb::Recompute(args) => verbs::recompute::recompute(args, invocation),
        Verb::History(args) => policy(cli).and_then(|policy| {
            // Stacks are built only to explain a change.
            verbs::history::history(&|| lab(cli), &policy.history, args, invocation)
        }),
        Verb::Prune(args) => policy(cli).and_then(|policy| verbs::prune::prune(&policy.history, args)),
        Verb::Scenarios(ScenariosArgs { verb: Some(ScenariosVerb::New { file, suite }), .. }) => {
            verbs::new_scenarios::new(file.as_deref(), *suite)
        }
        Verb::Doctor(args) if args.measures_nothing() => verbs::tune::tune(args),
        Verb::Compare(args) if args.from.is_some() => verbs::compare::show(args, invocation),
        _ => return None,
    })
}

fn policy(cli: &Cli) -> anyhow::Result<Policy> {
    tlslab_lab::policy(cli.root.as_deref())
}

/// The lab's files, and which code runs in a sandbox.
fn lab(cli: &Cli) -> anyhow::Result<Lab> {
    let cache = cli.cache.clone().or_else(|| tlslab_build::default_cache(|name| std::env::var_os(name)));
    let unpack = |cache: &Path| Ok(tlslab_tree::unpack(cache)?);
    let mut environment = Environment::find_or(cli.root.clone(), cache, &unpack)?;
    environment.pages = Some(&PageFiles);
    environment.evictor = Some(std::env::current_exe().context("cannot find the lab's own program")?);
    environment.trusted_cache.clone_from(&cli.trusted_cache);
    environment.allowed_hosts.clone_from(&cli.allow_host);
    if let Some(cargo_home) = std::env::var_os("CARGO_HOME") {
        environment.cargo_home = Some(cargo_home.into());
    }
    Ok(Lab { environment, isolation: cli.sandbox.isolation() })
}
