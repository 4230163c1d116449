//! `tlslab reproduce`: published documents, measured again.

use tlslab_lab::{Environment, documents, reproduce as reproduce_document};
use tlslab_reproduction::{html, json, markdown, terminal};

use crate::Ended;
use crate::cli::{Invocation, ReproduceArgs, ReproductionFormat};
use crate::session::{CachedBuilds, ended_by, in_session};

/// Measures a document again, or lists all.
pub fn reproduce(
    environment: &Environment,
    args: &ReproduceArgs,
    invocation: &Invocation,
) -> anyhow::Result<Ended> {
    let Some(name) = &args.document else {
        for (document, total_s) in documents(environment)? {
            let minutes = (total_s / 60.0).ceil();
            outln!("{:10} {} ({}): {minutes} min of timing", document.name, document.title, document.by);
        }
        let next = "`tlslab reproduce NAME` measures one again; --quick takes a tenth of the time.";
        outln!("\n{}", invocation.complete(next));
        return Ok(Ended::Well);
    };
    let request = args.request(name);
    let done = in_session(environment, CachedBuilds::Hidden, |session| reproduce_document(session, &request));
    ended_by(done, "interrupted; everything measured is kept. The same command goes on.", |reproduced| {
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
