//! `tlslab compare`: two stacks, runs or scenarios, and the changes between them.

mod args;
mod scenarios;

use std::path::Path;

use anyhow::{Context, bail};
use serde_json::json;
use tlslab_comparison::{json as full, markdown, terminal};
use tlslab_job::{Outcome, Request, Status, carry_out};
use tlslab_lab::{
    Error, ErrorKind, Pages, Problem, Results, at_merge_base, compare_folders, compare_records,
    read_comparison, run_id,
};
use tlslab_lab::{request::CompareFoldersRequest, request::CompareRunsRequest};
use tlslab_record::RunRecord;

use crate::cli::Invocation;
use crate::pages::PageFiles;
use crate::session::{CachedBuilds, Lab, carried_out, in_session};
pub(crate) use args::{CompareArgs, ComparisonFormat};
use scenarios::compare_scenarios;

/// Shows the comparison in the file that `--from` names.
pub(crate) fn show(args: &CompareArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let file = args.from.as_deref().context("name the file with --from")?;
    let comparison = Outcome::Comparison(Box::new(read_comparison(file)?));
    Ok(print(&comparison, args, invocation))
}

/// Compares.
pub(crate) fn compare(lab: &Lab, args: &CompareArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    if !args.of_scenarios.is_empty() {
        return compare_scenarios(lab, args, invocation);
    }
    if args.folders {
        let [baseline, candidate] = two(args, "`tlslab compare --folders BASELINE CANDIDATE`")?;
        return folders(lab, args, baseline, candidate);
    }
    if let [baseline, candidate] = &args.stacks[..]
        && !args.runs
        && [baseline, candidate].iter().all(|folder| has_rows(folder))
    {
        return folders(lab, args, baseline, candidate);
    }
    let results = &Results { history: args.history.clone(), ..args.kept.results() };
    let done = if args.runs {
        let [baseline, candidate] = two(args, "`tlslab compare --runs BASELINE CANDIDATE`")?;
        of_runs(lab, results, baseline, candidate)
    } else {
        let conditions = &lab.new_or_resumed(args.resume.as_deref(), results, true)?;
        let mut request = args.request()?;
        in_session(lab, results, conditions, CachedBuilds::Hidden, |session| {
            if let Some((candidate, branch)) = args.merge_base() {
                request
                    .pairs
                    .insert(0, (at_merge_base(&session.workshop, candidate, branch)?, candidate.to_owned()));
            }
            let request = Request::Compare(Box::new(request));
            carry_out(session, &args.as_of.put_in(session.environment(), request)?)
        })
    };
    match done {
        Ok(outcome) => Ok(print(&outcome, args, invocation)),
        Err(Error::Interrupted { run }) => {
            if let Some(run) = run {
                let functions = if args.no_functions { " --no-functions" } else { "" };
                let again = invocation.complete(&format!("`tlslab compare --resume {run}{functions}`"));
                errln!("interrupted; measurements are saved. To resume: {again}");
            }
            Ok(Status::Interrupted)
        }
        Err(Error::Failed(cause)) => Err(cause),
    }
}

/// Whether this is a folder that `tlslab run-all` or the program `ci-bench` made.
fn has_rows(folder: &str) -> bool {
    Path::new(folder).join("icounts.csv").is_file()
}

/// Baseline and candidate.
fn two<'a>(args: &'a CompareArgs, usage: &str) -> anyhow::Result<[&'a str; 2]> {
    match &args.stacks[..] {
        [base, new] => Ok([base, new]),
        _ => {
            let cause = format!("{} of two are named", args.stacks.len());
            bail!(Problem::invalid("stacks", "the comparison", cause, format!("name two: {usage}")))
        }
    }
}

/// The run `ID`, or `ID@DIR` for one in another folder.
fn load(text: &str, results: &Results) -> anyhow::Result<RunRecord> {
    let Some((run, folder)) = text.split_once('@') else {
        let store = results.open_to_read()?;
        return Ok(store.load(&run_id(&*store, text)?)?);
    };
    let database = Path::new(folder).join("tlslab.sqlite");
    if !database.is_file() {
        let cause = format!("there is no database in {folder}");
        bail!(Problem::new(
            ErrorKind::NotFound,
            format!("run {run}"),
            cause,
            "name the folder that has tlslab.sqlite"
        ));
    }
    let store = Results::of(folder.into()).open_to_read()?;
    Ok(store.load(&run_id(&*store, run)?)?)
}

/// Compares the rows of two folders.
fn folders(lab: &Lab, args: &CompareArgs, baseline: &str, candidate: &str) -> anyhow::Result<Status> {
    if args.format == ComparisonFormat::Html {
        let cause = "rows of folders have no page";
        bail!(Problem::invalid("format", "html", cause, "use table, markdown or json"));
    }
    let request = CompareFoldersRequest {
        baseline: baseline.into(),
        candidate: candidate.into(),
        threshold: args.threshold,
        functions: !args.no_functions,
    };
    let compared = in_session(lab, &args.kept.results(), &lab.new_job(), CachedBuilds::Hidden, |session| {
        compare_folders(session, &request)
    });
    let compared = compared.map_err(anyhow::Error::from)?;
    let rows = compared.files.iter().map(|file| &file.rows);
    let text: String = match args.format {
        ComparisonFormat::Json => {
            let files = compared.files.iter().map(|file| json!({ "file": file.file, "compared": file.rows }));
            let files: Vec<_> = files.collect();
            format!("{:#}\n", json!({ "files": files, "functions_markdown": compared.functions }))
        }
        ComparisonFormat::Table if args.folders => {
            // Tables of functions are Markdown; a terminal needs none of its markup.
            let functions = compared.functions.lines().filter(|line| !line.starts_with('<'));
            let functions = functions.flat_map(|line| [line, "\n"]).collect::<String>();
            rows.map(|rows| rows.terminal(compared.threshold, args.all)).collect::<String>() + &functions
        }
        // Without --folders it prints the same as the program `ci-bench` with these commands.
        _ => rows.map(|rows| rows.markdown(compared.threshold)).collect::<String>() + &compared.functions,
    };
    out!("{text}");
    let outcome = Outcome::Folders(compared);
    Ok(args.fail_on.map_or(Status::Done, |fail_on| outcome.status_on(fail_on)))
}

/// Prints a comparison in the requested format and returns the exit status.
pub(crate) fn print(outcome: &Outcome, args: &CompareArgs, invocation: &Invocation) -> Status {
    let Outcome::Comparison(comparison) = outcome else { unreachable!("a comparison was asked for") };
    let text = match args.format {
        ComparisonFormat::Table => invocation.complete(&terminal(comparison, args.all)),
        ComparisonFormat::Markdown => markdown(comparison),
        ComparisonFormat::Json => full(comparison),
        ComparisonFormat::Html => PageFiles.comparison(comparison, &[]),
    };
    out!("{text}");
    args.fail_on.map_or(outcome.status(), |fail_on| outcome.status_on(fail_on))
}

/// Two recorded runs; a run in another folder is not part of a request.
fn of_runs(lab: &Lab, results: &Results, baseline: &str, candidate: &str) -> Result<Outcome, Error> {
    if !baseline.contains('@') && !candidate.contains('@') {
        let store = results.open_to_read().map_err(anyhow::Error::from)?;
        let [baseline, candidate] = [run_id(&*store, baseline)?, run_id(&*store, candidate)?];
        let request = Request::CompareRuns(CompareRunsRequest { baseline, candidate });
        return carried_out(lab, results, &lab.new_job(), &request);
    }
    let [baseline, candidate] = [load(baseline, results)?, load(candidate, results)?];
    in_session(lab, results, &lab.new_job(), CachedBuilds::Hidden, |session| {
        Ok(Outcome::Comparison(Box::new(compare_records(session, &baseline, &candidate)?)))
    })
}
