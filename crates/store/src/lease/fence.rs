//! Every write to an incomplete run carries the token of its lease, and changes nothing if the token is not
//! current. Check and write are one transaction.

use crate::database::Database;
use crate::lease::model::LEASE;

/// Ends an `INSERT … SELECT` whose first two values are the run's key and the token: it adds nothing unless
/// this handle holds the run's lease. The lock prevents a takeover until the row is written.
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

/// A token that no run has, for a handle without a lease.
pub(crate) const NO_TOKEN: i64 = -1;

/// The kind of a transaction's changes.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    /// Measurements: the run is not complete, and this handle holds its lease.
    Measured,
    /// Figures and remarks: the run may also be complete.
    Derived,
}

impl Change {
    /// Finds the run by its key and the token if it may be changed, and prevents a takeover until the
    /// transaction ends.
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

/// The end of a lease that begins now, as SQL.
pub(crate) fn lease_end<D: Database>() -> String {
    format!("{} + {}", D::NOW_UNIX_MS, LEASE.as_millis())
}
