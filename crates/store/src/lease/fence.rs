//! Whatever is written to a run that is not complete carries the token of its lease, and changes nothing if
//! that is not the present one. Check and write are one transaction.

use crate::database::Database;
use crate::lease::model::LEASE;

/// Ends an `INSERT … SELECT` whose first two values are the run's key and the token: it adds nothing unless
/// this handle measures the run. The lock keeps others from taking the run over until the row is written.
macro_rules! if_measured {
    ($insert:literal $(, $conflict:literal)?) => {
        concat!(
            $insert,
            " FROM run WHERE run.key = ?1 AND run.token = ?2 AND run.complete = 0 /*! FOR SHARE */",
            $($conflict)?
        )
    };
}
pub(crate) use if_measured;

/// A token that no run has, of a handle that has not taken the run.
pub(crate) const NO_TOKEN: i64 = -1;

/// What a transaction changes.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    /// What is measured: the run is not complete, and this handle holds its lease.
    Measured,
    /// What is computed from it, and remarks: the run may also be complete.
    Derived,
}

impl Change {
    /// Finds the run by its key and the token if it may be changed, and keeps others from taking it over
    /// until the transaction ends.
    pub(crate) fn hold(self) -> &'static str {
        match self {
            Self::Measured => {
                "SELECT token FROM run WHERE key = ?1 AND token = ?2 AND complete = 0 /*! FOR NO KEY UPDATE */"
            }
            Self::Derived => {
                "SELECT token FROM run WHERE key = ?1 AND (token = ?2 OR complete = 1) /*! FOR NO KEY UPDATE */"
            }
        }
    }
}

/// When a lease ends that begins now, as SQL.
pub(crate) fn lease_end<D: Database>() -> String {
    format!("{} + {}", D::NOW_UNIX_MS, LEASE.as_millis())
}
