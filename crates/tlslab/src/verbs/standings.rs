//! `tlslab standings`: the places of a few stacks in a project's own choice of results.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use tlslab_estimate::Report;
use tlslab_job::{Outcome, Recorded, Request, Status, recorded};
use tlslab_lab::request::RunRequest;
use tlslab_lab::{AskedRatio, Error, Export, Problem, ratios};
use tlslab_pages::Alone;
use tlslab_protocol::Measure;
use tlslab_record::Seconds;
use tlslab_standings::{Definition, LONGEST, Standings, chart, csv, markdown, terminal};

use crate::cli::{Invocation, KeptArgs, ListFormat};
use crate::results::{ended, export_line, open_to_read};
use crate::session::{Lab, carried_out};

/// Arguments of `standings`.
#[derive(Args)]
pub(crate) struct StandingsArgs {
    /// The file that lists stacks and results; `examples/standings/` has one.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// A recorded run of these stacks; the beginning of its identifier is enough [default: measure].
    #[arg(long, value_name = "RUN", conflicts_with = "budget")]
    pub run: Option<String>,
    /// The standings.json of an earlier report, to show what changed.
    #[arg(long, value_name = "FILE")]
    pub since: Option<PathBuf>,
    /// How long measuring may take, such as 45s, 10m, 1h [default: 5 s for each scenario].
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Seconds>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = ListFormat::Table)]
    pub format: ListFormat,
    /// With --run, also write the page, charts, Markdown, CSV and JSON next to the run's files in --out; a
    /// new run always has them.
    #[arg(long, requires = "run")]
    pub files: bool,
}

/// Measures unless a run is named, writes the report's files, and prints the places.
pub(crate) fn standings(lab: &Lab, args: &StandingsArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let definition = Definition::parse(&text(&args.file)?).map_err(|mistake| {
        Problem::invalid("file", args.file.display().to_string(), mistake.cause, mistake.next)
    })?;
    let since = args.since.as_deref().map(earlier).transpose()?;
    let report = match &args.run {
        Some(run) => of_run(args, run)?,
        None => match measured(lab, args, &definition, invocation)? {
            Some(report) => report,
            None => return Ok(Status::Interrupted),
        },
    };
    let standings = ranked(args, &definition, &report)?;
    let standings = match &since {
        Some(since) => standings.since(since),
        None => standings,
    };
    let is_written = args.run.is_none() || args.files;
    let export = is_written.then(|| write(&args.kept.out, &standings)).transpose()?;
    match args.format {
        ListFormat::Table => out!("{}", invocation.complete(&terminal(&standings))),
        ListFormat::Markdown => out!("{}", markdown(&standings, &charts(&standings))),
        ListFormat::Json => out!("{}", standings.json()),
    }
    if let Some(export) = export {
        errln!("{}", export_line(&args.kept.out, &export));
    }
    Ok(ended(&report))
}

/// A file's text, of a bounded length.
fn text(file: &Path) -> anyhow::Result<String> {
    let wrong = |cause: String| {
        Problem::invalid("file", file.display().to_string(), cause, "name a readable text file")
    };
    let mut text = String::new();
    let opened = File::open(file).map_err(|error| wrong(error.to_string()))?;
    opened.take(LONGEST + 1).read_to_string(&mut text).map_err(|error| wrong(error.to_string()))?;
    if text.len() as u64 > LONGEST {
        bail!(wrong(format!("it is longer than {LONGEST} bytes")));
    }
    Ok(text)
}

fn earlier(file: &Path) -> anyhow::Result<Standings> {
    let next = "name the standings.json of an earlier report";
    Standings::read(&text(file)?).map_err(|cause| {
        Problem::invalid("since", file.display().to_string(), cause.to_string(), next).into()
    })
}

fn of_run(args: &StandingsArgs, run: &str) -> anyhow::Result<Report> {
    match recorded(&args.kept.results(), Some(run))? {
        Recorded::Run(report) => Ok(*report),
        Recorded::Comparison(_) => {
            bail!(Problem::invalid("run", run, "it is a comparison", "name a run of `tlslab runs`"))
        }
    }
}

/// The report of a new run; `None` if it was interrupted.
fn measured(
    lab: &Lab,
    args: &StandingsArgs,
    definition: &Definition,
    invocation: &Invocation,
) -> anyhow::Result<Option<Report>> {
    let request = RunRequest {
        stacks: definition.stacks.iter().map(|listed| listed.stack.clone()).collect(),
        scenarios: definition.scenarios(),
        metrics: vec![Measure::Time],
        budget_s: args.budget,
        ..RunRequest::default()
    };
    let request = Request::Run(Box::new(request));
    match carried_out(lab, &args.kept.results(), &lab.new_job(), &request) {
        Ok(Outcome::Run(outcome)) => Ok(Some(outcome.report)),
        Ok(_) => bail!("the run ended with another outcome than a report"),
        Err(Error::Interrupted { run }) => {
            let file = args.file.display();
            let next = run.map_or_else(
                || "start again".to_owned(),
                |run| format!("`tlslab run --resume {run}`, then `tlslab standings {file} --run {run}`"),
            );
            errln!("interrupted; measurements are saved. To resume: {}", invocation.complete(&next));
            Ok(None)
        }
        Err(Error::Failed(cause)) => Err(cause),
    }
}

fn ranked(args: &StandingsArgs, definition: &Definition, report: &Report) -> anyhow::Result<Standings> {
    let store = open_to_read(&args.kept)?;
    let stacks: Vec<&str> = definition.stacks.iter().map(|listed| listed.stack.as_str()).collect();
    let mut asked = Vec::new();
    for result in definition.results() {
        for stack in &stacks {
            for over in stacks.iter().filter(|over| *over != stack) {
                asked.push(AskedRatio {
                    run: report.run.id.clone(),
                    scenario: result.scenario.clone(),
                    side: result.side,
                    stack: (*stack).to_owned(),
                    over: (*over).to_owned(),
                });
            }
        }
    }
    let found = ratios(&*store, &asked)?;
    Ok(Standings::of(definition, report, &|result, [stack, over]| {
        let is_it = |one: &AskedRatio| {
            (&*one.scenario, one.side, &*one.stack, &*one.over)
                == (&*result.scenario, result.side, stack, over)
        };
        asked.iter().position(is_it).and_then(|at| found[at])
    }))
}

/// The names of the charts' files.
fn charts(standings: &Standings) -> Vec<String> {
    (1..=standings.groups.len()).map(|nth| format!("standings-{nth}.svg")).collect()
}

fn write(out: &Path, standings: &Standings) -> anyhow::Result<Export> {
    let charts = charts(standings);
    let mut files = vec![
        ("standings.html".to_owned(), tlslab_pages::standings(standings, &Alone).html(&Alone)),
        ("standings.md".to_owned(), markdown(standings, &charts)),
        ("standings.csv".to_owned(), csv(standings)),
        ("standings.json".to_owned(), standings.json()),
    ];
    files.extend(charts.into_iter().enumerate().map(|(at, name)| (name, chart(standings, at, true))));
    Export::write(out, "standings", &standings.run, &files)
}
