//! Queries of jobs for pages and messages.

use std::collections::BTreeMap;

use serde_json::Value;
use tlslab_store::sql::{Database, FromValue, Value as Sql};

use crate::error::QueueError;
use crate::job::{JobRow, Transition};
use crate::row::{COLUMNS, read_job, read_transition, values};
use crate::sql_queue::SqlQueue;
use crate::state::State;

/// Jobs that are looked for.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Filter {
    /// Which part of their life they are in.
    pub phase: Phase,
    /// Their project.
    pub project: Option<String>,
    /// The runner that runs or ran them.
    pub runner: Option<String>,
    /// Of which group, by its whole text.
    pub group: Option<String>,
    /// Of which head.
    pub head: Option<String>,
    /// Only those with an announced comparison.
    pub is_compared: bool,
    /// With a number below this one.
    pub before: Option<i64>,
    /// How many at most; 0 for as many as are read at once.
    pub most: u32,
}

/// Which part of its life a job is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Phase {
    /// Any.
    #[default]
    Any,
    /// It has not ended.
    Open,
    /// It has ended.
    Ended,
}

/// Jobs that are read at once.
const MOST: u32 = 500;

impl<D: Database> SqlQueue<D> {
    pub(crate) fn list_jobs(&self, filter: &Filter) -> Result<Vec<JobRow>, QueueError> {
        let mut given: Vec<Sql> = Vec::new();
        let mut conditions = vec!["1 = 1".to_owned()];
        match filter.phase {
            Phase::Any => {}
            Phase::Open => conditions.push("ended_unix_ms = 0".to_owned()),
            Phase::Ended => conditions.push("ended_unix_ms > 0".to_owned()),
        }
        let texts = [
            ("project", &filter.project),
            ("runner", &filter.runner),
            ("supersedes", &filter.group),
            ("head", &filter.head),
        ];
        for (column, text) in texts {
            if let Some(text) = text {
                given.push(text.into());
                conditions.push(format!("{column} = ?{}", given.len()));
            }
        }
        if filter.is_compared {
            conditions.push("EXISTS (SELECT 1 FROM verdict WHERE verdict.job = job.key)".to_owned());
        }
        if let Some(before) = filter.before {
            given.push(before.into());
            conditions.push(format!("key < ?{}", given.len()));
        }
        let most = if filter.most == 0 { MOST } else { filter.most.min(MOST) };
        given.push(most.into());
        let sql = format!(
            "SELECT {COLUMNS} FROM job WHERE {} ORDER BY key DESC LIMIT ?{}",
            conditions.join(" AND "),
            given.len()
        );
        let rows = self.database.rows(&sql, &given)?;
        let mut jobs: Vec<JobRow> = rows
            .iter()
            .map(|row| read_job(row).map_err(|cause| self.damaged(cause)))
            .collect::<Result<_, _>>()?;
        self.place(&mut jobs)?;
        self.add_verdicts(&mut jobs)?;
        Ok(jobs)
    }

    /// Says of waiting jobs, the newest first, which places they have among those with the same labels.
    fn place(&self, jobs: &mut [JobRow]) -> Result<(), QueueError> {
        let waiting = || jobs.iter().filter(|job| job.state == State::Queued).map(|job| job.key);
        let (Some(newest), Some(oldest)) = (waiting().next(), waiting().next_back()) else { return Ok(()) };
        let sql = "SELECT key, place FROM (SELECT key, row_number() OVER (PARTITION BY labels ORDER BY priority DESC, turn, key) AS place
                                           FROM job WHERE state = 'queued') AS line WHERE key BETWEEN ?1 AND ?2";
        let mut places = BTreeMap::new();
        for row in self.database.rows(sql, values![oldest, newest])? {
            let place = (|| Ok((row.get::<i64>(0)?, row.get::<u64>(1)?)))();
            places.extend([place.map_err(|cause: String| self.damaged(cause))?]);
        }
        for job in jobs.iter_mut().filter(|job| job.state == State::Queued) {
            job.position = places.get(&job.key).copied();
        }
        Ok(())
    }

    pub(crate) fn read_one(&self, id: &str) -> Result<Option<JobRow>, QueueError> {
        let sql = "SELECT key FROM job WHERE id = ?1";
        let Some(row) = self.database.rows(sql, values![id])?.pop() else { return Ok(None) };
        let key: i64 = row.get(0).map_err(|cause| self.damaged(cause))?;
        let one = Filter { before: Some(key + 1), most: 1, ..Filter::default() };
        Ok(self.list_jobs(&one)?.pop().filter(|job| job.id == id))
    }

    pub(crate) fn read_transitions(&self, id: &str) -> Result<Vec<Transition>, QueueError> {
        let sql = "SELECT key, at_unix_ms, from_state, to_state, cause, token FROM transition
                   WHERE job = (SELECT key FROM job WHERE id = ?1) ORDER BY key";
        let rows = self.database.rows(sql, values![id])?;
        rows.iter().map(|row| read_transition(row).map_err(|cause| self.damaged(cause))).collect()
    }

    pub(crate) fn read_events(
        &self,
        id: &str,
        after: u64,
        most: u32,
    ) -> Result<(u64, Vec<(u64, Value)>), QueueError> {
        let sql = "SELECT coalesce(max(token), 0) FROM event WHERE job = (SELECT key FROM job WHERE id = ?1)";
        let token: u64 = self.one(sql, values![id])?;
        let sql =
            "SELECT number, body FROM event WHERE job = (SELECT key FROM job WHERE id = ?1) AND token = ?2
                   AND number > ?3 ORDER BY number LIMIT ?4";
        let rows = self.database.rows(sql, values![id, token, after, most])?;
        let read = |row: &tlslab_store::sql::Row| -> Result<(u64, Value), String> {
            Ok((row.get(0)?, row.parsed(1)?))
        };
        let events: Result<_, _> =
            rows.iter().map(|row| read(row).map_err(|cause| self.damaged(cause))).collect();
        Ok((token, events?))
    }

    pub(crate) fn read_result(&self, id: &str) -> Result<Option<Vec<u8>>, QueueError> {
        let sql = "SELECT body FROM result WHERE job = (SELECT key FROM job WHERE id = ?1)";
        let rows = self.database.rows(sql, values![id])?;
        rows.first().map(|row| row.get(0)).transpose().map_err(|cause| self.damaged(cause))
    }

    pub(crate) fn read_counts(&self) -> Result<Vec<(State, u64)>, QueueError> {
        let sql = "SELECT state, count(*) FROM job WHERE ended_unix_ms = 0 GROUP BY state
                   UNION ALL SELECT state, count(*) FROM job WHERE ended_unix_ms > 0 GROUP BY state";
        let rows = self.database.rows(sql, &[])?;
        let read = |row: &tlslab_store::sql::Row| -> Result<(State, u64), String> {
            Ok((row.get::<String>(0)?.parse()?, row.get(1)?))
        };
        rows.iter().map(|row| read(row).map_err(|cause| self.damaged(cause))).collect()
    }

    pub(crate) fn read_oldest_waiting(&self) -> Result<(u64, u64), QueueError> {
        let oldest = |state: State| -> Result<u64, QueueError> {
            let now = self.now();
            let sql = format!(
                "SELECT coalesce({now} - min(created_unix_ms), 0) FROM job WHERE state = ?1 AND ended_unix_ms = 0"
            );
            let age_ms: i64 = self.one(&sql, values![state.name()])?;
            Ok(u64::try_from(age_ms).unwrap_or_default())
        };
        Ok((oldest(State::Queued)?, oldest(State::WaitingForApproval)?))
    }

    pub(crate) fn read_unannounced(&self, most: u32) -> Result<Vec<(String, i64)>, QueueError> {
        let sql = "SELECT job.id, max(transition.key) FROM transition JOIN job ON job.key = transition.job
                   WHERE transition.announced = 0 GROUP BY job.id ORDER BY max(transition.key) LIMIT ?1";
        let rows = self.database.rows(sql, values![most])?;
        let read = |row: &tlslab_store::sql::Row| -> Result<(String, i64), String> {
            Ok((row.get(0)?, row.get(1)?))
        };
        rows.iter().map(|row| read(row).map_err(|cause| self.damaged(cause))).collect()
    }

    /// The one value that a statement answers.
    pub(crate) fn one<T: FromValue>(&self, sql: &str, given: &[Sql]) -> Result<T, QueueError> {
        let rows = self.database.rows(sql, given)?;
        let row = rows.first().ok_or_else(|| self.damaged("a statement has no answer".to_owned()))?;
        row.get(0).map_err(|cause| self.damaged(cause))
    }
}
