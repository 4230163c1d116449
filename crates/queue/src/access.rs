//! Tokens of programs that ask a service.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tlslab_store::sql::{Database, Row};

use crate::error::QueueError;
use crate::row::values;
use crate::sql_queue::SqlQueue;

/// The rights of a token.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Access {
    /// The owner's name.
    pub name: String,
    /// Its scopes.
    pub scopes: Vec<Scope>,
}

/// Something that a token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Read jobs and results.
    Read,
    /// Submit jobs and cancel its own.
    Submit,
    /// Approve and cancel any job.
    Administer,
}

impl Scope {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Submit => "submit",
            Self::Administer => "administer",
        }
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known =
            [Self::Read, Self::Submit, Self::Administer].into_iter().find(|scope| scope.name() == text);
        known.ok_or_else(|| "write read, submit or administer".to_owned())
    }
}

impl Access {
    /// Whether it has a scope, or one that contains it.
    pub fn may(&self, scope: Scope) -> bool {
        let contains = |held: &Scope| *held == scope || *held == Scope::Administer || scope == Scope::Read;
        self.scopes.iter().any(contains)
    }
}

impl<D: Database> SqlQueue<D> {
    pub(crate) fn put_access(&self, access: &Access, token_hash: &str) -> Result<(), QueueError> {
        let scopes: Vec<&str> = access.scopes.iter().map(|scope| scope.name()).collect();
        let sql = format!(
            "INSERT INTO access (token_hash, name, scopes, created_unix_ms) VALUES (?1, ?2, ?3, {now})
             ON CONFLICT (name) DO UPDATE SET token_hash = ?1, scopes = ?3, created_unix_ms = {now}, ended_unix_ms = 0",
            now = self.now()
        );
        self.database.execute(&sql, values![token_hash, &access.name, scopes.join(",")])?;
        Ok(())
    }

    pub(crate) fn end_access(&self, name: &str) -> Result<bool, QueueError> {
        let sql =
            format!("UPDATE access SET ended_unix_ms = {} WHERE name = ?1 AND ended_unix_ms = 0", self.now());
        Ok(self.database.execute(&sql, values![name])? == 1)
    }

    pub(crate) fn read_access(&self, token_hash: &str) -> Result<Option<Access>, QueueError> {
        let sql = "SELECT name, scopes FROM access WHERE token_hash = ?1 AND ended_unix_ms = 0";
        let rows = self.database.rows(sql, values![token_hash])?;
        rows.first().map(|row| read_access_row(row).map_err(|cause| self.damaged(cause))).transpose()
    }
}

/// A name and scopes.
pub(crate) fn read_access_row(row: &Row) -> Result<Access, String> {
    let scopes: String = row.get(1)?;
    let scopes: Result<_, _> = scopes.split(',').filter(|scope| !scope.is_empty()).map(str::parse).collect();
    Ok(Access { name: row.get(0)?, scopes: scopes? })
}
