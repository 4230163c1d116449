//! `tlslab reproduce --all`: every document in turn.

use std::time::Instant;

use anyhow::bail;
use tlslab_build::MissingTools;
use tlslab_documents::{Reproduced, documents, timing_s};
use tlslab_job::{Outcome, Request, Status};
use tlslab_lab::{Environment, Error, ErrorKind, Problem, problem_in};
use tlslab_reproduction::{by_group, summary};
use tlslab_text::number::counted;

use super::args::ReproduceArgs;
use super::one::record;
use super::place::check_place;
use super::skipped::report_skipped;
use crate::session::{Lab, carried_out};

/// Measures every document again, or resumes that.
pub(super) fn reproduce_all(lab: &Lab, args: &ReproduceArgs) -> anyhow::Result<Status> {
    if args.record.as_ref().is_some_and(|file| !file.is_empty()) {
        let cause = "one file cannot hold the results of all documents";
        bail!(Problem::invalid(
            "record",
            "--record",
            cause,
            "omit the file: each record goes next to its document"
        ));
    }
    let (planned, is_any_broken) = planned(&lab.environment, args)?;
    for (name, _) in &planned {
        check_place(lab, args, name)?;
    }
    let total_s: f64 = planned.iter().map(|(_, timing_s)| timing_s).sum();
    errln!(
        "{}, about {} of timing; builds, proofs, counts and confirmations come on top, and earlier measurements are reused",
        counted(planned.len(), "document"),
        minutes(total_s)
    );
    let (start, mut last) = (Instant::now(), None);
    let mut worst = if is_any_broken { Status::Failed } else { Status::Done };
    let mut left_s = total_s;
    for (at, (name, timing_s)) in planned.iter().enumerate() {
        errln!(
            "{} of {}: {name}, about {} of timing; {} so far, about {} of timing left in total",
            at + 1,
            planned.len(),
            minutes(*timing_s),
            minutes(start.elapsed().as_secs_f64()),
            minutes(left_s)
        );
        left_s -= timing_s;
        match document(lab, args, name) {
            Ok((status, reproduced)) => {
                for (group, cases) in by_group([&reproduced.reproduction]) {
                    outln!("{name}: {}: {}", group.words(), summary(cases));
                }
                if status != Status::Done && worst == Status::Done {
                    worst = status;
                }
                last = Some(reproduced);
            }
            Err(Error::Interrupted { .. }) => {
                errln!("interrupted; measurements are saved, and the same command resumes");
                return Ok(Status::Interrupted);
            }
            // A host that stays busy would be busy for the next document, too.
            Err(Error::Failed(cause))
                if problem_in(&cause).kind == ErrorKind::Unavailable && !cause.is::<MissingTools>() =>
            {
                return Err(cause);
            }
            Err(Error::Failed(cause)) => {
                errln!("{name}: {cause:#}");
                worst = Status::Failed;
            }
        }
    }
    if let Some(reproduced) = last {
        let folder = args.kept.out.join(&reproduced.files.folder);
        outln!("claims of all documents: {}", folder.join("claims.html").display());
    }
    Ok(worst)
}

/// The documents, each with how long timing takes, s; and whether others are skipped, which is printed.
fn planned(environment: &Environment, args: &ReproduceArgs) -> anyhow::Result<(Vec<(String, f64)>, bool)> {
    let mut planned = Vec::new();
    let documents = documents(environment)?;
    report_skipped(&documents.broken);
    for (document, _) in documents.timed {
        let timing_s = timing_s(environment, &environment.policy.examination, &args.request(&document.name))?;
        planned.push((document.name, timing_s));
    }
    Ok((planned, !documents.broken.is_empty()))
}

fn document(lab: &Lab, args: &ReproduceArgs, name: &str) -> Result<(Status, Reproduced), Error> {
    let (results, request) = (args.kept.results(), Request::Reproduce(args.request(name)));
    let conditions = lab.job_of(&request, &results)?;
    let outcome = carried_out(lab, &results, &conditions, &request)?;
    let status = outcome.status();
    let Outcome::Document(reproduced) = outcome else { unreachable!("a document was asked for") };
    record(lab, args, &reproduced)?;
    Ok((status, *reproduced))
}

/// A time in minutes, as people read it.
fn minutes(seconds: f64) -> String {
    format!("{:.0} min", (seconds / 60.0).ceil())
}
