//! PostgreSQL, on a server.

mod cause;
mod tls;
mod values;

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::time::Duration;

use postgres::fallible_iterator::FallibleIterator as _;
use postgres::{Client, Statement};

use crate::StoreError;
use crate::address::Address;
use crate::database::Database;
use crate::database::value::{Row, Value};
use cause::describe;

/// The schema's steps; a table records how many a database has taken.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../../schema/postgres/001.sql"),
    include_str!("../../schema/postgres/002.sql"),
    include_str!("../../schema/postgres/003.sql"),
    include_str!("../../schema/postgres/004.sql"),
    include_str!("../../schema/postgres/005.sql"),
    include_str!("../../schema/postgres/006.sql"),
    include_str!("../../schema/postgres/007.sql"),
    include_str!("../../schema/postgres/008.sql"),
    include_str!("../../schema/postgres/009.sql"),
    include_str!("../../schema/postgres/010.sql"),
    include_str!("../../schema/postgres/011.sql"),
    include_str!("../../schema/postgres/012.sql"),
    include_str!("../../schema/postgres/013.sql"),
    include_str!("../../schema/postgres/014.sql"),
    include_str!("../../schema/postgres/015.sql"),
];

/// The lock for labs that migrate an old schema at once: any number that is the same for all of them.
const MIGRATION_LOCK: i64 = 0x746c_736c_6162;

/// As with SQLite, a kill of the lab loses nothing; only a crash of the server could lose the last second. A
/// lab that is stopped in the middle of a transaction blocks others for a minute at most.
const SESSION: &str = "SET synchronous_commit = off; SET client_min_messages = warning;
    SET idle_in_transaction_session_timeout = '60s'; SET lock_timeout = '90s'";

/// A database on a server.
pub struct Postgres {
    connection: RefCell<Client>,
    ready: RefCell<HashMap<String, Statement>>,
    url: String,
    place: String,
}

impl Postgres {
    /// Connects, and migrates the schema. The database itself must exist.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let place = Address::Postgres(url.to_owned()).to_string();
        let refused = |cause: String| StoreError::Unreachable { place: place.clone(), cause };
        let mut connection = tls::connect(url).map_err(refused)?;
        let failed = |cause| failed(&place, &cause);
        connection.batch_execute(SESSION).map_err(failed)?;
        migrate(&mut connection, &place)?;
        Ok(Self::of(connection, url, place))
    }

    /// Connects to a database that has the current schema, and never writes to it.
    pub fn open_to_read(url: &str) -> Result<Self, StoreError> {
        let place = Address::Postgres(url.to_owned()).to_string();
        let refused = |cause: String| StoreError::Unreachable { place: place.clone(), cause };
        let mut connection = tls::connect(url).map_err(refused)?;
        let session = format!("{SESSION}; SET default_transaction_read_only = on");
        connection.batch_execute(&session).map_err(|cause| failed(&place, &cause))?;
        let (found, known) = (schema(&mut connection, &place)?, MIGRATIONS.len() as u32);
        match found.cmp(&known) {
            Ordering::Less => Err(StoreError::Older { place, found, known }),
            Ordering::Equal => Ok(Self::of(connection, url, place)),
            Ordering::Greater => Err(StoreError::Newer { place, found, known }),
        }
    }

    fn of(connection: Client, url: &str, place: String) -> Self {
        Self { connection: connection.into(), ready: RefCell::default(), url: url.to_owned(), place }
    }

    fn failed(&self, cause: &postgres::Error) -> StoreError {
        failed(&self.place, cause)
    }

    fn batch(&self, sql: &str) -> Result<(), StoreError> {
        self.connection.borrow_mut().batch_execute(sql).map_err(|cause| self.failed(&cause))
    }

    fn statement(&self, sql: &str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.ready.borrow().get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.connection.borrow_mut().prepare(&own(sql));
        let statement = statement.map_err(|cause| self.failed(&cause))?;
        self.ready.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

impl Database for Postgres {
    const NOW_UNIX_MS: &'static str = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";
    const LIKE: &'static str = "LIKE";

    fn pattern(text: &str) -> String {
        let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        escaped.replace('*', "%").replace('?', "_")
    }

    fn place(&self) -> &str {
        &self.place
    }

    fn again(&self) -> Result<Self, StoreError> {
        Self::open(&self.url)
    }

    fn execute(&self, sql: &str, values: &[Value]) -> Result<u64, StoreError> {
        let statement = self.statement(sql)?;
        let changed = self.connection.borrow_mut().execute(&statement, &values::parameters(values));
        changed.map_err(|cause| self.failed(&cause))
    }

    fn rows(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        let statement = self.statement(sql)?;
        let rows = self.connection.borrow_mut().query(&statement, &values::parameters(values));
        let rows = rows.map_err(|cause| self.failed(&cause))?;
        rows.iter().map(values::row).collect::<Result<_, _>>().map_err(|cause| self.failed(&cause))
    }

    fn begin(&self) -> Result<(), StoreError> {
        self.batch("BEGIN")
    }

    fn begin_reading(&self) -> Result<(), StoreError> {
        self.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }

    fn commit(&self) -> Result<(), StoreError> {
        self.batch("COMMIT")
    }

    fn rollback(&self) -> Result<(), StoreError> {
        self.batch("ROLLBACK")
    }

    fn shrink(&self) -> Result<(), StoreError> {
        self.batch("VACUUM FULL pack")
    }

    fn outlive_power_cuts(&self) -> Result<(), StoreError> {
        self.batch("SET synchronous_commit = on")
    }

    fn tell(&self) -> Result<(), StoreError> {
        self.batch("NOTIFY tlslab")
    }

    fn heard(&self, time: Duration) -> Result<Option<bool>, StoreError> {
        // Again at each call: the connection may be another one behind the same address.
        self.batch("LISTEN tlslab")?;
        let mut connection = self.connection.borrow_mut();
        let mut told = connection.notifications();
        let heard = told.timeout_iter(time).next().map_err(|cause| self.failed(&cause))?;
        // Further notifications have the same meaning.
        while told.iter().next().map_err(|cause| self.failed(&cause))?.is_some() {}
        Ok(Some(heard.is_some()))
    }

    fn bytes(&self) -> Result<u64, StoreError> {
        let rows = self.rows("SELECT pg_database_size(current_database())", &[])?;
        let bytes = rows.first().map_or(Ok(0), |row| row.get(0));
        bytes.map_err(|cause| StoreError::Database { place: self.place.clone(), cause })
    }
}

/// A statement in PostgreSQL's syntax.
fn own(sql: &str) -> String {
    sql.replace('?', "$").replace("/*!", "").replace("*/", "")
}

/// How many steps of the schema a database has taken.
fn schema(connection: &mut Client, place: &str) -> Result<u32, StoreError> {
    let failed = |cause| failed(place, &cause);
    let sql = "SELECT to_regclass('migration') IS NOT NULL";
    if !connection.query_one(sql, &[]).map_err(failed)?.get::<_, bool>(0) {
        return Ok(0);
    }
    let row = connection.query_one("SELECT coalesce(max(number), 0) FROM migration", &[]).map_err(failed)?;
    Ok(u32::try_from(row.get::<_, i64>(0)).unwrap_or_default())
}

fn migrate(connection: &mut Client, place: &str) -> Result<(), StoreError> {
    let failed = |cause| failed(place, &cause);
    let mut transaction = connection.transaction().map_err(failed)?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).map_err(failed)?;
    transaction
        .batch_execute("CREATE TABLE IF NOT EXISTS migration (number BIGINT PRIMARY KEY)")
        .map_err(failed)?;
    let row = transaction.query_one("SELECT coalesce(max(number), 0) FROM migration", &[]).map_err(failed)?;
    let (taken, known) = (row.get::<_, i64>(0), MIGRATIONS.len() as i64);
    if taken > known {
        return Err(StoreError::Newer { place: place.to_owned(), found: taken as u32, known: known as u32 });
    }
    for (number, migration) in (1..).zip(MIGRATIONS).skip(taken as usize) {
        transaction.batch_execute(migration).map_err(failed)?;
        transaction.execute("INSERT INTO migration VALUES ($1)", &[&(number as i64)]).map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}

fn failed(place: &str, cause: &postgres::Error) -> StoreError {
    StoreError::Database { place: place.to_owned(), cause: describe(cause) }
}
