//! `tlslab reproduce`: published documents, measured again.

use anyhow::bail;
use serde_json::Value;
use tlslab_lab::{Environment, Outcome, Pages, Problem, Request, Status, documents};
use tlslab_reproduction::{json, markdown, terminal};
use tlslab_text::Listing;

use crate::cli::{Invocation, ListFormat, ReproduceArgs, ReproductionFormat};
use crate::pages::PageFiles;
use crate::session::{Lab, carried_out, exit_status};

/// Measures a document again, or lists all.
pub fn reproduce(lab: &Lab, args: &ReproduceArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let Some(name) = &args.document else { return list(&lab.environment, args.format, invocation) };
    let (results, request) = (args.kept.results(), Request::Reproduce(args.request(name)));
    let conditions = lab.job_of(&request, &results)?;
    let done = carried_out(lab, &results, &conditions, &request);
    exit_status(done, "interrupted; measurements are saved, and the same command resumes", |outcome| {
        let Outcome::Document(reproduced) = &outcome else { unreachable!("a document was asked for") };
        let reproduction = &reproduced.reproduction;
        out!(
            "{}",
            match args.format {
                ReproductionFormat::Table => terminal(reproduction),
                ReproductionFormat::Markdown => markdown(reproduction),
                ReproductionFormat::Json => json(reproduction),
                ReproductionFormat::Html => PageFiles.document(reproduction),
            }
        );
        Ok(outcome.status())
    })
}

/// The published benchmarks that can be reproduced.
fn list(
    environment: &Environment,
    format: ReproductionFormat,
    invocation: &Invocation,
) -> anyhow::Result<Status> {
    let format = match format {
        ReproductionFormat::Table => ListFormat::Table,
        ReproductionFormat::Markdown => ListFormat::Markdown,
        ReproductionFormat::Json => ListFormat::Json,
        ReproductionFormat::Html => {
            bail!(Problem::invalid("format", "html", "a list has no page", "name a benchmark, or use json"))
        }
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
    Ok(Status::Done)
}
