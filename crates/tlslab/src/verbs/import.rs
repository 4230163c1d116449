//! `tlslab import`: results of another program, recorded in the lab's database.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;
use tlslab_job::Status;
use tlslab_lab::{ForeignBetterAsked, ForeignFormat, Given, ImportRequest, Kept, keep_imported};

use crate::cli::values::{Values, parse_named};
use crate::cli::{Invocation, KeptArgs};
use crate::results::open_store;

/// Formats of other programs' results.
const FOREIGN: Values = &[
    ("ci-bench", "rustls's ci-bench: icounts.csv, memory.csv or walltime.csv"),
    ("criterion", "Criterion's folder with estimates.json and sample.json of each benchmark"),
    ("gungraun", "Summaries of gungraun, formerly iai-callgrind, as JSON"),
    ("bencher", "Bencher Metric Format, JSON"),
    ("hyperfine", "hyperfine's --export-json"),
    ("google-benchmark", "google-benchmark's --benchmark_format=json"),
    ("openssl-speed", "The output of openssl speed, with -mr or without"),
    (
        "github-action",
        "The history that github-action-benchmark keeps, data.js or its JSON: a run for each of its entries",
    ),
    ("github-action-smaller", "An array of github-action-benchmark's customSmallerIsBetter"),
    ("github-action-bigger", "An array of github-action-benchmark's customBiggerIsBetter"),
    ("pyperf", "pyperf's JSON"),
    ("go", "The text of go test -bench"),
];

/// Which values are better.
const BETTER: Values = &[("smaller", "Smaller ones"), ("larger", "Larger ones")];

/// Arguments of `import`.
#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The files; for criterion its folder, such as target/criterion.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The program that wrote them.
    #[arg(long, value_parser = parse_named::<ForeignFormat>(FOREIGN))]
    pub format: ForeignFormat,
    /// The revision or version that was measured; a history of github-action has its own.
    #[arg(long, value_name = "REV")]
    pub label: Option<String>,
    /// When it was measured, such as 2026-11-21T14:00:00Z [default: now].
    #[arg(long, value_name = "RFC3339")]
    pub time: Option<Timestamp>,
    /// The metric, if the files do not name it; for criterion the metric of a measurement other than time.
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// The unit, if the files do not name it. Criterion's never do: without this option they are taken to be
    /// times in ns, which is wrong for a measurement in cycles or instructions.
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<String>,
    /// Which values are better, if neither format nor unit determines it. If it stays unknown, changes are
    /// neither regressions nor improvements.
    #[arg(long, value_parser = parse_named::<ForeignBetterAsked>(BETTER))]
    pub better: Option<ForeignBetterAsked>,
    /// The stack's name in history [default: the format's name].
    #[arg(long, value_name = "NAME")]
    pub stack: Option<String>,
    /// The class of the machine; only runs of one class are comparable.
    #[arg(long, value_name = "TEXT", default_value = "unknown")]
    pub class: String,
    /// The epoch: other conditions that must be the same for two runs to be comparable, such as kernel,
    /// compiler, program.
    #[arg(long, value_name = "TEXT", default_value = "unknown")]
    pub epoch: String,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}

impl ImportArgs {
    /// The request.
    pub(crate) fn request(&self) -> ImportRequest {
        let given = Given { metric: self.metric.clone(), unit: self.unit.clone(), better: self.better };
        let (files, label, stack) = (self.files.clone(), self.label.clone(), self.stack.clone());
        let (time, class, epoch) = (self.time, self.class.clone(), self.epoch.clone());
        ImportRequest { files, format: self.format, label, time, stack, given, class, epoch }
    }
}
use tlslab_text::number::counted;

/// Imports the files, and prints what was recorded.
pub(crate) fn import(args: &ImportArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let imports = tlslab_lab::import(&args.request())?;
    let mut store = open_store(&args.kept)?;
    let kept = keep_imported(&mut *store, &imports)?;
    let place = store.place();
    match (&kept.new[..], imports.first()) {
        ([(id, figures)], Some(only)) if imports.len() == 1 => {
            outln!(
                "{id}: {} of {} at {}, kept in {place}",
                counted(figures, "figure"),
                only.run.format,
                only.run.label
            );
        }
        (new, _) => {
            let figures: usize = new.iter().map(|(_, figures)| figures).sum();
            let known = match kept.known {
                0 => String::new(),
                known => format!("; {} already present", counted(known, "run")),
            };
            outln!(
                "{} with {}, kept in {place}{known}",
                counted(new.len(), "run"),
                counted(figures, "figure")
            );
        }
    }
    warn_unknown(&kept, invocation);
    Ok(Status::Done)
}

/// Reports which series get no verdict.
fn warn_unknown(kept: &Kept, invocation: &Invocation) {
    let Some(first) = kept.unknown.iter().next() else { return };
    let unit = if first.unit.is_empty() { "no unit".to_owned() } else { format!("unit {}", first.unit) };
    let text = format!(
        "import: {} without a direction, such as {} of {} ({unit}): their changes are neither regressions nor improvements; --better says which values are better",
        counted(kept.unknown.len(), "series"),
        first.metric,
        first.scenario,
    );
    errln!("{}", invocation.complete(&text));
}
