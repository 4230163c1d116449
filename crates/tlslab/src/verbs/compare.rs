//! `tlslab compare`: two things measured together, and what changed between them.

use std::path::PathBuf;

use anyhow::{bail, ensure};
use serde_json::json;
use tlslab_comparison::{Comparison, Verdict, html, json as full, markdown, terminal};
use tlslab_lab::request::{CompareFoldersRequest, CompareRunsRequest, RunPlace};
use tlslab_lab::{
    Environment, Error, compare as compare_stacks, compare_folders, compare_runs, read_comparison,
};

use crate::Ended;
use crate::cli::{CompareArgs, ComparisonFormat, FailOn, Invocation};
use crate::session::{CachedBuilds, in_session};

/// Compares.
pub fn compare(
    environment: &Environment,
    args: &CompareArgs,
    invocation: &Invocation,
) -> anyhow::Result<Ended> {
    if let Some(file) = &args.from {
        return Ok(print(&read_comparison(file)?, args, invocation));
    }
    if args.folders {
        let [base, new] = two(args, "`tlslab compare --folders BASELINE CANDIDATE`")?;
        return folders(environment, args, base, new);
    }
    let done = if args.runs {
        let [base, new] = two(args, "`tlslab compare --runs BASELINE CANDIDATE`")?;
        let request =
            CompareRunsRequest { baseline: place(base), candidate: place(new), results: args.kept.results() };
        in_session(environment, CachedBuilds::Hidden, |session| compare_runs(session, &request))
    } else {
        let request = args.request()?;
        in_session(environment, CachedBuilds::Hidden, |session| compare_stacks(session, &request))
    };
    match done {
        Ok(comparison) => Ok(print(&comparison, args, invocation)),
        Err(Error::Interrupted { run }) => {
            if let Some(run) = run {
                let functions = if args.no_functions { " --no-functions" } else { "" };
                let again = invocation.complete(&format!("`tlslab compare --resume {run}{functions}`"));
                errln!("interrupted; everything measured is kept. Go on with: {again}");
            }
            Ok(Ended::Interrupted)
        }
        Err(Error::Failed(cause)) => Err(cause),
    }
}

/// Baseline and candidate.
fn two<'a>(args: &'a CompareArgs, usage: &str) -> anyhow::Result<[&'a str; 2]> {
    match &args.stacks[..] {
        [base, new] => Ok([base, new]),
        _ => bail!("name two: {usage}"),
    }
}

/// `ID`, or `ID@DIR` for one that is kept elsewhere.
fn place(text: &str) -> RunPlace {
    match text.split_once('@') {
        Some((run, folder)) => RunPlace { run: run.to_owned(), folder: Some(PathBuf::from(folder)) },
        None => RunPlace { run: text.to_owned(), folder: None },
    }
}

/// Compares the rows of two folders.
fn folders(environment: &Environment, args: &CompareArgs, base: &str, new: &str) -> anyhow::Result<Ended> {
    ensure!(
        args.format != ComparisonFormat::Html,
        "--folders: rows have no page; use --format table, markdown or json"
    );
    let request = CompareFoldersRequest {
        baseline: base.into(),
        candidate: new.into(),
        threshold: args.threshold,
        functions: !args.no_functions,
    };
    let compared =
        in_session(environment, CachedBuilds::Hidden, |session| compare_folders(session, &request));
    let compared = compared.map_err(anyhow::Error::from)?;
    let rows = compared.files.iter().map(|file| &file.rows);
    let text: String = match args.format {
        ComparisonFormat::Json => {
            let files = compared.files.iter().map(|file| json!({ "file": file.file, "compared": file.rows }));
            let files: Vec<_> = files.collect();
            format!("{:#}\n", json!({ "files": files, "functions_markdown": compared.functions }))
        }
        ComparisonFormat::Markdown => {
            rows.map(|rows| rows.markdown(compared.threshold)).collect::<String>() + &compared.functions
        }
        _ => {
            // Tables of functions are Markdown; a terminal needs none of the markup around them.
            let functions = compared.functions.lines().filter(|line| !line.starts_with('<'));
            let functions = functions.flat_map(|line| [line, "\n"]).collect::<String>();
            rows.map(|rows| rows.terminal(compared.threshold, args.all)).collect::<String>() + &functions
        }
    };
    out!("{text}");
    let changed = compared.significant();
    Ok(match args.fail_on {
        Some(FailOn::Regression) if changed.iter().any(|share| *share > 0.0) => Ended::Changed,
        Some(FailOn::Change) if !changed.is_empty() => Ended::Changed,
        _ => Ended::Well,
    })
}

fn print(comparison: &Comparison, args: &CompareArgs, invocation: &Invocation) -> Ended {
    let text = match args.format {
        ComparisonFormat::Table => invocation.complete(&terminal(comparison, args.all)),
        ComparisonFormat::Markdown => markdown(comparison),
        ComparisonFormat::Json => full(comparison),
        ComparisonFormat::Html => html(comparison),
    };
    out!("{text}");
    let worse = comparison.count(Verdict::Regression);
    let better = comparison.count(Verdict::Improvement);
    match args.fail_on {
        Some(FailOn::Regression) if worse > 0 => Ended::Changed,
        Some(FailOn::Change) if worse + better > 0 => Ended::Changed,
        _ if comparison.has_failures() => Ended::WithFailures,
        _ => Ended::Well,
    }
}
