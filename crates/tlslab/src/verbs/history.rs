//! `tlslab history`: how figures went over time.

use anyhow::bail;
use tlslab_lab::{Filter, LabelOrder, Order, Status, explain, no_series, timelines, write_pages};
use tlslab_pages::{Alone, HistoryOptions};
use tlslab_record::HistoryPolicy;
use tlslab_report::timeline::{Timeline, Timelines, json, markdown, terminal};

use crate::cli::{HistoryArgs, HistoryFormat, Invocation};
use crate::results::open_to_read;
use crate::session::{CachedBuilds, Lab, in_session};

/// Prints the histories that were asked for.
pub(crate) fn history(
    lab: &dyn Fn() -> anyhow::Result<Lab>,
    policy: &HistoryPolicy,
    args: &HistoryArgs,
    invocation: &Invocation,
) -> anyhow::Result<Status> {
    let store = open_to_read(&args.kept)?;
    let filter = Filter::of(&args.filter())?;
    let is_by_label = args.by_version || args.pages.is_some();
    let labels = is_by_label.then(|| LabelOrder::read(&*store, &[])).transpose()?;
    let order = labels.as_ref().map_or(Order::Time, Order::Label);
    let mut timelines =
        timelines(&*store, args.reference.as_deref(), order, policy, &|one| filter.matches(one))?;
    if timelines.is_empty() {
        bail!(no_series(&*store, &args.filter())?);
    }
    if let Some(most) = args.explain {
        let lab = &lab()?;
        let done = in_session(lab, &args.kept.results(), &lab.new_job(), CachedBuilds::Hidden, |session| {
            Ok(explain(session, &*store, &mut timelines, most)?)
        });
        done.map_err(anyhow::Error::from)?;
    }
    let timelines = Timelines { format: Timelines::FORMAT, reference: args.reference.clone(), timelines };
    if let Some(folder) = &args.pages {
        outln!("{} files are in {}", write_pages(folder, &timelines)?, folder.display());
        return Ok(Status::Done);
    }
    let text = match args.format {
        HistoryFormat::Table => terminal(&timelines),
        HistoryFormat::Markdown => markdown(&timelines),
        HistoryFormat::Json => json(&timelines),
        HistoryFormat::Html => page(&timelines),
    };
    out!("{text}");
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
