//! A document from the request to its pages.

use anyhow::bail;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_estimate::Report;
use tlslab_lab::{Environment, Error, Export, Problem, Session};
use tlslab_record::ExaminationPolicy;
use tlslab_reproduction::{Document, Measured, Reproduction, reproduce as evaluate, texts};

use crate::check::{check, share, total_s};
use crate::durations::Durations;
use crate::files::write_files;
use crate::provenance::Parts;
use crate::record::{packed, record_name};
use crate::request::ReproduceRequest;
use crate::run_index::RunIndex;
use crate::sources;
use crate::task::Task;
use crate::work::is_wanted;

const FOLDER: &str = "documents";
/// A measurement with a tenth of the time does not replace a full one.
const QUICK_FOLDER: &str = "documents/quick";

fn folder_of(request: &ReproduceRequest) -> String {
    match request.budget_s {
        Some(budget_s) => format!("{FOLDER}/budget-{}s", budget_s.get()),
        None if request.quick => QUICK_FOLDER.to_owned(),
        None => FOLDER.to_owned(),
    }
}

/// A document that was measured again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reproduced {
    /// Its tables and claims.
    pub reproduction: Reproduction,
    /// Whether a cell or a profile of it failed.
    pub has_failures: bool,
    /// Its files.
    pub files: Export,
}

/// The documents that can be measured again, each with its duration, s.
///
/// # Errors
/// Fails if a document refers to cells outside of its runs.
pub fn documents(environment: &Environment) -> anyhow::Result<Vec<(Document, f64)>> {
    let catalogue = environment.catalogue()?;
    let mut found = Vec::new();
    for document in sources::find_documents(environment)? {
        check(environment, &document)?;
        let total_s = total_s(&catalogue, &document, 1.0, |_| true)?;
        found.push((document, total_s));
    }
    Ok(found)
}

/// The total timing of a request, s.
///
/// # Errors
/// Fails if the document does not exist.
pub fn timing_s(
    environment: &Environment,
    policy: &ExaminationPolicy,
    request: &ReproduceRequest,
) -> anyhow::Result<f64> {
    let document = find_document(environment, request)?;
    let (catalogue, is_wanted) = (environment.catalogue()?, |basis| is_wanted(basis, request));
    let whole_s = total_s(&catalogue, &document, 1.0, is_wanted)?;
    Ok(whole_s * share(request, policy, whole_s))
}

/// Measures a document again, or resumes that.
///
/// # Errors
/// Fails if the document is unknown, if it refers to cells outside of its runs, or if a run stops early.
pub fn reproduce(session: &Session<'_>, request: &ReproduceRequest) -> Result<Reproduced, Error> {
    session.reporter().finished(None, done(session, request))
}

fn done(session: &Session<'_>, request: &ReproduceRequest) -> anyhow::Result<Reproduced> {
    if request.budget_s.is_some_and(|budget_s| budget_s.get() <= 0.0) {
        let next = "name a time, or none for the document's own";
        bail!(Problem::invalid("budget_s", "budget_s", "nothing can be measured in 0 s", next));
    }
    let (name, document) = (&request.document, &find_document(session.environment(), request)?);
    let runs = document.measurements.iter().map(|run| (run.basis, run.times.unwrap_or(1)));
    let runs = runs.chain(document.comparisons.iter().map(|of| (of.basis, 1)));
    let wanted: u32 = runs.filter(|(basis, _)| is_wanted(*basis, request)).map(|(_, times)| times).sum();
    if wanted == 0 {
        bail!("{name} has no such measurement; ask for both ways of measuring");
    }
    check(session.environment(), document)?;
    let mut store = session.store()?;
    let folder = &folder_of(request);
    let catalogue = session.environment().catalogue()?;
    let whole_s = total_s(&catalogue, document, 1.0, |basis| is_wanted(basis, request))?;
    let share = share(request, &session.policy().examination, whole_s);
    let total = whole_s * share;
    session.reporter().note(format!(
        "{}: {wanted} runs, about {total:.0} s of timing; proofs, counts and confirmations take up to about as long again, and \
         missing builds come first",
        document.title,
    ));
    let (made, times) = (RunIndex::load(session.results, folder)?, Durations::load(session.results, folder)?);
    let parts = Parts::load(session, session.results, folder)?;
    let mut task = Task { session, document, request, store: &mut *store, made, times, parts, share, folder };
    let measured = task.done()?;
    let reproduction = evaluate(document, &measured);
    let texts = texts(document, &measured.last());
    let out = &session.results.out;
    let mut files = write_files(out, folder, &reproduction, &texts)?;
    let place = sources::folder_of(session.environment(), name)?;
    let record = [(record_name(name, None), packed(name, &place, &measured)?)];
    files.files.extend(Export::write(out, "document", folder, &record)?.files);
    session.reporter().announce(&files);
    Ok(Reproduced { has_failures: has_failures(&measured), reproduction, files })
}

/// The requested document, with the requested stacks.
fn find_document(environment: &Environment, request: &ReproduceRequest) -> anyhow::Result<Document> {
    let (name, documents) = (&request.document, sources::find_documents(environment)?);
    let names: Vec<String> = documents.iter().map(|document| document.name.clone()).collect();
    let Some(document) = documents.into_iter().find(|document| document.name == *name) else {
        let next = format!("the documents are {}", names.join(", "));
        bail!(Problem::not_found(name, "there is no document of this name", next, names));
    };
    document.with_stacks(&request.stacks).map_err(|cause| anyhow::anyhow!(cause))
}

fn has_failures(measured: &Measured) -> bool {
    measured.reports.values().flatten().any(Report::has_failures)
        || measured.comparisons.values().any(|comparison| comparison.has_failures())
        || measured.profiles.values().any(Result::is_err)
}
