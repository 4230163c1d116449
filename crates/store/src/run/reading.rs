//! The parts of a run, read back.

use std::collections::{HashMap, HashSet};

use tlslab_record::{
    CellCount, CellState, Overhead, PairState, Plan, RunRecord, Visit, Weight, WeightKind, is_run_id,
};

use crate::StoreError;
use crate::database::Database;
use crate::database::value::{Row, values};
use crate::lease::sql::owner;
use crate::run::sql::SqlStore;
use crate::sample::pack::Pack;
use crate::store::{RunKind, RunSummary};

impl<D: Database> SqlStore<D> {
    fn list<T>(
        &self,
        run: &str,
        key: i64,
        sql: &str,
        read: impl Fn(&Row) -> Result<T, String>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.database.rows(sql, values![key])?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(|cause| self.damaged(run, cause))
    }

    pub(crate) fn visits_of(&self, run: &str, key: i64) -> Result<Vec<(i64, Visit)>, StoreError> {
        let sql = "SELECT round, scenario, attempt, complete, key FROM visit WHERE run = ?1 ORDER BY key";
        self.list(run, key, sql, |row| {
            let (round, scenario) = (row.get(0)?, row.get(1)?);
            Ok((row.get(4)?, Visit { round, scenario, attempt: row.get(2)?, complete: row.get(3)? }))
        })
    }

    pub(crate) fn counts_of(&self, run: &str, key: i64) -> Result<Vec<CellCount>, StoreError> {
        let sql = "SELECT scenario, stack, seed, counted FROM cell_count WHERE run = ?1 ORDER BY scenario, stack, seed";
        self.list(run, key, sql, |row| {
            let seed = row.get::<i64>(2)?.cast_unsigned();
            Ok(CellCount { scenario: row.get(0)?, stack: row.get(1)?, seed, counted: row.parsed(3)? })
        })
    }

    pub(crate) fn cells_of(&self, run: &str, key: i64) -> Result<Vec<CellState>, StoreError> {
        let sql = "SELECT scenario, stack, proof FROM cell WHERE run = ?1 ORDER BY scenario, stack";
        self.list(run, key, sql, |row| {
            Ok(CellState { scenario: row.get(0)?, stack: row.get(1)?, proof: row.parsed(2)? })
        })
    }

    /// The packs of a run by their visits' keys.
    pub(crate) fn packs_of(&self, run: &str, key: i64) -> Result<HashMap<i64, Vec<u8>>, StoreError> {
        let sql = "SELECT visit, body FROM pack JOIN visit ON visit.key = pack.visit WHERE visit.run = ?1";
        Ok(self.list(run, key, sql, |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect())
    }

    /// The visits that have samples in the journal.
    pub(crate) fn open_visits(&self, run: &str, key: i64) -> Result<HashSet<i64>, StoreError> {
        let mut open = HashSet::new();
        for table in ["sample", "pair_sample"] {
            let sql = format!(
                "SELECT key FROM visit WHERE run = ?1 AND EXISTS (SELECT 1 FROM {table} WHERE {table}.visit = visit.key)"
            );
            open.extend(self.list(run, key, &sql, |row| row.get::<i64>(0))?);
        }
        Ok(open)
    }

    pub(crate) fn record(
        &self,
        run: &str,
        key: i64,
        visits: Vec<Visit>,
        measured: Pack,
    ) -> Result<RunRecord, StoreError> {
        let sql = "SELECT plan, complete, measuring_s FROM run WHERE key = ?1";
        let heads = self.list(run, key, sql, |row| Ok((row.parsed(0)?, row.get(1)?, row.get(2)?)))?;
        let (plan, complete, measuring_s) = heads.into_iter().next().ok_or_else(|| self.no_such_run(run))?;
        let cells = self.cells_of(run, key)?;
        let sql =
            "SELECT stack, round, calibration, round_trip_ns FROM overhead WHERE run = ?1 ORDER BY rowid";
        let overheads = self.list(run, key, sql, |row| {
            let (stack, round) = (row.get(0)?, row.get(1)?);
            Ok(Overhead { stack, round, calibration: row.parsed(2)?, round_trip_ns: row.get(3)? })
        })?;
        let counts = self.counts_of(run, key)?;
        let sql = "SELECT scenario, stack, kind, process, weighed FROM weight WHERE run = ?1
                   ORDER BY scenario, stack, kind, process";
        let weights = self.list(run, key, sql, |row| {
            let name: String = row.get(2)?;
            let kind = WeightKind::ALL.into_iter().find(|kind| kind.name() == name);
            let kind = kind.ok_or_else(|| format!("a weight of the unknown kind {name:?}"))?;
            let (scenario, stack, process) = (row.get(0)?, row.get(1)?, row.get(3)?);
            Ok(Weight { scenario, stack, kind, process, weighed: row.parsed(4)? })
        })?;
        let sql = "SELECT scenario, client, server, proof FROM pair WHERE run = ?1 ORDER BY scenario, client, server";
        let pairs = self.list(run, key, sql, |row| {
            let (scenario, client, server) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(PairState { scenario, client, server, proof: row.parsed(3)? })
        })?;
        let sql = "SELECT text FROM warning WHERE run = ?1 ORDER BY rowid";
        let warnings = self.list(run, key, sql, |row| row.get(0))?;
        let record = RunRecord {
            plan,
            complete,
            measuring_s,
            warnings,
            cells,
            overheads,
            visits,
            samples: measured.samples,
            weights,
            counts,
            fidelity: Vec::new(),
            neighbours: Vec::new(),
            layouts: Vec::new(),
            between_runs: Vec::new(),
            pairs,
            pair_samples: measured.pair_samples,
        };
        self.is_of(run, &record.plan.id)?;
        record.check().map_err(|cause| self.damaged(run, cause))?;
        Ok(record)
    }

    /// Checks that a record belongs to its run: its name becomes the name of a folder.
    pub(crate) fn is_of(&self, run: &str, id: &str) -> Result<(), StoreError> {
        match id == run {
            true => Ok(()),
            false => Err(self.damaged(run, "its plan is that of another run".to_owned())),
        }
    }

    /// A plan, checked against its run.
    pub(crate) fn plan_in(&self, run: &str, text: &str) -> Result<Plan, StoreError> {
        let plan: Plan = serde_json::from_str(text).map_err(|cause| self.damaged(run, cause.to_string()))?;
        self.is_of(run, &plan.id)?;
        plan.check().map_err(|cause| self.damaged(run, cause))?;
        Ok(plan)
    }

    pub(crate) fn summaries(&self) -> Result<Vec<RunSummary>, StoreError> {
        let listed = |cause: String| self.damaged("of the list", cause);
        let mut samples: HashMap<i64, u64> = HashMap::new();
        for sql in [
            "SELECT run, CAST(sum(packed) AS BIGINT) FROM visit GROUP BY run",
            "SELECT run, count(*) FROM sample JOIN visit ON visit.key = sample.visit GROUP BY run",
            "SELECT run, count(*) FROM pair_sample JOIN visit ON visit.key = pair_sample.visit GROUP BY run",
        ] {
            for row in self.database.rows(sql, &[])? {
                *samples.entry(row.get(0).map_err(listed)?).or_default() +=
                    row.get::<u64>(1).map_err(listed)?;
            }
        }
        let sql = "SELECT run FROM cell_count UNION SELECT run FROM weight";
        let mut others = HashSet::new();
        for row in self.database.rows(sql, &[])? {
            others.insert(row.get::<i64>(0).map_err(listed)?);
        }
        let sql = format!("SELECT {RUN} FROM run ORDER BY started_unix_ms DESC, key DESC");
        let summary = |row: &Row| {
            let key = row.get(0)?;
            let samples = samples.get(&key).copied().unwrap_or_default();
            let summary = run_summary(row, samples)?;
            let has_values = || -> Result<bool, String> {
                let sql = "SELECT run FROM figure WHERE run = ?1 AND value IS NOT NULL LIMIT 1";
                self.database
                    .rows(sql, values![key])
                    .map(|rows| !rows.is_empty())
                    .map_err(|cause| cause.to_string())
            };
            let is_empty = summary.complete && samples == 0 && !others.contains(&key) && !has_values()?;
            Ok(RunSummary { has_failed: is_empty && summary.kind == RunKind::Measured, ..summary })
        };
        self.database.rows(&sql, &[])?.iter().map(summary).collect::<Result<_, _>>().map_err(listed)
    }
}

/// The columns of [`run_summary`].
pub(crate) const RUN: &str =
    "key, id, started_unix_ms, suite, complete, kind, let_go_unix_ms, job, host, owner, lease_until_unix_ms";

/// The columns of [`RUN`].
pub(crate) fn run_summary(row: &Row, samples: u64) -> Result<RunSummary, String> {
    Ok(RunSummary {
        id: run_id(row, 1)?,
        started_unix_ms: row.get(2)?,
        suite: row.get(3)?,
        complete: row.get(4)?,
        kind: match row.get::<String>(5)?.as_str() {
            "imported" => RunKind::Imported,
            _ => RunKind::Measured,
        },
        samples_deleted_unix_ms: row.get(6)?,
        job: row.get(7)?,
        host: row.get(8)?,
        owner: owner(row, 9)?,
        lease_until_unix_ms: row.get(10)?,
        samples,
        has_failed: false,
    })
}

/// A run's identifier in a column.
pub(crate) fn run_id(row: &Row, column: usize) -> Result<String, String> {
    let id: String = row.get(column)?;
    match is_run_id(&id) {
        true => Ok(id),
        false => Err(format!("a run is called \"{}\", which is not an identifier", id.escape_debug())),
    }
}
