//! `tlslab history`: how figures went over time.

use anyhow::bail;
use tlslab_lab::{Environment, Filter, Order, explain, timelines, write_pages};
use tlslab_timeline::{Timelines, html, json, markdown, terminal};

use crate::Ended;
use crate::cli::{HistoryArgs, HistoryFormat};
use crate::results::open_store;
use crate::session::{CachedBuilds, in_session};

/// Prints the histories that were asked for.
pub fn history(environment: &Environment, args: &HistoryArgs) -> anyhow::Result<Ended> {
    let store = open_store(&args.kept)?;
    let filter = Filter::of(&args.filter())?;
    let order = if args.by_version || args.pages.is_some() { Order::Version } else { Order::Time };
    let mut timelines =
        timelines(&*store, args.reference.as_deref(), order, &environment.policy.history, &|one| {
            filter.matches(one)
        })?;
    if timelines.is_empty() {
        bail!(
            "no series in {} matches the filter; `tlslab history --metric '*'` lists all, `tlslab recompute` adds runs of an older lab",
            store.place()
        );
    }
    if let Some(most) = args.explain {
        let done = in_session(environment, CachedBuilds::Hidden, |session| {
            Ok(explain(session, &*store, &mut timelines, most)?)
        });
        done.map_err(anyhow::Error::from)?;
    }
    let timelines = Timelines { format: Timelines::FORMAT, reference: args.reference.clone(), timelines };
    if let Some(folder) = &args.pages {
        outln!("{} files are in {}", write_pages(folder, &timelines)?, folder.display());
        return Ok(Ended::Well);
    }
    let text = match args.format {
        HistoryFormat::Table => terminal(&timelines),
        HistoryFormat::Markdown => markdown(&timelines),
        HistoryFormat::Json => json(&timelines),
        HistoryFormat::Html => html(&timelines),
    };
    out!("{text}");
    Ok(Ended::Well)
}
