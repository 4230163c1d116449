//! `tlslab self-check`: whether the lab works on this machine.

use tlslab_job::Status;
use tlslab_lab::{CheckOutcome, Environment, Need, self_check as check, self_check_text};

/// Prints a line for each thing that the lab needs.
pub(crate) fn self_check(environment: &anyhow::Result<Environment>) -> Status {
    let checks = check(environment, &std::env::var_os("PATH").unwrap_or_default());
    outln!("ok       version   {}", tlslab_tree::VERSION);
    out!("{}", self_check_text(&checks));
    let is_missing = |outcome: &CheckOutcome| matches!(outcome, CheckOutcome::Missing(_));
    match checks.iter().any(|check| check.need == Need::Run && is_missing(&check.outcome)) {
        true => Status::Failed,
        false => Status::Done,
    }
}
