//! Imported runs, and deleted samples.

use tlslab_record::{Figure, ImportedRun, RawValues, is_run_id};

use crate::StoreError;
use crate::compressed::{MOST_BYTES, unpacked};
use crate::database::value::{json, values};
use crate::database::{Database, whole};
use crate::lease::fence::Change;
use crate::run::sql::SqlStore;
use crate::store::Deleted;

/// The compression of raw values: as that of packs.
const LEVEL: i32 = 3;

impl<D: Database> SqlStore<D> {
    pub(crate) fn write_imported(&self, run: &ImportedRun, figures: &[Figure]) -> Result<(), StoreError> {
        // The raw values have a separate table.
        let head = ImportedRun { raw: Vec::new(), ..run.clone() };
        whole(&self.database, || {
            self.database.execute(
                "INSERT INTO run (id, started_unix_ms, suite, plan, complete, kind) VALUES (?1, ?2, ?3, ?4, 1, 'imported')",
                values![&run.id, run.started_unix_ms, &run.format, json(&head)],
            )?;
            let key = self.name_stacks(&run.id, figures.iter().map(|figure| &*figure.stack))?;
            if !run.raw.is_empty() {
                let text = json(&run.raw);
                if text.len() > MOST_BYTES {
                    return Err(StoreError::TooMuchRaw { most_mib: MOST_BYTES >> 20 });
                }
                let body = zstd::encode_all(text.as_bytes(), LEVEL)
                    .map_err(|cause| self.broken(cause.to_string()))?;
                self.database.execute("INSERT INTO raw (run, body) VALUES (?1, ?2)", values![key, body])?;
            }
            self.replace_figures(key, figures)
        })
    }

    pub(crate) fn read_imported(&self, run: &str) -> Result<ImportedRun, StoreError> {
        let key = self.key(run)?;
        let damaged = |cause: String| self.damaged(run, cause);
        let rows =
            self.database.rows("SELECT plan FROM run WHERE key = ?1 AND kind = 'imported'", values![key])?;
        let head = rows.first().ok_or_else(|| damaged("it was measured, not imported".to_owned()))?;
        let head: ImportedRun = head.parsed(0).map_err(damaged)?;
        self.is_of(run, &head.id)?;
        if !is_run_id(run) {
            return Err(damaged("its name is not an identifier".to_owned()));
        }
        let rows = self.database.rows("SELECT body FROM raw WHERE run = ?1", values![key])?;
        let raw: Vec<RawValues> = match rows.first() {
            None => Vec::new(),
            Some(row) => {
                let body: Vec<u8> = row.get(0).map_err(damaged)?;
                let text = unpacked(&body).map_err(|cause| damaged(format!("its raw values: {cause}")))?;
                serde_json::from_slice(&text).map_err(|cause| damaged(cause.to_string()))?
            }
        };
        Ok(ImportedRun { raw, ..head })
    }

    /// The runs that `load` must reject: imported ones, and those whose samples were deleted.
    pub(crate) fn refuse_without_samples(&self, run: &str, key: i64) -> Result<(), StoreError> {
        let rows = self.database.rows("SELECT kind, let_go_unix_ms FROM run WHERE key = ?1", values![key])?;
        let row = rows.first().ok_or_else(|| self.no_such_run(run))?;
        let damaged = |cause| self.damaged(run, cause);
        if row.get::<String>(0).map_err(damaged)? == "imported" {
            return Err(StoreError::Imported { id: run.to_owned() });
        }
        match row.get::<Option<u64>>(1).map_err(damaged)? {
            Some(when_unix_ms) => Err(StoreError::SamplesDeleted { id: run.to_owned(), when_unix_ms }),
            None => Ok(()),
        }
    }

    /// The size of its samples, which are deleted on request.
    pub(crate) fn let_samples_go(
        &self,
        run: &str,
        now_unix_ms: u64,
        really: bool,
    ) -> Result<Deleted, StoreError> {
        let key = self.key(run)?;
        let visits = self.visits_of(run, key)?;
        whole(&self.database, || {
            // Rows of an older lab are packed first, so that all samples are counted alike.
            if really {
                self.hold(run, key, Change::Derived)?;
                self.pack_open(run, key, &visits)?;
            }
            let sql = "SELECT CAST(coalesce(sum(length(body)), 0) AS BIGINT), CAST(coalesce(sum(packed), 0) AS BIGINT)
                       FROM pack JOIN visit ON visit.key = pack.visit WHERE visit.run = ?1";
            let rows = self.database.rows(sql, values![key])?;
            let number = |column| rows.first().map_or(Ok(0), |row| row.get(column));
            let damaged = |cause| self.damaged(run, cause);
            let gone = Deleted { bytes: number(0).map_err(damaged)?, samples: number(1).map_err(damaged)? };
            if really {
                let sql = "DELETE FROM pack WHERE visit IN (SELECT key FROM visit WHERE run = ?1)";
                self.database.execute(sql, values![key])?;
                let sql = "UPDATE run SET let_go_unix_ms = ?2 WHERE key = ?1";
                self.database.execute(sql, values![key, now_unix_ms])?;
            }
            Ok(gone)
        })
    }
}
