//! `tlslab reproduce`: published benchmarks, measured again.

mod all;
mod args;
mod from;
mod one;
mod place;
mod skipped;

use anyhow::bail;
use serde_json::Value;
use tlslab_documents::documents;
use tlslab_job::Status;
use tlslab_lab::{Environment, Problem};
use tlslab_text::Listing;

use crate::cli::{Invocation, ListFormat};
use crate::session::Lab;
use skipped::report_skipped;

pub(crate) use args::{ReproduceArgs, ReproductionFormat};

/// Measures documents again, renders recorded results, or lists all.
pub(crate) fn reproduce(lab: &Lab, args: &ReproduceArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    if args.host.is_some() && args.from.is_some() {
        let cause = "it names the host of a record that is made, and --from makes none";
        bail!(Problem::invalid("host", "--host", cause, "omit it; --from=FILE shows one host's record"));
    }
    if args.host.is_some() && args.record.as_ref().is_some_and(|file| !file.is_empty()) {
        let next = "omit the file: the record goes next to its document";
        bail!(Problem::invalid("host", "--host", "--record already names the file", next));
    }
    match (&args.document, &args.from) {
        (_, Some(_)) => from::reproduce_from(&lab.environment, args),
        (Some(name), None) => one::reproduce_one(lab, args, name),
        (None, None) if args.all => all::reproduce_all(lab, args),
        (None, None) => list(&lab.environment, args, invocation),
    }
}

/// The published benchmarks that can be reproduced.
fn list(environment: &Environment, args: &ReproduceArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let format = match args.format {
        ReproductionFormat::Table => ListFormat::Table,
        ReproductionFormat::Markdown => ListFormat::Markdown,
        ReproductionFormat::Json => ListFormat::Json,
        ReproductionFormat::Html => {
            bail!(Problem::invalid("format", "html", "a list has no page", "name a benchmark, or use json"))
        }
    };
    if args.record.is_some() {
        let next = "name a benchmark, or use --all";
        bail!(Problem::invalid("record", "--record", "nothing is measured", next));
    }
    let mut listing = Listing::new(["name", "title", "by", "timing_min"]);
    let documents = documents(environment)?;
    report_skipped(&documents.broken);
    for (document, total_s) in documents.timed {
        let minutes = Value::from((total_s / 60.0).ceil() as u64);
        listing.add([document.name.into(), document.title.into(), document.by.into(), minutes]);
    }
    out!("{}", listing.text(format.into()));
    if format == ListFormat::Table {
        let next = "`tlslab reproduce NAME` measures one again; --quick takes a tenth of the time.";
        outln!("\n{}", invocation.complete(next));
    }
    Ok(Status::Done)
}
