//! `tlslab import`: results of another program, kept beside the lab's own runs.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rand::RngExt;
use tlslab_foreign::{
    BadRow, CriterionFiles, ForeignValue, Text, bencher, ci_bench, criterion, gungraun, unique,
};
use tlslab_record::{Figure, FigureOutcome, FigureValue, ImportedRun, RawValues, Series};

use crate::Ended;
use crate::cli::{ForeignFormat, ImportArgs};
use crate::results::open_store;

/// How many wrong rows are reported one by one.
const MOST_TOLD: usize = 30;

/// Reads everything, and keeps it if all of it is right.
pub fn import(args: &ImportArgs) -> anyhow::Result<Ended> {
    let mut values: Vec<(String, ForeignValue)> = Vec::new();
    let mut bad: Vec<BadRow> = Vec::new();
    let mut take = |file: &Path, parsed: tlslab_foreign::Parsed| match parsed {
        Ok(read) => values.extend(read.into_iter().map(|value| (file.display().to_string(), value))),
        Err(wrong) => bad.extend(wrong),
    };
    for file in &args.files {
        match args.format {
            ForeignFormat::Criterion => {
                for folder in criterion_folders(file)? {
                    take(&folder, criterion_benchmark(&folder)?);
                }
            }
            format => {
                let text = read(file)?;
                let text = Text { file: &file.display().to_string(), text: &text };
                take(
                    file,
                    match format {
                        ForeignFormat::CiBench => ci_bench(text),
                        ForeignFormat::Gungraun => gungraun(text),
                        _ => bencher(text),
                    },
                );
            }
        }
    }
    if bad.is_empty() {
        bad.extend(unique(&values).err().unwrap_or_default());
    }
    if !bad.is_empty() {
        return refuse(&bad);
    }
    let time = args.time.unwrap_or_else(Timestamp::now);
    let (run, figures) = kept(args, time, values.into_iter().map(|(_, value)| value).collect())?;
    let mut store = open_store(&args.kept)?;
    store.import(&run, &figures)?;
    println!(
        "{}: {} figures of {} at {}, kept in {}",
        run.id,
        figures.len(),
        run.format,
        run.label,
        store.place()
    );
    Ok(Ended::Well)
}

fn refuse(bad: &[BadRow]) -> anyhow::Result<Ended> {
    for row in bad.iter().take(MOST_TOLD) {
        eprintln!("{row}");
    }
    if bad.len() > MOST_TOLD {
        eprintln!("and {} more", bad.len() - MOST_TOLD);
    }
    bail!("nothing is imported: {} rows cannot be read; they are named above", bad.len())
}

fn kept(
    args: &ImportArgs,
    time: Timestamp,
    values: Vec<ForeignValue>,
) -> anyhow::Result<(ImportedRun, Vec<Figure>)> {
    let format = args.format.name();
    let started =
        u64::try_from(time.as_millisecond()).ok().context("--time is before 1970; give a later one")?;
    let stack = args.stack.clone().unwrap_or_else(|| format.to_owned());
    for (what, text) in
        [("--label", &args.label), ("--stack", &stack), ("--class", &args.class), ("--epoch", &args.epoch)]
    {
        if text.trim().is_empty() || text.len() > 500 || text.chars().any(char::is_control) {
            bail!("{what} is empty, longer than 500 bytes, or has control characters; write a short name");
        }
    }
    let name = time.to_zoned(TimeZone::UTC).strftime("%Y%m%d-%H%M%S").to_string();
    let mut run = ImportedRun {
        id: format!("{name}-{:04x}", rand::rng().random::<u16>()),
        started_unix_ms: started,
        format: format.to_owned(),
        label: args.label.clone(),
        files: args.files.iter().map(|file| file.display().to_string()).collect(),
        raw: Vec::new(),
    };
    let mut figures = Vec::new();
    for value in values {
        let ForeignValue { benchmark, side, metric, unit, value, lower, upper, n, raw } = value;
        let class = args.class.clone();
        let series = Series { scenario: benchmark, stack: stack.clone(), side, metric, unit, class };
        if !raw.is_empty() {
            run.raw.push(RawValues { series: series.clone(), values: raw });
        }
        figures.push(Figure {
            series,
            stack: stack.clone(),
            place: 0,
            label: args.label.clone(),
            epoch: args.epoch.clone(),
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
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("cannot list the folder {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if !path.is_dir() {
                continue;
            }
            if path.file_name().is_some_and(|name| name == "new") && path.join("estimates.json").is_file() {
                found.push(path);
            } else {
                folders.push(path);
            }
        }
    }
    if found.is_empty() {
        bail!(
            "there is no new/estimates.json below {}; give the folder that cargo bench wrote, such as target/criterion",
            root.display()
        );
    }
    found.sort();
    Ok(found)
}

fn criterion_benchmark(folder: &Path) -> anyhow::Result<tlslab_foreign::Parsed> {
    let [benchmark, estimates, sample] =
        ["benchmark.json", "estimates.json", "sample.json"].map(|name| folder.join(name));
    let names = [&benchmark, &estimates, &sample].map(|path| path.display().to_string());
    let (benchmark, estimates) = (read(&benchmark)?, read(&estimates)?);
    let sample = if sample.is_file() { Some(read(&sample)?) } else { None };
    Ok(criterion(CriterionFiles {
        benchmark: Text { file: &names[0], text: &benchmark },
        estimates: Text { file: &names[1], text: &estimates },
        sample: sample.as_deref().map(|text| Text { file: &names[2], text }),
    }))
}

fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
