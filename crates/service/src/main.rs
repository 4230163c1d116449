//! The service: measures pull requests, pushes and schedules.

mod actions;
mod announce;
mod authorities;
mod beats;
mod bisection;
mod canary;
mod check;
mod commands;
mod config;
#[cfg(test)]
#[path = "../tests/support/configuration.rs"]
mod configuration;
mod fetch_token;
mod follow_up;
mod http;
mod inbox;
mod keep;
mod letters;
mod limits;
mod local;
mod log;
mod loops;
mod message;
#[cfg(test)]
mod model;
mod new_jobs;
mod notify;
mod outbox;
mod planning;
mod pool;
mod private;
mod pull_names;
mod pushes;
mod received;
mod reconcile;
mod render;
mod runners;
mod sample_cache;
mod schedule;
mod secret;
mod serve;
mod service;
mod site_cache;
mod starting;
mod stored_result;
mod subject;
mod tries;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Parser, Subcommand};
use tlslab_queue::{Access, Scope, hash_key};
use tlslab_text::number::counted;

use crate::config::{Config, folder_of};
use crate::pool::Pool;

/// Measures pull requests, pushes and schedules: webhooks in, a queue, runners, comments and statuses out.
#[derive(Parser)]
#[command(name = "tlslab-service", version)]
struct Cli {
    /// The configuration [default: none; it listens on 127.0.0.1:7474 with a database in the folder
    /// tlslab-service].
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// The program tlslab, for the runner on this machine [default: in the folder of this program].
    #[arg(long, value_name = "FILE", global = true)]
    lab: Option<PathBuf>,
    /// Another address to listen at than the configuration's.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<std::net::SocketAddr>,
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Subcommand)]
enum Verb {
    /// Check the configuration and its secrets, ask each code host for the token's rights and the webhook,
    /// and have it send a test.
    Check {
        /// Ask no code host.
        #[arg(long)]
        offline: bool,
    },
    /// Print a new token for a program that asks the service; it replaces an earlier one of the same name.
    Token {
        /// The name of its owner.
        name: String,
        /// Its scopes: read, submit or administer.
        #[arg(long, value_name = "SCOPE", value_delimiter = ',', default_value = "submit")]
        scope: Vec<Scope>,
    },
    /// Print the address of the database, with a password if it has one, for scripts such as
    /// packaging/database.
    Database,
    /// End a token.
    Revoke {
        /// The name of its owner.
        name: String,
    },
    /// Add runners, change their keys, and let them rest.
    #[command(subcommand)]
    Runner(runners::RunnerVerb),
}

/// Larger buffers go back to the system when they are freed, bytes.
#[cfg(target_env = "gnu")]
const LARGE_BUFFER: i32 = 1 << 18;

fn main() -> ExitCode {
    // glibc would raise its own threshold with the first body of some megabytes, and keep as much in each thread.
    // SAFETY: it sets a number of the allocator, before there is any other thread.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BUFFER)
    };
    match carried_out(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tlslab-service: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn carried_out(cli: Cli) -> anyhow::Result<()> {
    let (mut config, beside) = match &cli.config {
        Some(path) => (Config::read(path)?, folder_of(path)?),
        None => (Config::default(), PathBuf::from(".")),
    };
    if let Some(listen) = cli.listen {
        config.listen = listen;
    }
    match cli.verb {
        None => serve::serve(config, &beside, &lab(cli.lab)?),
        Some(Verb::Check { offline }) => {
            let service = service::Service::new(config, &beside, None)?;
            println!(
                "{}, {}, {}, {}; listens at {}",
                counted(service.forges.len(), "forge"),
                counted(service.config.projects.len(), "project"),
                counted(service.runners.len(), "runner"),
                counted(service.config.schedules.len(), "schedule"),
                service.config.listen
            );
            if offline { Ok(()) } else { check::code_hosts(&service) }
        }
        Some(Verb::Token { name, scope }) => {
            let token = local::new_secret();
            let access = Access { name, scopes: scope };
            database(&config)?.with(|queue| queue.grant(&access, &hash_key(&token)))?;
            println!("{token}");
            Ok(())
        }
        Some(Verb::Database) => {
            println!("{}", config.address_for_programs()?);
            Ok(())
        }
        Some(Verb::Revoke { name }) => {
            let was_there = database(&config)?.with(|queue| queue.revoke(&name))?;
            anyhow::ensure!(was_there, "there is no token of {name}");
            Ok(())
        }
        Some(Verb::Runner(verb)) => runners::carry_out(&database(&config)?, &verb),
    }
}

fn database(config: &Config) -> anyhow::Result<Pool> {
    std::fs::create_dir_all(&config.folder)
        .with_context(|| format!("cannot make the folder {}", config.folder.display()))?;
    Ok(Pool::new(config.address(), None))
}

/// The program that runners start.
fn lab(named: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let beside = || -> anyhow::Result<PathBuf> {
        let own = std::env::current_exe().context("cannot find this program's own file")?;
        Ok(own.with_file_name("tlslab"))
    };
    let lab = named.map_or_else(beside, Ok)?;
    anyhow::ensure!(
        lab.is_file(),
        "there is no program tlslab at {}; build it (cargo build --release -p tlslab) or name it with --lab",
        lab.display()
    );
    Ok(lab.canonicalize()?)
}
