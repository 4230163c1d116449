//! `tlslab reproduce`: published documents, measured again.

use anyhow::bail;
use serde_json::Value;
use tlslab_lab::{Environment, documents, reproduce as reproduce_document};
use tlslab_reproduction::{html, json, markdown, terminal};
use tlslab_text::Listing;

use crate::Ended;
use crate::cli::{Invocation, ListFormat, ReproduceArgs, ReproductionFormat};
use crate::session::{CachedBuilds, ended_by, in_session};

/// Measures a document again, or lists all.
pub fn reproduce(
    environment: &Environment,
    args: &ReproduceArgs,
    invocation: &Invocation,
) -> anyhow::Result<Ended> {
    let Some(name) = &args.document else { return list(environment, args.format, invocation) };
    let request = args.request(name);
    let done = in_session(environment, CachedBuilds::Hidden, |session| reproduce_document(session, &request));
    ended_by(done, "interrupted; measurements are saved, and the same command resumes", |reproduced| {
        let reproduction = &reproduced.reproduction;
        out!(
            "{}",
            match args.format {
                ReproductionFormat::Table => terminal(reproduction),
                ReproductionFormat::Markdown => markdown(reproduction),
                ReproductionFormat::Json => json(reproduction),
                ReproductionFormat::Html => html(reproduction),
            }
        );
        Ok(if reproduced.has_failures { Ended::WithFailures } else { Ended::Well })
    })
}

/// The published benchmarks that can be reproduced.
fn list(
    environment: &Environment,
    format: ReproductionFormat,
    invocation: &Invocation,
) -> anyhow::Result<Ended> {
    let format = match format {
        ReproductionFormat::Table => ListFormat::Table,
        ReproductionFormat::Markdown => ListFormat::Markdown,
        ReproductionFormat::Json => ListFormat::Json,
        ReproductionFormat::Html => bail!("--format html: a list has no page; name a benchmark, or use json"),
    };
    let mut listing = Listing::new(["name", "title", "by", "timing_min"]);
    for (document, total_s) in documents(environment)? {
        let minutes = Value::from((total_s / 60.0).ceil() as u64);
        listing.add([document.name.into(), document.title.into(), document.by.into(), minutes]);
    }
    out!("{}", listing.text(format.into()));
    if format == ListFormat::Table {
        let next = "`tlslab reproduce NAME` measures one again; --quick takes a tenth of the time.";
        outln!("\n{}", invocation.complete(next));
    }
    Ok(Ended::Well)
}
