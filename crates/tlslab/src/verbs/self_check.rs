//! `tlslab self-check`: whether the lab works on this machine.

use tlslab_documents::documents;
use tlslab_job::Status;
use tlslab_lab::{Check, CheckOutcome, Environment, Need, self_check as check, self_check_text};
use tlslab_text::number::counted;

/// Prints a line for each thing that the lab needs.
pub(crate) fn self_check(environment: &anyhow::Result<Environment>) -> Status {
    let mut checks = check(environment, &std::env::var_os("PATH").unwrap_or_default());
    checks.extend(environment.iter().map(check_documents));
    outln!("ok       version   {}", tlslab_tree::VERSION);
    out!("{}", self_check_text(&checks));
    let is_failed = |check: &Check| match check.outcome {
        CheckOutcome::Found(_) => false,
        CheckOutcome::Missing(_) => check.need == Need::Run,
        CheckOutcome::Wrong(_) => true,
    };
    if checks.iter().any(is_failed) { Status::Failed } else { Status::Done }
}

/// The documents, read and counted.
fn check_documents(environment: &Environment) -> Check {
    let outcome = match documents(environment) {
        Ok(found) if found.broken.is_empty() => CheckOutcome::Found(counted(found.timed.len(), "document")),
        Ok(found) => {
            let causes: Vec<String> = found.broken.into_iter().map(|broken| broken.cause).collect();
            CheckOutcome::Wrong(causes.join("\n"))
        }
        Err(cause) => CheckOutcome::Wrong(format!("{cause:#}")),
    };
    Check { name: "documents".to_owned(), need: Need::Extra("for tlslab reproduce"), outcome }
}
