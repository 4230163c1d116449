//! Rows of jobs.

use tlslab_store::sql::Row;

use crate::job::{JobRow, Transition};
use crate::state::{Fault, State};

/// The columns that [`read_job`] reads.
pub(crate) const COLUMNS: &str = "key, id, project, subject, body, labels, needs_sandbox, priority, supersedes, state, reason, fault,
    created_unix_ms, not_before_unix_ms, leased_unix_ms, ended_unix_ms, lease_until_unix_ms, token, attempts, most_attempts, runner,
    boot, cancel, superseded_by, is_timed, slot, only_runner, approval, head";

/// A job.
pub(crate) fn read_job(row: &Row) -> Result<JobRow, String> {
    let fault: Option<String> = row.get(11)?;
    Ok(JobRow {
        key: row.get(0)?,
        id: row.get(1)?,
        project: row.get(2)?,
        subject: row.parsed(3)?,
        body: row.parsed(4)?,
        labels: read_labels(&row.get::<String>(5)?),
        needs_sandbox: row.get(6)?,
        priority: row.get(7)?,
        supersedes: row.get(8)?,
        state: row.get::<String>(9)?.parse()?,
        reason: row.get(10)?,
        fault: fault.map(|fault| fault.parse::<Fault>()).transpose()?,
        created_unix_ms: row.get(12)?,
        not_before_unix_ms: row.get(13)?,
        leased_unix_ms: row.get(14)?,
        ended_unix_ms: row.get(15)?,
        lease_until_unix_ms: row.get(16)?,
        token: row.get(17)?,
        attempts: row.get(18)?,
        most_attempts: row.get(19)?,
        runner: row.get(20)?,
        boot: row.get(21)?,
        cancel: row.get(22)?,
        superseded_by: row.get(23)?,
        is_timed: row.get(24)?,
        slot: row.get(25)?,
        only_runner: row.get(26)?,
        approval: row.get::<String>(27)?.parse()?,
        head: row.get(28)?,
        position: None,
        verdict: None,
    })
}

/// A transition: its number, time, two states, cause and token.
pub(crate) fn read_transition(row: &Row) -> Result<Transition, String> {
    let from: String = row.get(2)?;
    Ok(Transition {
        key: row.get(0)?,
        at_unix_ms: row.get(1)?,
        from: if from.is_empty() { None } else { Some(from.parse::<State>()?) },
        to: row.get::<String>(3)?.parse()?,
        cause: row.get(4)?,
        token: row.get(5)?,
    })
}

/// Labels from a column.
pub(crate) fn read_labels(text: &str) -> Vec<String> {
    text.split(',').filter(|label| !label.is_empty()).map(str::to_owned).collect()
}

/// Values of several types in one list.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$(tlslab_store::sql::Value::from($value)),*] };
}
pub(crate) use values;
