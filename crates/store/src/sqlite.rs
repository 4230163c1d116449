//! A store in one SQLite file.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde::de::DeserializeOwned;
use tlslab_protocol::{Measurement, PhaseTimes, SideMeasurement};
use tlslab_record::{
    CellCount, CellState, Overhead, PairSample, PairState, Plan, RunRecord, Sample, Visit, Weight, WeightKind,
};

use crate::StoreError;
use crate::detail::{Detail, SideDetail};
use crate::store::{RunSummary, Store};

/// The schema's steps; a database remembers how many it has taken.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/001.sql"),
    include_str!("schema/002.sql"),
    include_str!("schema/003.sql"),
    include_str!("schema/004.sql"),
    include_str!("schema/005.sql"),
];

/// A database in one file.
pub struct Sqlite {
    connection: Connection,
    path: PathBuf,
}

impl Sqlite {
    /// Opens the file, or makes it with its folder, and brings its schema up to date.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|cause| StoreError::Folder { path: folder.to_owned(), cause })?;
        }
        let failed = |cause| StoreError::Database { path: path.to_owned(), cause };
        let mut connection = Connection::open(path).map_err(failed)?;
        // A kill of the process loses nothing of what is in the log; only a power cut could lose the last second.
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
                 PRAGMA busy_timeout = 10000;",
            )
            .map_err(failed)?;
        migrate(&mut connection, path)?;
        Ok(Self { connection, path: path.to_owned() })
    }

    pub(crate) fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Result<(), StoreError> {
        let changed = self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute(values));
        changed.map(|_| ()).map_err(|cause| self.failed(cause))
    }

    fn failed(&self, cause: rusqlite::Error) -> StoreError {
        StoreError::Database { path: self.path.clone(), cause }
    }

    pub(crate) fn rows<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|cause| self.failed(cause))?;
        let rows = statement.query_map(values, read).and_then(Iterator::collect);
        rows.map_err(|cause| self.failed(cause))
    }
}

impl Store for Sqlite {
    fn create_run(&mut self, plan: &Plan) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO run (id, started_unix_ms, suite, plan) VALUES (?1, ?2, ?3, ?4)",
            params![plan.id, plan.started_unix_ms, plan.suite, json(plan)],
        )
    }

    fn put_cell(&mut self, run: &str, cell: &CellState) -> Result<(), StoreError> {
        self.execute(
            "INSERT OR REPLACE INTO cell (run, scenario, stack, proof)
             VALUES ((SELECT key FROM run WHERE id = ?1), ?2, ?3, ?4)",
            params![run, cell.scenario, cell.stack, json(&cell.proof)],
        )
    }

    fn add_overhead(&mut self, run: &str, overhead: &Overhead) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO overhead (run, stack, round, calibration, round_trip_ns)
             VALUES ((SELECT key FROM run WHERE id = ?1), ?2, ?3, ?4, ?5)",
            params![run, overhead.stack, overhead.round, json(&overhead.calibration), overhead.round_trip_ns],
        )
    }

    fn begin_visit(&mut self, run: &str, visit: &Visit) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO visit (run, round, scenario, attempt) VALUES ((SELECT key FROM run WHERE id = ?1), ?2, ?3, ?4)",
            params![run, visit.round, visit.scenario, visit.attempt],
        )
    }

    fn add_sample(&mut self, run: &str, sample: &Sample) -> Result<(), StoreError> {
        let Sample { measurement, .. } = sample;
        let mut values: Vec<i64> =
            vec![sample.round as i64, sample.scenario as i64, sample.attempt as i64, sample.block as i64];
        values.extend([sample.place as i64, sample.stack as i64]);
        values.extend([measurement.iterations as i64, measurement.elapsed_ns as i64]);
        values.extend(side_columns(&measurement.client));
        values.extend(side_columns(&measurement.server));
        let mut all: Vec<rusqlite::types::Value> = vec![run.to_owned().into()];
        all.extend(values.into_iter().map(rusqlite::types::Value::from));
        all.push(json(&Detail::of(measurement)).into());
        self.execute(
            "INSERT INTO sample VALUES (
                (SELECT key FROM visit WHERE run = (SELECT key FROM run WHERE id = ?1)
                 AND round = ?2 AND scenario = ?3 AND attempt = ?4),
                ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
                ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30)",
            params_from_iter(all),
        )
    }

    fn put_pair(&mut self, run: &str, pair: &PairState) -> Result<(), StoreError> {
        self.insert_pair(run, pair)
    }

    fn add_pair_sample(&mut self, run: &str, sample: &PairSample) -> Result<(), StoreError> {
        self.insert_pair_sample(run, sample)
    }

    fn end_visit(&mut self, run: &str, visit: &Visit, took_s: f64) -> Result<(), StoreError> {
        let transaction = self.connection.transaction();
        let done = transaction.and_then(|transaction| {
            transaction.execute(
                "UPDATE visit SET complete = ?5 WHERE run = (SELECT key FROM run WHERE id = ?1)
                 AND round = ?2 AND scenario = ?3 AND attempt = ?4",
                params![run, visit.round, visit.scenario, visit.attempt, visit.complete],
            )?;
            transaction.execute(
                "UPDATE run SET measuring_s = measuring_s + ?2 WHERE id = ?1",
                params![run, took_s],
            )?;
            transaction.commit()
        });
        done.map_err(|cause| self.failed(cause))
    }

    fn add_count(&mut self, run: &str, count: &CellCount) -> Result<(), StoreError> {
        let CellCount { scenario, stack, seed, counted } = count;
        self.execute(
            "INSERT INTO cell_count (run, scenario, stack, seed, counted)
             SELECT key, ?2, ?3, ?4, ?5 FROM run WHERE id = ?1",
            params![run, scenario, stack, seed.cast_signed(), json(counted)],
        )
    }

    fn add_weight(&mut self, run: &str, weight: &Weight) -> Result<(), StoreError> {
        let Weight { scenario, stack, kind, process, weighed } = weight;
        self.execute(
            "INSERT INTO weight (run, scenario, stack, kind, process, weighed)
             VALUES ((SELECT key FROM run WHERE id = ?1), ?2, ?3, ?4, ?5, ?6)",
            params![run, scenario, stack, kind.name(), process, json(weighed)],
        )
    }

    fn warn(&mut self, run: &str, text: &str) -> Result<(), StoreError> {
        self.execute(
            "INSERT OR IGNORE INTO warning (run, text) VALUES ((SELECT key FROM run WHERE id = ?1), ?2)",
            params![run, text],
        )
    }

    fn complete_run(&mut self, run: &str) -> Result<(), StoreError> {
        self.execute("UPDATE run SET complete = 1 WHERE id = ?1", params![run])
    }

    fn load(&self, run: &str) -> Result<RunRecord, StoreError> {
        let damaged =
            |cause: String| StoreError::Damaged { id: run.to_owned(), path: self.path.clone(), cause };
        let found = self
            .connection
            .query_row("SELECT key, plan, complete, measuring_s FROM run WHERE id = ?1", [run], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()
            .map_err(|cause| self.failed(cause))?;
        let Some((key, plan, complete, measuring_s)) = found else {
            return Err(StoreError::NoSuchRun { id: run.to_owned(), path: self.path.clone() });
        };
        let cells = self.rows(
            "SELECT scenario, stack, proof FROM cell WHERE run = ?1 ORDER BY scenario, stack",
            [key],
            |row| Ok(CellState { scenario: row.get(0)?, stack: row.get(1)?, proof: parsed(row, 2)? }),
        )?;
        let overheads = self.rows(
            "SELECT stack, round, calibration, round_trip_ns FROM overhead WHERE run = ?1 ORDER BY rowid",
            [key],
            |row| {
                let (stack, round) = (row.get(0)?, row.get(1)?);
                Ok(Overhead { stack, round, calibration: parsed(row, 2)?, round_trip_ns: row.get(3)? })
            },
        )?;
        let visits = self.rows(
            "SELECT round, scenario, attempt, complete FROM visit WHERE run = ?1 ORDER BY key",
            [key],
            |row| {
                let (round, scenario) = (row.get(0)?, row.get(1)?);
                Ok(Visit { round, scenario, attempt: row.get(2)?, complete: row.get(3)? })
            },
        )?;
        let samples = self.rows(
            "SELECT visit.round, visit.scenario, visit.attempt, sample.* FROM sample
             JOIN visit ON visit.key = sample.visit WHERE visit.run = ?1
             ORDER BY visit.key, sample.block, sample.place",
            [key],
            sample,
        )?;
        let counts = self.rows(
            "SELECT scenario, stack, seed, counted FROM cell_count WHERE run = ?1 ORDER BY scenario, stack, seed",
            [key],
            |row| {
                let seed = row.get::<_, i64>(2)?.cast_unsigned();
                Ok(CellCount { scenario: row.get(0)?, stack: row.get(1)?, seed, counted: parsed(row, 3)? })
            },
        )?;
        let weights = self.rows(
            "SELECT scenario, stack, kind, process, weighed FROM weight WHERE run = ?1
             ORDER BY scenario, stack, kind, process",
            [key],
            |row| {
                let (scenario, stack, process) = (row.get(0)?, row.get(1)?, row.get(3)?);
                let kind = match row.get::<_, String>(2)?.as_str() {
                    "heap" => WeightKind::Heap,
                    _ => WeightKind::Resident,
                };
                Ok(Weight { scenario, stack, kind, process, weighed: parsed(row, 4)? })
            },
        )?;
        Ok(RunRecord {
            plan: serde_json::from_str(&plan).map_err(|cause| damaged(cause.to_string()))?,
            complete,
            measuring_s,
            warnings: self
                .rows("SELECT text FROM warning WHERE run = ?1 ORDER BY rowid", [key], |row| row.get(0))?,
            cells,
            overheads,
            visits,
            samples,
            weights,
            counts,
            fidelity: Vec::new(),
            pairs: self.pairs(key)?,
            pair_samples: self.pair_samples(key)?,
        })
    }

    fn runs(&self) -> Result<Vec<RunSummary>, StoreError> {
        self.rows(
            "SELECT id, started_unix_ms, suite, complete,
                    (SELECT count(*) FROM sample JOIN visit ON visit.key = sample.visit WHERE visit.run = run.key)
                    + (SELECT count(*) FROM pair_sample JOIN visit ON visit.key = pair_sample.visit
                       WHERE visit.run = run.key)
             FROM run ORDER BY started_unix_ms DESC, key DESC",
            [],
            |row| {
                Ok(RunSummary {
                    id: row.get(0)?,
                    started_unix_ms: row.get(1)?,
                    suite: row.get(2)?,
                    complete: row.get(3)?,
                    samples: row.get(4)?,
                })
            },
        )
    }
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |cause| StoreError::Database { path: path.to_owned(), cause };
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(failed)?;
    let taken: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)?;
    let known = MIGRATIONS.len() as u32;
    if taken > known {
        return Err(StoreError::Newer { path: path.to_owned(), found: taken, known });
    }
    for migration in &MIGRATIONS[taken as usize..] {
        transaction.execute_batch(migration).map_err(failed)?;
    }
    transaction.execute_batch(&format!("PRAGMA user_version = {known}")).map_err(failed)?;
    transaction.commit().map_err(failed)
}

pub(crate) fn json<T: serde::Serialize>(value: &T) -> String {
    // Records are plain data with text keys, which always serialise.
    serde_json::to_string(value).expect("records serialise")
}

pub(crate) fn parsed<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|cause| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(cause))
    })
}

/// In the order of the table's columns.
fn side_columns(side: &SideMeasurement) -> [i64; 10] {
    // The rest is among the details.
    let PhaseTimes {
        create_ns,
        handshake_ns,
        post_handshake_ns,
        free_ns,
        send_ns,
        receive_ns,
        context_ns: _,
        operation_ns: _,
    } = side.phases;
    [
        create_ns,
        handshake_ns,
        post_handshake_ns,
        free_ns,
        send_ns,
        receive_ns,
        side.clock_reads,
        side.wire_bytes,
        side.plaintext_sent,
        side.plaintext_received,
    ]
    .map(|value| value as i64)
}

fn sample(row: &Row<'_>) -> rusqlite::Result<Sample> {
    // Column 3 is the visit's key.
    let detail: Detail = parsed(row, 29)?;
    let side = |first: usize, detail: SideDetail| -> rusqlite::Result<SideMeasurement> {
        Ok(SideMeasurement {
            phases: PhaseTimes {
                context_ns: detail.context_ns,
                create_ns: row.get(first)?,
                handshake_ns: row.get(first + 1)?,
                post_handshake_ns: row.get(first + 2)?,
                free_ns: row.get(first + 3)?,
                send_ns: row.get(first + 4)?,
                receive_ns: row.get(first + 5)?,
                operation_ns: detail.operation_ns,
            },
            clock_reads: row.get(first + 6)?,
            wire_bytes: row.get(first + 7)?,
            plaintext_sent: row.get(first + 8)?,
            plaintext_received: row.get(first + 9)?,
            handshake_calls_ns: detail.handshake_calls_ns,
            latencies: detail.latencies,
        })
    };
    Ok(Sample {
        round: row.get(0)?,
        scenario: row.get(1)?,
        attempt: row.get(2)?,
        block: row.get(4)?,
        place: row.get(5)?,
        stack: row.get(6)?,
        measurement: Measurement {
            iterations: row.get(7)?,
            elapsed_ns: row.get(8)?,
            client: side(9, detail.client)?,
            server: side(19, detail.server)?,
            threads: detail.threads,
        },
    })
}
