//! Imports results of another benchmark program.

mod criterion;
mod given;
mod keep;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use tlslab_foreign::{
    BadRow, ForeignBetter, ForeignRun, ForeignValue, Parsed, Text, bencher, ci_bench, github_action,
    github_action_history, go_test, google_benchmark, gungraun, hyperfine, openssl_speed, pyperf, unique,
};
use tlslab_record::{Better, BetterOf, Figure, FigureOutcome, FigureValue, ImportedRun, RawValues, Series};

use criterion::LONGEST;
pub use given::{ForeignBetterAsked, Given};
use given::{better_of, is_text};
pub use keep::{Imported, Kept, keep as keep_imported};

use crate::bounded_read::read;

/// The most wrong rows that are reported one by one.
const MOST_REPORTED: usize = 30;

/// What is imported, and under which names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportRequest {
    /// The files; for criterion its folder, such as `target/criterion`.
    pub files: Vec<PathBuf>,
    /// The program that wrote them.
    pub format: ForeignFormat,
    /// The revision or version that was measured; `None` for a format that contains it.
    #[serde(default)]
    pub label: Option<String>,
    /// When it was measured [default: now]; `None` for a format that contains it.
    #[serde(default)]
    pub time: Option<Timestamp>,
    /// The stack's name in history [default: the format's name].
    #[serde(default)]
    pub stack: Option<String>,
    /// Facts that its file lacks.
    #[serde(default)]
    pub given: Given,
    /// The class of machine that it ran on; only runs of one class are comparable.
    #[serde(default = "unknown")]
    pub class: String,
    /// Other conditions that must be the same for two runs to be comparable: kernel, compiler, program.
    #[serde(default = "unknown")]
    pub epoch: String,
}

/// Formats of other programs' results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForeignFormat {
    /// rustls's ci-bench: icounts.csv, memory.csv or walltime.csv.
    CiBench,
    /// Criterion's folder with estimates.json and sample.json of each benchmark.
    Criterion,
    /// Summaries of gungraun, formerly iai-callgrind, as JSON.
    Gungraun,
    /// Bencher Metric Format, JSON.
    Bencher,
    /// hyperfine's --export-json.
    Hyperfine,
    /// google-benchmark's JSON.
    GoogleBenchmark,
    /// The output of openssl speed, with -mr or without.
    OpensslSpeed,
    /// The history of github-action-benchmark: data.js or its JSON.
    GithubAction,
    /// An array of github-action-benchmark's customSmallerIsBetter.
    GithubActionSmaller,
    /// An array of github-action-benchmark's customBiggerIsBetter.
    GithubActionBigger,
    /// pyperf's JSON.
    Pyperf,
    /// The text of go test -bench.
    Go,
}

impl ForeignFormat {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::CiBench => "ci-bench",
            Self::Criterion => "criterion",
            Self::Gungraun => "gungraun",
            Self::Bencher => "bencher",
            Self::Hyperfine => "hyperfine",
            Self::GoogleBenchmark => "google-benchmark",
            Self::OpensslSpeed => "openssl-speed",
            Self::GithubAction => "github-action",
            Self::GithubActionSmaller => "github-action-smaller",
            Self::GithubActionBigger => "github-action-bigger",
            Self::Pyperf => "pyperf",
            Self::Go => "go",
        }
    }

    /// Whether its files name what was measured, and when.
    fn has_runs(self) -> bool {
        self == Self::GithubAction
    }
}

/// Reads everything: the runs and their figures, if all of it is valid. There is one run, or for a history
/// one per entry.
///
/// # Errors
/// Fails if a file or a row cannot be read (the error names all wrong rows), if a label or time is given that
/// the format contains, or if one is missing that it lacks.
pub fn import(request: &ImportRequest) -> anyhow::Result<Vec<Imported>> {
    let format = request.format;
    match (format.has_runs(), &request.label, request.time) {
        (true, None, None) => histories(request),
        (true, ..) => {
            bail!(
                "files of the {} format name their revisions and times; omit --label and --time",
                format.name()
            )
        }
        (false, None, _) => {
            bail!(
                "files of the {} format do not name the revision that was measured; give it with --label",
                format.name()
            )
        }
        (false, Some(label), time) => one_run(request, label, time.unwrap_or_else(Timestamp::now)),
    }
}

/// All files as one run.
fn one_run(request: &ImportRequest, label: &str, time: Timestamp) -> anyhow::Result<Vec<Imported>> {
    let mut values: Vec<(String, ForeignValue)> = Vec::new();
    let mut bad: Vec<BadRow> = Vec::new();
    let mut take = |file: &Path, parsed: Parsed| match parsed {
        Ok(read) => values.extend(read.into_iter().map(|value| (file.display().to_string(), value))),
        Err(wrong) => bad.extend(wrong),
    };
    for file in &request.files {
        if request.format == ForeignFormat::Criterion {
            for folder in criterion::folders(file)? {
                take(&folder, criterion::benchmark(&folder)?);
            }
            continue;
        }
        let text = read(file, LONGEST)?;
        take(file, parsed(request.format, Text { file: &file.display().to_string(), text: &text }));
    }
    if bad.is_empty() {
        bad.extend(unique(&values).err().unwrap_or_default());
    }
    if !bad.is_empty() {
        bail!("{}", refusal(&bad));
    }
    let mut values: Vec<ForeignValue> = values.into_iter().map(|(_, value)| value).collect();
    request.given.apply(request.format, &mut values)?;
    let unix_ms = u64::try_from(time.as_millisecond()).ok();
    let unix_ms = unix_ms.context("the time is before 1970; give a later one")?;
    Ok(vec![record_import(request, label, unix_ms, values)?])
}

fn parsed(format: ForeignFormat, text: Text<'_>) -> Parsed {
    match format {
        ForeignFormat::CiBench => ci_bench(text),
        ForeignFormat::Gungraun => gungraun(text),
        ForeignFormat::Hyperfine => hyperfine(text),
        ForeignFormat::GoogleBenchmark => google_benchmark(text),
        ForeignFormat::OpensslSpeed => openssl_speed(text),
        ForeignFormat::GithubActionSmaller => github_action(text, ForeignBetter::Smaller),
        ForeignFormat::GithubActionBigger => github_action(text, ForeignBetter::Larger),
        ForeignFormat::Pyperf => pyperf(text),
        ForeignFormat::Go => go_test(text),
        // The other two are read differently: a folder, and a history.
        ForeignFormat::Bencher | ForeignFormat::Criterion | ForeignFormat::GithubAction => bencher(text),
    }
}

/// Every entry of the files as a run.
fn histories(request: &ImportRequest) -> anyhow::Result<Vec<Imported>> {
    let (mut runs, mut bad): (Vec<ForeignRun>, Vec<BadRow>) = (Vec::new(), Vec::new());
    for file in &request.files {
        let text = read(file, LONGEST)?;
        let name = file.display().to_string();
        match github_action_history(Text { file: &name, text: &text }) {
            Ok(read) => {
                for run in &read {
                    let values: Vec<_> =
                        run.values.iter().map(|value| (name.clone(), value.clone())).collect();
                    bad.extend(unique(&values).err().unwrap_or_default());
                }
                runs.extend(read);
            }
            Err(wrong) => bad.extend(wrong),
        }
    }
    if !bad.is_empty() {
        bail!("{}", refusal(&bad));
    }
    let mut all: Vec<ForeignValue> = runs.iter().flat_map(|run| run.values.clone()).collect();
    request.given.apply(request.format, &mut all)?;
    let mut all = all.into_iter();
    let mut imports = Vec::new();
    let mut ids = BTreeSet::new();
    for run in runs {
        let values = all.by_ref().take(run.values.len()).collect();
        let mut import = record_import(request, &run.label, run.unix_ms, values)?;
        while !ids.insert(import.run.id.clone()) {
            import.run.id = new_id(run.unix_ms)?;
        }
        imports.push(import);
    }
    Ok(imports)
}

fn refusal(bad: &[BadRow]) -> String {
    let mut text =
        format!("nothing is imported: {}", tlslab_text::number::counted(bad.len(), "unreadable row"));
    for row in bad.iter().take(MOST_REPORTED) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {row}");
    }
    if bad.len() > MOST_REPORTED {
        let _ = write!(text, "\n  and {} more", bad.len() - MOST_REPORTED);
    }
    text
}

/// A run's identifier: its time, and four digits that distinguish it from others of the same second.
fn new_id(unix_ms: u64) -> anyhow::Result<String> {
    let ms = i64::try_from(unix_ms).context("the time is too large")?;
    let time = Timestamp::from_millisecond(ms).context("the time is too large")?;
    let name = time.to_zoned(TimeZone::UTC).strftime("%Y%m%d-%H%M%S").to_string();
    Ok(format!("{name}-{:04x}", rand::rng().random::<u16>()))
}

fn record_import(
    request: &ImportRequest,
    label: &str,
    unix_ms: u64,
    values: Vec<ForeignValue>,
) -> anyhow::Result<Imported> {
    let format = request.format.name();
    let ImportRequest { class, epoch, .. } = request;
    let stack = request.stack.clone().unwrap_or_else(|| format.to_owned());
    for (what, text) in [("label", label), ("stack", &*stack), ("class", class), ("epoch", epoch)] {
        let next = "write a short name";
        ensure!(
            is_text(text, 500),
            "{what} is empty, longer than 500 bytes, or has control characters; {next}"
        );
    }
    let mut run = ImportedRun {
        id: new_id(unix_ms)?,
        started_unix_ms: unix_ms,
        format: format.to_owned(),
        label: label.to_owned(),
        files: request.files.iter().map(|file| file.display().to_string()).collect(),
        raw: Vec::new(),
    };
    let (mut figures, mut said) = (Vec::new(), Vec::new());
    for foreign in values {
        let better = better_of(&foreign);
        let ForeignValue { benchmark, side, metric, unit, value, lower, upper, n, raw, better: _ } = foreign;
        let class = class.clone();
        let series = Series { scenario: benchmark, stack: stack.clone(), side, metric, unit, class };
        if better != Better::of_series(&series) {
            said.push(BetterOf { series: series.clone(), better });
        }
        if !raw.is_empty() {
            run.raw.push(RawValues { series: series.clone(), values: raw });
        }
        figures.push(Figure {
            series,
            stack: stack.clone(),
            place: 0,
            label: label.to_owned(),
            epoch: epoch.clone(),
            outcome: FigureOutcome::Value(FigureValue { value, lower, upper, n }),
        });
    }
    Ok(Imported { run, figures, better: said })
}

fn unknown() -> String {
    "unknown".to_owned()
}
