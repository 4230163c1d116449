//! `tlslab serve`: starts the service, which is a separate program.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};
use clap::Args;
use tlslab_job::Status;

/// Arguments of `serve`.
#[derive(Args)]
pub(crate) struct ServeArgs {
    /// The configuration: projects, code hosts, runners [default: none; it listens on 127.0.0.1:7474].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Listen at this address instead of the configuration's.
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<std::net::SocketAddr>,
}

/// Replaces this process by the service, or reports how to build it.
pub(crate) fn serve(args: &ServeArgs) -> anyhow::Result<Status> {
    let own = std::env::current_exe().context("cannot find the lab's own program")?;
    let service = own.with_file_name("tlslab-service");
    if !service.is_file() {
        bail!(
            "the service is a separate program, and {} does not exist; in the lab's folder run `make serve`, or `cargo build --release -p \
             tlslab-service`",
            service.display()
        );
    }
    let mut command = Command::new(&service);
    command.arg("--lab").arg(&own);
    if let Some(config) = &args.config {
        command.arg("--config").arg(config);
    }
    if let Some(listen) = args.listen {
        command.arg("--listen").arg(listen.to_string());
    }
    Err(command.exec()).with_context(|| format!("cannot start {}", service.display()))
}
