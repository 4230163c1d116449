//! `tlslab history`: figures over time.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, ValueEnum};
use tlslab_job::Status;
use tlslab_lab::request::HistoryFilter;
use tlslab_lab::{Filter, LabelOrder, Order, Problem, explain, no_series, timelines, write_pages};
use tlslab_pages::{Alone, HistoryOptions};
use tlslab_record::HistoryPolicy;
use tlslab_report::timeline::{
    ReleaseHistory, Timeline, Timelines, json, markdown, releases_json, releases_markdown, releases_terminal,
    terminal,
};
use tlslab_site::Source;
use tlslab_store::Store;
use tlslab_text::number::counted;

use crate::cli::{Invocation, KeptArgs};
use crate::results::open_to_read;
use crate::session::{CachedBuilds, Lab, in_session};

/// Arguments of `history`.
#[derive(Args)]
pub(crate) struct HistoryArgs {
    /// Only this stack, in all its versions, such as openssl or rustls/ring+lto; * stands for any letters.
    #[arg(long, value_name = "STACK")]
    pub stack: Option<String>,
    /// Only scenarios of this pattern; may be repeated. * stays within a part of a name, ** does not.
    #[arg(long = "scenario", value_name = "GLOB")]
    pub scenarios: Vec<String>,
    /// Only this side: client, server or both.
    #[arg(long, value_name = "SIDE")]
    pub side: Option<String>,
    /// Only this metric, such as time, count.instructions, or wire for those of wire below; * stands for any
    /// letters [default: those of a whole iteration: time, throughput, wall, count.instructions, heap.peak,
    /// idle.heap, contention.atomics, contention.serial, wire.flight.1, wire.handshake, wire.data,
    /// kernel.calls, kernel.faults, size.text, size.data, size.shared, and every metric of imported runs].
    #[arg(long, value_name = "METRIC")]
    pub metric: Option<String>,
    /// Only machines of this class; * stands for any letters.
    #[arg(long, value_name = "CLASS")]
    pub class: Option<String>,
    /// A stack that stays the same in all runs; if its figures move, the machine has changed.
    #[arg(long, value_name = "STACK")]
    pub reference: Option<String>,
    /// Order by version, not by time; a version that is not a release, such as a commit, by its first run.
    #[arg(long)]
    pub by_version: bool,
    /// Name the functions behind the largest changes of counts, at most N: both versions are counted by
    /// function.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "10")]
    pub explain: Option<usize>,
    /// Write to this folder a page with plots for each stack, in the order of versions, and an index page.
    #[arg(long, value_name = "DIR", conflicts_with = "format")]
    pub pages: Option<PathBuf>,
    /// Which release of each stack to skip and which to move to, in one sentence; then regressions and
    /// improvements of the releases, the largest first.
    #[arg(long, conflicts_with = "pages")]
    pub releases: bool,
    /// A database that was packed by zstd, instead of the one with the runs.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "store"])]
    pub recorded: Option<PathBuf>,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
    /// The output format.
    #[arg(long, value_enum, default_value_t = HistoryFormat::Table)]
    pub format: HistoryFormat,
}

impl HistoryArgs {
    /// Which series are wanted.
    pub(crate) fn filter(&self) -> HistoryFilter {
        let Self { stack, scenarios, side, metric, class, .. } = self;
        let (stack, side) = (stack.clone(), side.clone());
        HistoryFilter {
            stack,
            scenarios: scenarios.clone(),
            side,
            metric: metric.clone(),
            class: class.clone(),
        }
    }
}

/// What a history looks like.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum HistoryFormat {
    /// For a terminal.
    Table,
    /// For a repository.
    Markdown,
    /// For programs.
    Json,
    /// A page with plots.
    Html,
}

/// Prints the requested histories.
pub(crate) fn history(
    lab: &dyn Fn() -> anyhow::Result<Lab>,
    policy: &HistoryPolicy,
    args: &HistoryArgs,
    invocation: &Invocation,
) -> anyhow::Result<Status> {
    let (source, opened);
    let store: &dyn Store = match &args.recorded {
        Some(file) => {
            source = Source::recorded(file, policy.clone())?;
            source.store()
        }
        None => {
            opened = open_to_read(&args.kept)?;
            &*opened
        }
    };
    let filter = Filter::of(&args.filter())?;
    let is_by_label = args.by_version || args.releases || args.pages.is_some();
    let labels = is_by_label.then(|| LabelOrder::read(store, &[])).transpose()?;
    let order = labels.as_ref().map_or(Order::Time, Order::Label);
    let mut timelines =
        timelines(store, args.reference.as_deref(), order, policy, &|one| filter.matches(one))?;
    if timelines.is_empty() {
        bail!(no_series(store, &args.filter())?);
    }
    if let Some(most) = args.explain {
        let lab = &lab()?;
        let done = in_session(lab, &args.kept.results(), &lab.new_job(), CachedBuilds::Hidden, |session| {
            Ok(explain(session, store, &mut timelines, most)?)
        });
        done.map_err(anyhow::Error::from)?;
    }
    let timelines = Timelines { format: Timelines::FORMAT, reference: args.reference.clone(), timelines };
    if let Some(folder) = &args.pages {
        outln!("{} in {}", counted(write_pages(folder, &timelines)?, "file"), folder.display());
        return Ok(Status::Done);
    }
    out!("{}", text(&timelines, args)?);
    if args.explain.is_none() && matches!(args.format, HistoryFormat::Table) && has_changed_count(&timelines)
    {
        errln!(
            "{}",
            invocation
                .complete("`tlslab history --explain` names the functions behind the changes of counts")
        );
    }
    Ok(Status::Done)
}

/// The histories or the releases in the requested format.
fn text(timelines: &Timelines, args: &HistoryArgs) -> anyhow::Result<String> {
    if !args.releases {
        return Ok(match args.format {
            HistoryFormat::Table => terminal(timelines),
            HistoryFormat::Markdown => markdown(timelines),
            HistoryFormat::Json => json(timelines),
            HistoryFormat::Html => page(timelines),
        });
    }
    let releases = ReleaseHistory::of(timelines);
    Ok(match args.format {
        HistoryFormat::Table => releases_terminal(&releases),
        HistoryFormat::Markdown => releases_markdown(&releases),
        HistoryFormat::Json => releases_json(&releases),
        HistoryFormat::Html => {
            let next = "`tlslab history --pages DIR` writes a page for each stack";
            bail!(Problem::invalid("format", "html", "--releases has no HTML format", next))
        }
    })
}

/// Whether a count changed, which functions can explain.
fn has_changed_count(timelines: &Timelines) -> bool {
    let has_changed =
        |one: &Timeline| one.history.as_ref().is_some_and(|history| !history.changes.is_empty());
    timelines.timelines.iter().any(|one| one.series.metric.starts_with("count.") && has_changed(one))
}

/// The page of the histories, a file of its own.
fn page(timelines: &Timelines) -> String {
    let mut stacks: Vec<&str> = timelines.timelines.iter().map(|one| &*one.series.stack).collect();
    stacks.dedup();
    let of = match stacks[..] {
        [only] => Some(only.to_owned()),
        _ => None,
    };
    tlslab_pages::history(timelines, &HistoryOptions { of, ..HistoryOptions::default() }, &Alone).html(&Alone)
}
