//! Results of another program, kept beside the lab's own runs.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use tlslab_foreign::{
    BadRow, CriterionFiles, ForeignValue, Parsed, Text, bencher, ci_bench, criterion, gungraun, unique,
};
use tlslab_record::{Figure, FigureOutcome, FigureValue, ImportedRun, RawValues, Series};

use crate::bounded_read::read;

/// The longest file that is imported, bytes.
const LONGEST: u64 = 1 << 30;
/// How many wrong rows are reported one by one.
const MOST_REPORTED: usize = 30;

/// What is imported, and as what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportRequest {
    /// The files; of criterion its folder, such as `target/criterion`.
    pub files: Vec<PathBuf>,
    /// The program that wrote them.
    pub format: ForeignFormat,
    /// The revision or version that was measured.
    pub label: String,
    /// When it was measured [default: now].
    #[serde(default)]
    pub time: Option<Timestamp>,
    /// The stack's name in history [default: the format's name].
    #[serde(default)]
    pub stack: Option<String>,
    /// The class of machine that it ran on; only runs of one class are comparable.
    #[serde(default = "unknown")]
    pub class: String,
    /// What else must be the same for two runs to be comparable: kernel, compiler, program.
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
}

impl ForeignFormat {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::CiBench => "ci-bench",
            Self::Criterion => "criterion",
            Self::Gungraun => "gungraun",
            Self::Bencher => "bencher",
        }
    }
}

/// Reads everything: the run and its figures, if all of it is right.
///
/// # Errors
/// A file or a row that cannot be read; all wrong rows are named at once.
pub fn import(request: &ImportRequest) -> anyhow::Result<(ImportedRun, Vec<Figure>)> {
    let mut values: Vec<(String, ForeignValue)> = Vec::new();
    let mut bad: Vec<BadRow> = Vec::new();
    let mut take = |file: &Path, parsed: Parsed| match parsed {
        Ok(read) => values.extend(read.into_iter().map(|value| (file.display().to_string(), value))),
        Err(wrong) => bad.extend(wrong),
    };
    for file in &request.files {
        if request.format == ForeignFormat::Criterion {
            for folder in criterion_folders(file)? {
                take(&folder, criterion_benchmark(&folder)?);
            }
            continue;
        }
        let text = read(file, LONGEST)?;
        let text = Text { file: &file.display().to_string(), text: &text };
        let parsed = match request.format {
            ForeignFormat::CiBench => ci_bench(text),
            ForeignFormat::Gungraun => gungraun(text),
            ForeignFormat::Bencher | ForeignFormat::Criterion => bencher(text),
        };
        take(file, parsed);
    }
    if bad.is_empty() {
        bad.extend(unique(&values).err().unwrap_or_default());
    }
    if !bad.is_empty() {
        bail!("{}", refusal(&bad));
    }
    kept(request, values.into_iter().map(|(_, value)| value).collect())
}

fn refusal(bad: &[BadRow]) -> String {
    let mut text = format!("nothing is imported: {} rows cannot be read", bad.len());
    for row in bad.iter().take(MOST_REPORTED) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {row}");
    }
    if bad.len() > MOST_REPORTED {
        let _ = write!(text, "\n  and {} more", bad.len() - MOST_REPORTED);
    }
    text
}

fn kept(request: &ImportRequest, values: Vec<ForeignValue>) -> anyhow::Result<(ImportedRun, Vec<Figure>)> {
    let format = request.format.name();
    let time = request.time.unwrap_or_else(Timestamp::now);
    let started =
        u64::try_from(time.as_millisecond()).ok().context("the time is before 1970; give a later one")?;
    let ImportRequest { label, class, epoch, .. } = request;
    let stack = request.stack.clone().unwrap_or_else(|| format.to_owned());
    for (what, text) in [("label", label), ("stack", &stack), ("class", class), ("epoch", epoch)] {
        if text.trim().is_empty() || text.len() > 500 || text.chars().any(char::is_control) {
            bail!("{what} is empty, longer than 500 bytes, or has control characters; write a short name");
        }
    }
    let name = time.to_zoned(TimeZone::UTC).strftime("%Y%m%d-%H%M%S").to_string();
    let mut run = ImportedRun {
        id: format!("{name}-{:04x}", rand::rng().random::<u16>()),
        started_unix_ms: started,
        format: format.to_owned(),
        label: label.clone(),
        files: request.files.iter().map(|file| file.display().to_string()).collect(),
        raw: Vec::new(),
    };
    let mut figures = Vec::new();
    for value in values {
        let ForeignValue { benchmark, side, metric, unit, value, lower, upper, n, raw, better: _ } = value;
        let class = class.clone();
        let series = Series { scenario: benchmark, stack: stack.clone(), side, metric, unit, class };
        if !raw.is_empty() {
            run.raw.push(RawValues { series: series.clone(), values: raw });
        }
        figures.push(Figure {
            series,
            stack: stack.clone(),
            place: 0,
            label: label.clone(),
            epoch: epoch.clone(),
            outcome: FigureOutcome::Value(FigureValue { value, lower, upper, n }),
        });
    }
    Ok((run, figures))
}

/// The folders `new` of all benchmarks below one.
fn criterion_folders(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if root.is_file() {
        return Ok(vec![root.parent().unwrap_or(Path::new(".")).to_owned()]);
    }
    let files = tlslab_artifact::files(root, &|_| true)
        .with_context(|| format!("cannot list the folder {}", root.display()))?;
    let estimates = files.into_iter().filter(|file| file.ends_with("new/estimates.json"));
    let found: Vec<PathBuf> = estimates.filter_map(|file| Some(root.join(file.parent()?))).collect();
    if found.is_empty() {
        bail!(
            "there is no new/estimates.json below {}; give the folder that cargo bench wrote, such as target/criterion",
            root.display()
        );
    }
    Ok(found)
}

fn criterion_benchmark(folder: &Path) -> anyhow::Result<Parsed> {
    let [benchmark, estimates, sample] =
        ["benchmark.json", "estimates.json", "sample.json"].map(|name| folder.join(name));
    let names = [&benchmark, &estimates, &sample].map(|path| path.display().to_string());
    let (benchmark, estimates) = (read(&benchmark, LONGEST)?, read(&estimates, LONGEST)?);
    let sample = if sample.is_file() { Some(read(&sample, LONGEST)?) } else { None };
    Ok(criterion(CriterionFiles {
        benchmark: Text { file: &names[0], text: &benchmark },
        estimates: Text { file: &names[1], text: &estimates },
        sample: sample.as_deref().map(|text| Text { file: &names[2], text }),
    }))
}

fn unknown() -> String {
    "unknown".to_owned()
}
