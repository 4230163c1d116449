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
use crate::sources::{self, BrokenDocument, FoundDocuments};
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

/// The documents of all folders.
pub struct Documents {
    /// Those that can be measured again, each with its duration, s.
    pub timed: Vec<(Document, f64)>,
    /// Those whose file is wrong, which are skipped.
    pub broken: Vec<BrokenDocument>,
}

impl Documents {
    /// The document of a name.
    ///
    /// # Errors
    /// Fails if no document has this name, or if its file is wrong.
    pub fn named(self, name: &str) -> anyhow::Result<Document> {
        let documents = self.timed.into_iter().map(|(document, _)| document).collect();
        FoundDocuments { documents, broken: self.broken }.named(name)
    }
}

/// The documents that can be measured again. One that refers to cells outside of its runs is broken.
///
/// # Errors
/// Fails if a folder or the lab's scenarios cannot be read.
pub fn documents(environment: &Environment) -> anyhow::Result<Documents> {
    let catalogue = environment.catalogue()?;
    let found = sources::find_documents(environment)?;
    let mut all = Documents { timed: Vec::new(), broken: found.broken };
    for document in found.documents {
        let timed = check(environment, &document).and_then(|()| {
            total_s(&catalogue, &document, 1.0, |_| true).map_err(|cause| named(cause, &document))
        });
        match timed {
            Ok(total_s) => all.timed.push((document, total_s)),
            Err(cause) => {
                let (name, cause) = (document.name, format!("{cause:#}"));
                all.broken.push(BrokenDocument { name, cause });
            }
        }
    }
    Ok(all)
}

fn named(cause: anyhow::Error, document: &Document) -> anyhow::Error {
    cause.context(format!("document {}", document.name))
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
    let runs = if wanted == 1 { "run" } else { "runs" };
    session.reporter().note(format!(
        "{}: {wanted} {runs}, about {total:.0} s of timing; proofs, counts and confirmations take up to about as long again, and \
         missing builds come first",
        document.title,
    ));
    let (made, times) = (RunIndex::load(session.results, folder)?, Durations::load(session.results, folder)?);
    let parts = Parts::load(session, session.results, folder)?;
    let mut task = Task {
        session,
        document,
        request,
        store: &mut *store,
        made,
        times,
        parts,
        share,
        folder,
        has_tools: false,
    };
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
    let document = sources::find_documents(environment)?.named(&request.document)?;
    document.with_stacks(&request.stacks).map_err(|cause| anyhow::anyhow!(cause))
}

fn has_failures(measured: &Measured) -> bool {
    measured.reports.values().flatten().any(Report::has_failures)
        || measured.comparisons.values().any(|comparison| comparison.has_failures())
        || measured.profiles.values().any(Result::is_err)
}
