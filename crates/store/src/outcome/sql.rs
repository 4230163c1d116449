//! Outcomes of jobs in a database.

use crate::StoreError;
use crate::compressed::{MOST_BYTES, unpacked};
use crate::database::Database;
use crate::database::value::{Row, Value, values};
use crate::outcome::model::{OutcomeRecord, OutcomeState, OutcomeSummary};
use crate::run::sql::SqlStore;

/// The compression of bodies: as that of packs.
const LEVEL: i32 = 3;

/// The columns of [`summary`].
pub(crate) const SUMMARY: &str =
    "id, kind, run, title, trust, host, began_unix_ms, ended_unix_ms, state, status, format";

impl<D: Database> SqlStore<D> {
    pub(crate) fn write_outcome(&self, outcome: &OutcomeRecord) -> Result<bool, StoreError> {
        let OutcomeRecord { summary, request, body } = outcome;
        if body.len() > MOST_BYTES {
            return Err(StoreError::TooMuchOutcome { id: summary.id.clone(), most_mib: MOST_BYTES >> 20 });
        }
        let body =
            zstd::encode_all(body.as_bytes(), LEVEL).map_err(|cause| self.broken(cause.to_string()))?;
        let sql = "INSERT INTO outcome (id, kind, run, title, trust, host, began_unix_ms, ended_unix_ms, state, status,
                   format, request, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
                   ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, run = excluded.run, title = excluded.title,
                   trust = excluded.trust, host = excluded.host, began_unix_ms = excluded.began_unix_ms,
                   ended_unix_ms = excluded.ended_unix_ms, state = excluded.state, status = excluded.status,
                   format = excluded.format, request = excluded.request, body = excluded.body
                   WHERE outcome.state <> 'done'";
        let OutcomeSummary { id, kind, run, title, trust, host, .. } = summary;
        let values = values![
            id,
            kind,
            run.as_ref(),
            title,
            trust,
            host,
            summary.began_unix_ms,
            summary.ended_unix_ms,
            summary.state.name(),
            summary.status,
            summary.format,
            request,
            body,
        ];
        Ok(self.database.execute(sql, values)? > 0)
    }

    pub(crate) fn read_outcome(&self, id: &str) -> Result<Option<OutcomeRecord>, StoreError> {
        self.one_outcome("id = ?1", values![id])
    }

    pub(crate) fn read_outcome_of_run(&self, run: &str) -> Result<Option<OutcomeRecord>, StoreError> {
        self.one_outcome("run = ?1 ORDER BY ended_unix_ms DESC, id DESC LIMIT 1", values![run])
    }

    fn one_outcome(&self, which: &str, values: &[Value]) -> Result<Option<OutcomeRecord>, StoreError> {
        let sql = format!("SELECT {SUMMARY}, request, body FROM outcome WHERE {which}");
        let rows = self.database.rows(&sql, values)?;
        let record = |row: &Row| -> Result<OutcomeRecord, String> {
            let summary = summary(row)?;
            let damaged = |cause: String| format!("the outcome {}: {cause}", summary.id.escape_debug());
            let body = unpacked(&row.get::<Vec<u8>>(12)?).map_err(damaged)?;
            let body = String::from_utf8(body).map_err(|cause| damaged(cause.to_string()))?;
            Ok(OutcomeRecord { request: row.get(11)?, body, summary })
        };
        rows.first().map(record).transpose().map_err(|cause| self.broken(cause))
    }
}

/// The columns of [`SUMMARY`].
pub(crate) fn summary(row: &Row) -> Result<OutcomeSummary, String> {
    Ok(OutcomeSummary {
        id: row.get(0)?,
        kind: row.get(1)?,
        run: row.get(2)?,
        title: row.get(3)?,
        trust: row.get(4)?,
        host: row.get(5)?,
        began_unix_ms: row.get(6)?,
        ended_unix_ms: row.get(7)?,
        state: OutcomeState::named(&row.get::<String>(8)?)?,
        status: row.get(9)?,
        format: row.get(10)?,
    })
}
