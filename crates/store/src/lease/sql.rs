//! Leases in a database.

use tlslab_record::Plan;

use crate::StoreError;
use crate::database::value::{Row, Value, json, values};
use crate::database::{Database, whole};
use crate::lease::fence::{Change, NO_TOKEN, lease_end};
use crate::lease::model::{Lease, Owner, RENEWED_EVERY};
use crate::lease::renewal::Renewal;
use crate::run::sql::SqlStore;

impl<D: Database> SqlStore<D> {
    /// The token with which this handle writes to a run.
    pub(crate) fn token(&self, key: i64) -> i64 {
        self.tokens.borrow().get(&key).copied().unwrap_or(NO_TOKEN)
    }

    /// Adds a row to a run whose lease this handle holds; the values begin with the run's key and the token.
    pub(crate) fn add(&self, run: &str, sql: &str, values: &[Value]) -> Result<(), StoreError> {
        match self.database.execute(sql, values)? {
            0 => Err(self.refusal(run)),
            _ => Ok(()),
        }
    }

    /// Within a transaction: checks that the run may be changed, and prevents a takeover before the
    /// transaction ends.
    pub(crate) fn hold(&self, run: &str, key: i64, change: Change) -> Result<(), StoreError> {
        match self.database.rows(change.hold(), values![key, self.token(key)])?.is_empty() {
            true => Err(self.refusal(run)),
            false => Ok(()),
        }
    }

    /// Why a run was not changed.
    fn refusal(&self, run: &str) -> StoreError {
        let (id, place) = (run.to_owned(), self.database.place().to_owned());
        let is_complete = || -> Result<bool, StoreError> {
            let rows = self.database.rows("SELECT complete FROM run WHERE id = ?1", values![run])?;
            let row = rows.first().ok_or_else(|| self.no_such_run(run))?;
            row.get(0).map_err(|cause| self.damaged(run, cause))
        };
        match is_complete() {
            Ok(true) => StoreError::Complete { id, place },
            Ok(false) => StoreError::LeaseLost { id, place },
            Err(cause) => cause,
        }
    }

    /// Gives an incomplete run to an owner, if it is free.
    pub(crate) fn take(&self, run: &str, owner: &Owner) -> Result<Lease, StoreError> {
        let key = self.key(run)?;
        let lease = whole(&self.database, || {
            self.free_token(run, key, owner, |_| false)?;
            let sql = format!(
                "UPDATE run SET owner = ?2, host = ?3, job = coalesce(nullif(?4, ''), job), token = token + 1,
                 lease_until_unix_ms = {} WHERE key = ?1",
                lease_end::<D>()
            );
            self.database.execute(&sql, values![key, json(owner), &owner.host, &self.job])?;
            self.read_lease(run, key)
        })?;
        self.remember(key, &lease);
        Ok(lease)
    }

    /// Deletes the records of an incomplete run, unless a live process other than this owner holds it, and
    /// begins it again with a larger token: later writes of other handles are rejected.
    pub(crate) fn create_anew(&self, plan: &Plan, owner: &Owner) -> Result<(), StoreError> {
        let key = self.key(&plan.id)?;
        let (key, token) = whole(&self.database, || {
            let token = self.free_token(&plan.id, key, owner, |holder| holder == owner)? + 1;
            self.database.execute("DELETE FROM run WHERE key = ?1", values![key])?;
            self.forget(&plan.id, key);
            Ok::<_, StoreError>((self.insert(plan, owner, token)?, token))
        })?;
        self.tokens.borrow_mut().insert(key, token);
        Ok(())
    }

    /// Within a transaction: the token of an incomplete run that no live process holds, other than the given
    /// one.
    fn free_token(
        &self,
        run: &str,
        key: i64,
        owner: &Owner,
        is_allowed: impl Fn(&Owner) -> bool,
    ) -> Result<i64, StoreError> {
        let columns = format!("owner, lease_until_unix_ms, token, complete, {}", D::NOW_UNIX_MS);
        let sql = format!("SELECT {columns} FROM run WHERE key = ?1 /*! FOR UPDATE */");
        let rows = self.database.rows(&sql, values![key])?;
        let row = rows.first().ok_or_else(|| self.no_such_run(run))?;
        let damaged = |cause| self.damaged(run, cause);
        let Lease { owner: holder, until_unix_ms, token, .. } = lease(run, row, 0).map_err(damaged)?;
        let (id, place) = (run.to_owned(), self.database.place().to_owned());
        if row.get(3).map_err(damaged)? {
            return Err(StoreError::Complete { id, place });
        }
        let now_unix_ms: u64 = row.get(4).map_err(damaged)?;
        let is_held =
            |holder: &Owner| until_unix_ms > now_unix_ms && !is_allowed(holder) && !holder.is_dead(owner);
        match holder.filter(is_held) {
            Some(by) => Err(StoreError::Held { id, place, by, until_unix_ms }),
            None => Ok(token.cast_signed()),
        }
    }

    /// This handle now writes with this lease's token.
    pub(crate) fn remember(&self, key: i64, lease: &Lease) {
        self.tokens.borrow_mut().insert(key, lease.token.cast_signed());
    }

    pub(crate) fn renew(&self, run: &str, token: u64) -> Result<Lease, StoreError> {
        let key = self.key(run)?;
        let sql = format!(
            "UPDATE run SET lease_until_unix_ms = {} WHERE key = ?1 AND token = ?2 AND complete = 0
             AND owner IS NOT NULL",
            lease_end::<D>()
        );
        self.add(run, &sql, values![key, token])?;
        self.read_lease(run, key)
    }

    /// Renews the lease that this handle holds, until the returned value is dropped.
    pub(crate) fn renewed(&self, run: &str) -> Result<Renewal, StoreError> {
        let held = u64::try_from(self.token(self.key(run)?));
        let token = held.map_err(|_| self.refusal(run))?;
        let mut store = Self::new(self.database.again()?);
        let run = run.to_owned();
        Ok(Renewal::start(RENEWED_EVERY, move || {
            let renewed = store.renew(&run, token);
            if renewed.as_ref().is_err_and(|cause| !cause.is_refusal()) {
                // The connection may be lost.
                store = Self::new(store.database.again()?);
                return store.renew(&run, token).map(drop);
            }
            renewed.map(drop)
        }))
    }

    /// Releases the lease, if this handle holds it.
    pub(crate) fn release(&self, run: &str) -> Result<(), StoreError> {
        let key = self.key(run)?;
        let token = self.token(key);
        self.tokens.borrow_mut().remove(&key);
        let sql = "UPDATE run SET owner = NULL, lease_until_unix_ms = 0, token = token + 1
                   WHERE key = ?1 AND token = ?2 AND complete = 0";
        self.database.execute(sql, values![key, token]).map(drop)
    }

    pub(crate) fn read_lease(&self, run: &str, key: i64) -> Result<Lease, StoreError> {
        let sql = "SELECT owner, lease_until_unix_ms, token FROM run WHERE key = ?1";
        let rows = self.database.rows(sql, values![key])?;
        let row = rows.first().ok_or_else(|| self.no_such_run(run))?;
        lease(run, row, 0).map_err(|cause| self.damaged(run, cause))
    }
}

/// Three columns: the owner, the end and the token.
pub(crate) fn lease(run: &str, row: &Row, first: usize) -> Result<Lease, String> {
    Ok(Lease {
        run: run.to_owned(),
        owner: owner(row, first)?,
        until_unix_ms: row.get(first + 1)?,
        token: row.get(first + 2)?,
    })
}

/// A column with an owner.
pub(crate) fn owner(row: &Row, column: usize) -> Result<Option<Owner>, String> {
    match row.get::<Option<String>>(column)? {
        None => Ok(None),
        Some(_) => row.parsed(column).map(Some),
    }
}
