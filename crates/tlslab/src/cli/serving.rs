//! The arguments of the verbs that have others measured.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `serve`.
#[derive(Args)]
pub struct ServeArgs {
    /// The configuration: projects, code hosts, runners [default: none; it listens on 127.0.0.1:7474].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Another address to listen at than the configuration's.
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<std::net::SocketAddr>,
}

/// Arguments of `runner`.
#[derive(Args)]
pub struct RunnerArgs {
    /// The service: https://HOST, or http://127.0.0.1:PORT on the same machine.
    #[arg(long, value_name = "URL")]
    pub service: String,
    /// A file with this runner's key, as the service has it.
    #[arg(long, value_name = "FILE")]
    pub key_file: PathBuf,
    /// Where jobs have their folders while they are carried out.
    #[arg(long, value_name = "DIR", default_value = "tlslab-runner")]
    pub folder: PathBuf,
    /// Carry out the jobs that wait, and end.
    #[arg(long)]
    pub once: bool,
    /// Processors for jobs that measure no time, such as 2-3: they are carried out beside one that does, which has the others.
    #[arg(long, value_name = "LIST")]
    pub counting_processors: Option<String>,
    /// How many of these jobs at once.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "counting_processors",
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub counting_places: u32,
}
