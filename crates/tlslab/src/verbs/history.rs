//! `tlslab history`: how figures went over time.

use anyhow::bail;
use tlslab_lab::{Filter, Order, Status, explain, timelines, write_pages};
use tlslab_pages::{Alone, HistoryOptions};
use tlslab_timeline::{Timelines, json, markdown, terminal};

use crate::cli::{HistoryArgs, HistoryFormat};
use crate::results::open_store;
use crate::session::{CachedBuilds, Lab, in_session};

/// Prints the histories that were asked for.
pub fn history(lab: &Lab, args: &HistoryArgs) -> anyhow::Result<Status> {
    let store = open_store(&args.kept)?;
    let filter = Filter::of(&args.filter())?;
    let order = if args.by_version || args.pages.is_some() { Order::Version } else { Order::Time };
    let mut timelines =
        timelines(&*store, args.reference.as_deref(), order, &lab.environment.policy.history, &|one| {
            filter.matches(one)
        })?;
    if timelines.is_empty() {
        bail!(
            "no series in {} matches the filter; `tlslab history --metric '*'` lists all, `tlslab recompute` adds runs of an older lab",
            store.place()
        );
    }
    if let Some(most) = args.explain {
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
    Ok(Status::Done)
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
