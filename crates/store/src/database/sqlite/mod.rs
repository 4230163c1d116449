//! SQLite, in one file.

pub(crate) mod reading;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::types::{Value as Theirs, ValueRef};
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};

use crate::StoreError;
use crate::database::Database;
use crate::database::value::{Row, Value};
use reading::reading;

/// The schema's steps; a database records how many it has taken.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../../schema/sqlite/001.sql"),
    include_str!("../../schema/sqlite/002.sql"),
    include_str!("../../schema/sqlite/003.sql"),
    include_str!("../../schema/sqlite/004.sql"),
    include_str!("../../schema/sqlite/005.sql"),
    include_str!("../../schema/sqlite/006.sql"),
    include_str!("../../schema/sqlite/007.sql"),
    include_str!("../../schema/sqlite/008.sql"),
    include_str!("../../schema/sqlite/009.sql"),
    include_str!("../../schema/sqlite/010.sql"),
    include_str!("../../schema/sqlite/011.sql"),
    include_str!("../../schema/sqlite/012.sql"),
    include_str!("../../schema/sqlite/013.sql"),
    include_str!("../../schema/sqlite/014.sql"),
    include_str!("../../schema/sqlite/015.sql"),
    include_str!("../../schema/sqlite/016.sql"),
    include_str!("../../schema/sqlite/017.sql"),
    include_str!("../../schema/sqlite/018.sql"),
    include_str!("../../schema/sqlite/019.sql"),
    include_str!("../../schema/sqlite/020.sql"),
];

/// The mark of the lab's files, in their header: `tlsl`.
const APPLICATION: i64 = i32::from_be_bytes(*b"tlsl") as i64;

/// How long one lab waits for another.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many prepared statements are kept.
const READY: usize = 64;

/// A schema is untrusted: its views and triggers do not run, and its expressions cannot call functions with
/// side effects.
const DISTRUST: [(DbConfig, bool); 4] = [
    (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
];

/// A database in one file.
pub struct Sqlite {
    connection: Connection,
    path: PathBuf,
    place: String,
}

impl Sqlite {
    /// Opens the file, or creates it with its folder, and migrates its schema.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|cause| StoreError::Folder { path: folder.to_owned(), cause })?;
        }
        let place = path.display().to_string();
        let failed = |cause: rusqlite::Error| failed(&place, cause);
        let mut connection = Connection::open(path).map_err(failed)?;
        prepare(&connection, &place)?;
        // A kill of the process loses nothing that is in the log; only a power cut could lose the last
        // second.
        patiently(|| connection.execute_batch("PRAGMA journal_mode = WAL")).map_err(failed)?;
        connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON").map_err(failed)?;
        migrate(&mut connection, &place)?;
        Ok(Self { connection, path: path.to_owned(), place })
    }

    /// Opens an existing file with the current schema, and never writes to it; its folder may be read-only.
    pub fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        let place = path.display().to_string();
        if !path.is_file() {
            return Err(StoreError::Missing { place });
        }
        let connection = reading(path)
            .map_err(|cause| StoreError::Unreadable { place: place.clone(), cause: cause.to_string() })?;
        let found = prepare(&connection, &place)?;
        let known = MIGRATIONS.len() as u32;
        match found < known {
            true => Err(StoreError::Older { place, found, known }),
            false => Ok(Self { connection, path: path.to_owned(), place }),
        }
    }

    fn batch(&self, sql: &str) -> Result<(), StoreError> {
        self.connection.execute_batch(sql).map_err(|cause| failed(&self.place, cause))
    }
}

impl Database for Sqlite {
    const NOW_UNIX_MS: &'static str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
    const LIKE: &'static str = "GLOB";

    fn pattern(text: &str) -> String {
        text.replace('[', "[[]")
    }

    fn place(&self) -> &str {
        &self.place
    }

    fn again(&self) -> Result<Self, StoreError> {
        // A file that was removed is not created again.
        if !self.path.is_file() {
            let cause = "the file was removed".to_owned();
            return Err(StoreError::Unreachable { place: self.place.clone(), cause });
        }
        Self::open(&self.path)
    }

    fn execute(&self, sql: &str, values: &[Value]) -> Result<u64, StoreError> {
        let statement = self.connection.prepare_cached(sql);
        let changed = statement.and_then(|mut statement| {
            statement.execute(rusqlite::params_from_iter(values.iter().map(theirs)))
        });
        changed.map(|changed| changed as u64).map_err(|cause| failed(&self.place, cause))
    }

    fn rows(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        let failed = |cause| failed(&self.place, cause);
        let mut statement = self.connection.prepare_cached(sql).map_err(failed)?;
        let columns = statement.column_count();
        let read = |row: &rusqlite::Row<'_>| {
            let values = (0..columns).map(|column| row.get_ref(column).map(ours));
            Ok(Row(values.collect::<Result<_, _>>()?))
        };
        let rows = statement.query_map(rusqlite::params_from_iter(values.iter().map(theirs)), read);
        rows.and_then(Iterator::collect).map_err(failed)
    }

    fn begin(&self) -> Result<(), StoreError> {
        self.batch("BEGIN IMMEDIATE")
    }

    fn begin_reading(&self) -> Result<(), StoreError> {
        self.batch("BEGIN DEFERRED")
    }

    fn commit(&self) -> Result<(), StoreError> {
        self.batch("COMMIT")
    }

    fn rollback(&self) -> Result<(), StoreError> {
        self.batch("ROLLBACK")
    }

    fn shrink(&self) -> Result<(), StoreError> {
        self.batch("VACUUM; PRAGMA wal_checkpoint (TRUNCATE);")
    }

    fn outlive_power_cuts(&self) -> Result<(), StoreError> {
        self.batch("PRAGMA synchronous = FULL")
    }

    fn tell(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn heard(&self, _: Duration) -> Result<Option<bool>, StoreError> {
        Ok(None)
    }

    fn bytes(&self) -> Result<u64, StoreError> {
        let log = PathBuf::from(format!("{}-wal", self.path.display()));
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
        Ok(size(&self.path) + size(&log))
    }
}

/// Two labs create the same file at once: one of them finds it busy, regardless of its timeout.
fn patiently(work: impl Fn() -> rusqlite::Result<()>) -> rusqlite::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match work() {
            Err(cause) if is_busy(&cause) && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(10));
            }
            done => return done,
        }
    }
}

fn is_busy(cause: &rusqlite::Error) -> bool {
    matches!(cause.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Applies settings, checks the requirements of any database that is read, and returns its schema version.
fn prepare(connection: &Connection, place: &str) -> Result<u32, StoreError> {
    let failed = |cause: rusqlite::Error| failed(place, cause);
    connection.set_prepared_statement_cache_capacity(READY);
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    for (setting, is_on) in DISTRUST {
        connection.set_db_config(setting, is_on).map_err(failed)?;
    }
    refuse_others(connection, place)
}

/// Another program's database is not changed. Returns the schema version of a lab's own.
fn refuse_others(connection: &Connection, place: &str) -> Result<u32, StoreError> {
    let seen = Cell::new((false, 0));
    let look = || {
        // With a consistent view: another lab may be creating the tables.
        let moment = connection.unchecked_transaction()?;
        seen.set(is_ours(&moment)?);
        moment.commit()
    };
    patiently(look).map_err(|cause| failed(place, cause))?;
    let known = MIGRATIONS.len() as u32;
    match seen.get() {
        (_, found) if found > known => Err(StoreError::Newer { place: place.to_owned(), found, known }),
        (true, found) => refuse_programs(connection, place).map(|()| found),
        (false, _) => Err(StoreError::Foreign { place: place.to_owned() }),
    }
}

/// Objects that would run when the database is read: the lab creates only tables and indices.
fn refuse_programs(connection: &Connection, place: &str) -> Result<(), StoreError> {
    let sql = "SELECT CASE WHEN type = 'table' THEN 'virtual table' ELSE type END, name FROM sqlite_master
               WHERE type IN ('view', 'trigger') OR (type = 'table' AND sql LIKE 'CREATE VIRTUAL%') LIMIT 1";
    let found = Cell::new(None);
    let look = || {
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
        found.set(connection.query_row(sql, [], row).optional()?);
        Ok(())
    };
    patiently(look).map_err(|cause| failed(place, cause))?;
    let Some((kind, name)) = found.take() else { return Ok(()) };
    let kind = ["view", "trigger"].into_iter().find(|known| *known == kind).unwrap_or("virtual table");
    Err(StoreError::Programmed { place: place.to_owned(), kind, name })
}

/// Whether the file is a tlslab database, and its schema version. Databases of older versions have no
/// application_id, but a table of runs; new ones are empty.
fn is_ours(connection: &Connection) -> rusqlite::Result<(bool, u32)> {
    let number = |pragma: &str| -> rusqlite::Result<i64> {
        connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0))
    };
    let tables =
        "SELECT count(*), count(*) FILTER (WHERE name = 'run') FROM sqlite_master WHERE type = 'table'";
    let (all, runs): (u32, u32) = connection.query_row(tables, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let taken = number("user_version")?;
    let schema = u32::try_from(taken).unwrap_or_default();
    let is_new = all == 0 && taken == 0;
    Ok(match number("application_id")? {
        APPLICATION => (is_new || runs == 1, schema),
        0 if runs == 1 => (taken > 0, schema),
        0 => (is_new, 0),
        _ => (false, 0),
    })
}

fn migrate(connection: &mut Connection, place: &str) -> Result<(), StoreError> {
    let failed = |cause| failed(place, cause);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let taken: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)?;
    let known = MIGRATIONS.len() as u32;
    if taken > known {
        return Err(StoreError::Newer { place: place.to_owned(), found: taken, known });
    }
    for migration in &MIGRATIONS[taken as usize..] {
        transaction.execute_batch(migration).map_err(failed)?;
    }
    let marks = format!("PRAGMA user_version = {known}; PRAGMA application_id = {APPLICATION}");
    transaction.execute_batch(&marks).map_err(failed)?;
    transaction.commit().map_err(failed)
}

fn failed(place: &str, cause: rusqlite::Error) -> StoreError {
    StoreError::Database { place: place.to_owned(), cause: cause.to_string() }
}

fn theirs(value: &Value) -> Theirs {
    match value {
        Value::Null => Theirs::Null,
        Value::Integer(number) => Theirs::Integer(*number),
        Value::Real(number) => Theirs::Real(*number),
        Value::Text(text) => Theirs::Text(text.clone()),
        Value::Blob(bytes) => Theirs::Blob(bytes.clone()),
    }
}

fn ours(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_owned()),
    }
}
