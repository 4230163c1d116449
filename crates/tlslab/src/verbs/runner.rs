//! `tlslab runner`: takes jobs from a service.

use std::path::{PathBuf, absolute};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, ensure};
use clap::Args;
use signal_hook::consts::SIGQUIT;
use tlslab_job::Status;
use tlslab_lab::{Cancel, host_class, read_bounded, usable_processors};
use tlslab_runner::{Client, Counting, NEEDED_BYTES, Runner, RunnerConfig, Until};

use crate::session::Lab;
use crate::signals::cancel_on_signals;

/// Arguments of `runner`.
#[derive(Args)]
pub(crate) struct RunnerArgs {
    /// The service: https://HOST, or http://127.0.0.1:PORT on the same machine.
    #[arg(long, value_name = "URL")]
    pub service: String,
    /// A file with this runner's key, as the service has it.
    #[arg(long, value_name = "FILE")]
    pub key_file: PathBuf,
    /// The folder in which jobs have their own folders while they run.
    #[arg(long, value_name = "DIR", default_value = "tlslab-runner")]
    pub folder: PathBuf,
    /// Carry out the waiting jobs, and end.
    #[arg(long)]
    pub once: bool,
    /// Processors for jobs that measure no time, such as 2-3: such jobs run at the same time as one that
    /// does, which has the other processors.
    #[arg(long, value_name = "LIST")]
    pub counting_processors: Option<String>,
    /// How many of these jobs may run at once.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "counting_processors",
          value_parser = clap::value_parser!(u32).range(1..=64))]
    pub counting_places: u32,
}

/// Characters of a key.
const LONGEST_KEY: u64 = 1_024;

/// Takes jobs until Ctrl-C or SIGTERM; the current job is then given back, and its measurements stay. SIGQUIT
/// lets it finish first.
pub(crate) fn runner(lab: &Lab, root: Option<PathBuf>, args: &RunnerArgs) -> anyhow::Result<Status> {
    let key = read_bounded(&args.key_file, LONGEST_KEY)?;
    let client = Client::new(&args.service, key.trim())?;
    let cancel = Cancel::new();
    cancel_on_signals(&cancel)?;
    let drain = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGQUIT, drain.clone()).context("cannot listen for signals")?;
    let config = RunnerConfig {
        lab: std::env::current_exe().context("cannot find the lab's own program")?,
        directory: std::env::current_dir().context("cannot find the current folder")?,
        root,
        cache: Some(absolute(&lab.environment.cache)?),
        folder: absolute(&args.folder)?,
        machine: (std::env::consts::ARCH.to_owned(), host_class()),
        counting: counting(args)?,
        room_bytes: NEEDED_BYTES,
        report: Box::new(|text| errln!("{text}")),
    };
    let until = Until { stop: cancel.flag(), drain: &drain, only_waiting: args.once };
    Runner::new(config, client).run(&until)?;
    Ok(Status::Done)
}

/// The places for jobs that measure no time, and the processors for the others.
fn counting(args: &RunnerArgs) -> anyhow::Result<Option<Counting>> {
    let Some(list) = &args.counting_processors else { return Ok(None) };
    let usable: Vec<usize> = usable_processors();
    let processors = processors(list).with_context(|| {
        format!(
            "--counting-processors: \"{}\" is not a list of processors; write 2,3 or 2-3",
            list.escape_debug()
        )
    })?;
    let missing: Vec<String> =
        processors.iter().filter(|cpu| !usable.contains(cpu)).map(usize::to_string).collect();
    ensure!(
        missing.is_empty(),
        "--counting-processors: this process may not use {}; it may use {usable:?}",
        missing.join(", ")
    );
    let others: Vec<usize> = usable.into_iter().filter(|cpu| !processors.contains(cpu)).collect();
    ensure!(!others.is_empty(), "--counting-processors: no processor is left for jobs that measure time");
    Ok(Some(Counting { places: args.counting_places, processors, others }))
}

fn processors(list: &str) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.trim().parse::<usize>().ok()?, last.trim().parse::<usize>().ok()?);
        (first <= last && last < 4_096).then(|| all.extend(first..=last))?;
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::processors;

    #[test]
    fn a_list_of_processors_has_numbers_and_spans() {
        assert_eq!(processors("2,3"), Some(vec![2, 3]));
        assert_eq!(processors("4-6, 1"), Some(vec![1, 4, 5, 6]));
        for wrong in ["", "a", "3-1", "1,,2", "-1", "0-99999"] {
            assert_eq!(processors(wrong), None, "{wrong}");
        }
    }
}
