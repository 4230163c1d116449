//! Replaces PostgreSQL if it was not compiled in: opening a database returns how to get it.

use std::convert::Infallible;
use std::time::Duration;

use crate::StoreError;
use crate::address::Address;
use crate::database::Database;
use crate::database::value::{Row, Value};

/// A database on a server; no value of it exists.
pub struct Postgres {
    never: Infallible,
}

impl Postgres {
    /// Always fails.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        Err(StoreError::WithoutPostgres { place: Address::Postgres(url.to_owned()).to_string() })
    }

    /// Always fails.
    pub fn open_to_read(url: &str) -> Result<Self, StoreError> {
        Self::open(url)
    }
}

impl Database for Postgres {
    const NOW_UNIX_MS: &'static str = "";
    const LIKE: &'static str = "";

    fn pattern(text: &str) -> String {
        text.to_owned()
    }

    fn place(&self) -> &str {
        match self.never {}
    }

    fn again(&self) -> Result<Self, StoreError> {
        match self.never {}
    }

    fn execute(&self, _: &str, _: &[Value]) -> Result<u64, StoreError> {
        match self.never {}
    }

    fn rows(&self, _: &str, _: &[Value]) -> Result<Vec<Row>, StoreError> {
        match self.never {}
    }

    fn begin(&self) -> Result<(), StoreError> {
        match self.never {}
    }

    fn begin_reading(&self) -> Result<(), StoreError> {
        match self.never {}
    }

    fn commit(&self) -> Result<(), StoreError> {
        match self.never {}
    }

    fn rollback(&self) -> Result<(), StoreError> {
        match self.never {}
    }

    fn shrink(&self) -> Result<(), StoreError> {
        match self.never {}
    }

    fn outlive_power_cuts(&self) -> Result<(), StoreError> {
        match self.never {}
    }

    fn tell(&self) -> Result<(), StoreError> {
        match self.never {}
    }

    fn heard(&self, _: Duration) -> Result<Option<bool>, StoreError> {
        match self.never {}
    }

    fn bytes(&self) -> Result<u64, StoreError> {
        match self.never {}
    }
}
