//! Arguments of `backfill` and `watch`.

use anyhow::Context;
use clap::{Args, ValueEnum};
use tlslab_lab::request::{BackfillRequest, Every, Seeds, Stacks, range};
use tlslab_protocol::Metric;
use tlslab_record::Seconds;

use super::{AsOfArgs, AskedMetric, KeptArgs, ListFormat};

/// Arguments of `backfill`.
#[derive(Args)]
pub struct BackfillArgs {
    /// The stack without a version, such as openssl or rustls/ring+lto.
    #[arg(value_name = "STACK")]
    pub stack: String,
    /// The oldest and the newest release, such as 3.0.0..3.6.3, 0.23.20.. or ..1.1.1w [default: all].
    #[arg(long, value_name = "A..B")]
    pub versions: Option<String>,
    /// Every release, or the last one of each minor release.
    #[arg(long, value_enum, default_value_t = AskedEvery::Patch)]
    pub every: AskedEvery,
    /// Also measure releases that the history has.
    #[arg(long)]
    pub again: bool,
    /// What is measured, and how.
    #[command(flatten)]
    pub points: PointArgs,
}

/// Arguments of `watch`.
#[derive(Args)]
pub struct WatchArgs {
    /// The stacks without versions, such as openssl or rustls/ring.
    #[arg(value_name = "STACK", required = true)]
    pub stacks: Vec<String>,
    /// What is measured, and how.
    #[command(flatten)]
    pub points: PointArgs,
}

/// How points of a history are measured.
#[derive(Args)]
pub struct PointArgs {
    /// The metrics to measure; may be repeated or separated by commas [default: count,heap].
    #[arg(long = "metric", value_enum, value_name = "METRIC", value_delimiter = ',')]
    pub metrics: Vec<AskedMetric>,
    /// The suite.
    #[arg(long, value_name = "NAME", default_value = "releases", conflicts_with = "scenarios")]
    pub suite: String,
    /// Scenarios instead of a suite's; may be repeated. * stays within a part of a name, ** does not.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// With --metric count, seeds of the deterministic RNG for each count.
    #[arg(long, value_name = "N", default_value = "3")]
    pub seeds: Seeds,
    /// With --metric time, how long each cell of a release is timed.
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub point: Seconds,
    /// Releases per run.
    #[arg(long, value_name = "N", default_value = "8")]
    pub at_once: Stacks,
    /// With --metric time, the canary: a stack that stays the same over the years, by whose time others are divided [default: canary
    /// in [run] of tlslab.toml].
    #[arg(long, value_name = "STACK")]
    pub canary: Option<String>,
    /// Dependencies.
    #[command(flatten)]
    pub as_of: AsOfArgs,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
}

/// Which releases.
#[derive(Clone, Copy, ValueEnum)]
pub enum AskedEvery {
    /// All of them.
    Patch,
    /// The last one of each minor release.
    Minor,
}

impl PointArgs {
    /// A request for releases of a stack.
    fn request(&self, stack: &str) -> BackfillRequest {
        let metrics: Vec<Metric> = self.metrics.iter().map(|metric| Metric::from(*metric)).collect();
        let usual = BackfillRequest::default();
        BackfillRequest {
            stack: stack.to_owned(),
            suite: self.suite.clone(),
            scenarios: self.scenarios.clone(),
            metrics: if metrics.is_empty() { usual.metrics } else { metrics },
            seeds: self.seeds,
            point_s: self.point,
            at_once: self.at_once,
            canary: self.canary.clone(),
            ..BackfillRequest::default()
        }
    }
}

impl WatchArgs {
    /// The requests, one for each stack.
    pub fn requests(&self) -> Vec<BackfillRequest> {
        let of = |stack: &String| BackfillRequest { only_newer: true, ..self.points.request(stack) };
        self.stacks.iter().map(of).collect()
    }
}

impl BackfillArgs {
    /// The request.
    ///
    /// # Errors
    /// Versions that are no range.
    pub fn request(&self) -> anyhow::Result<BackfillRequest> {
        let (from, to) = range(self.versions.as_deref().unwrap_or("..")).context("--versions")?;
        let every = match self.every {
            AskedEvery::Patch => Every::Patch,
            AskedEvery::Minor => Every::Minor,
        };
        Ok(BackfillRequest { from, to, every, again: self.again, ..self.points.request(&self.stack) })
    }
}
