//! `tlslab reproduce NAME`: one document.

use std::path::PathBuf;

use anyhow::Context;
use tlslab_documents::{Reproduced, place_of_record, record_name};
use tlslab_job::{Outcome, Request, Status};
use tlslab_reproduction::{Reproduction, json, markdown, terminal};

use super::args::{ReproduceArgs, ReproductionFormat};
use super::place::check_place;
use crate::session::{Lab, carried_out, exit_status};
use tlslab_pages::Alone;

/// Measures a document again, or resumes that.
pub(super) fn reproduce_one(lab: &Lab, args: &ReproduceArgs, name: &str) -> anyhow::Result<Status> {
    check_place(lab, args, name)?;
    let (results, request) = (args.kept.results(), Request::Reproduce(args.request(name)));
    let conditions = lab.job_of(&request, &results)?;
    let done = carried_out(lab, &results, &conditions, &request);
    exit_status(done, "interrupted; measurements are saved, and the same command resumes", |outcome| {
        let Outcome::Document(reproduced) = &outcome else { unreachable!("a document was asked for") };
        out!("{}", rendered(&reproduced.reproduction, args.format));
        record(lab, args, reproduced)?;
        Ok(outcome.status())
    })
}

/// A document in the requested format.
pub(super) fn rendered(reproduction: &Reproduction, format: ReproductionFormat) -> String {
    match format {
        ReproductionFormat::Table => terminal(reproduction),
        ReproductionFormat::Markdown => markdown(reproduction),
        ReproductionFormat::Json => json(reproduction),
        ReproductionFormat::Html => tlslab_pages::document(reproduction, &Alone).html(&Alone),
    }
}

/// Copies the record to the requested place, if any.
pub(super) fn record(lab: &Lab, args: &ReproduceArgs, reproduced: &Reproduced) -> anyhow::Result<()> {
    let Some(asked) = &args.record else { return Ok(()) };
    let name = &reproduced.reproduction.document;
    let made = args.kept.out.join(&reproduced.files.folder).join(record_name(name, None));
    let to = match asked.is_empty() {
        true => place_of_record(&lab.environment, name, &reproduced.reproduction.host, args.host.as_ref())?,
        false => PathBuf::from(asked),
    };
    std::fs::copy(&made, &to)
        .with_context(|| format!("cannot copy the record {} to {}", made.display(), to.display()))?;
    errln!("recorded: {}", to.display());
    Ok(())
}
