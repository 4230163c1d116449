//! Leases of jobs.

use serde_json::Value;
use tlslab_store::sql::{Database, Value as Sql, whole};

use crate::duty::Duty;
use crate::error::QueueError;
use crate::job::{Finish, Hold, JobRow, Leased, Renewed, Settled, Taken, Taker};
use crate::row::values;
use crate::sql_queue::SqlQueue;
use crate::state::{Fault, State};

/// How long a job waits after the first failure of the lab or a runner, ms; then twice as long each time.
const FIRST_WAIT_MS: u64 = 5_000;

/// Events that one statement adds.
const EVENTS_AT_ONCE: usize = 32;

/// Jobs that are taken back at once.
const SWEPT: &str = "lease_until_unix_ms > 0 AND lease_until_unix_ms <";

impl<D: Database> SqlQueue<D> {
    pub(crate) fn take_next(&self, taker: &Taker) -> Result<Taken, QueueError> {
        whole(&self.database, || {
            if let Some(facts) = &taker.facts {
                self.mark_seen(&taker.name, &taker.boot, Some(facts))?;
            }
            self.take_expired()?;
            let own = "runner = ?1 AND slot = ?2 AND lease_until_unix_ms > 0";
            for job in self.locked(own, values![&taker.name, taker.slot])? {
                if job.boot.as_deref() == Some(&taker.boot) {
                    // The answer that gave it away was lost.
                    return self.lend_again(job).map(|leased| Taken::Job(Box::new(leased)));
                }
                let cause = format!("runner {} has started again", taker.name);
                self.take_from_runner(&job, &cause)?;
            }
            let runner = self.runner_named(&taker.name)?;
            if let Some(why) = match &runner {
                Some(runner) => self.rests(runner, self.one(&format!("SELECT {}", self.now()), &[])?),
                None => None,
            } {
                return Ok(Taken::Rest(why));
            }
            let is_quarantined = runner.as_ref().is_some_and(|runner| runner.duty == Duty::Quarantined);
            let Some(job) = self.next_for(taker, is_quarantined)? else {
                let why = runner.filter(|_| is_quarantined);
                let why = why.map(|runner| format!("it is in quarantine: {}", runner.duty_cause));
                return Ok(why.map_or(Taken::Nothing, Taken::Rest));
            };
            let job = JobRow { token: job.token + 1, ..job };
            let (state, cause) = (State::Fetching, format!("taken by runner {}", taker.name));
            let sql = format!(
                "UPDATE job SET token = ?2, runner = ?3, boot = ?4, leased_unix_ms = {now}, state = ?5, slot = ?6, reason = ?7,
                                lease_until_unix_ms = {now} + ?8 WHERE key = ?1",
                now = self.now()
            );
            let (name, boot, lease_ms) = (&taker.name, &taker.boot, self.lease_ms());
            let given = values![job.key, job.token, name, boot, state.name(), taker.slot, &cause, lease_ms];
            self.database.execute(&sql, given)?;
            self.transition(&job, Some(job.state), state, &cause)?;
            Ok(Taken::Job(Box::new(Leased { job: job.id, token: job.token, lease_ms, body: job.body })))
        })
    }

    fn lend_again(&self, job: JobRow) -> Result<Leased, QueueError> {
        let sql = format!("UPDATE job SET lease_until_unix_ms = {} + ?2 WHERE key = ?1", self.now());
        let lease_ms = self.lease_ms();
        self.database.execute(&sql, values![job.key, lease_ms])?;
        Ok(Leased { job: job.id, token: job.token, lease_ms, body: job.body })
    }

    pub(crate) fn take_back(&self) -> Result<u64, QueueError> {
        whole(&self.database, || self.take_expired())
    }

    fn take_expired(&self) -> Result<u64, QueueError> {
        let now = self.now();
        let sql = format!("SELECT key FROM job WHERE {SWEPT} {now} /*! FOR UPDATE SKIP LOCKED */");
        let expired = self.database.rows(&sql, &[])?;
        for row in &expired {
            let key: i64 = row.get(0).map_err(|cause| self.damaged(cause))?;
            for job in self.locked("key = ?1", values![key])? {
                let runner = job.runner.as_deref().unwrap_or("its runner");
                self.take_from_runner(&job, &format!("runner {runner} did not renew its lease"))?;
            }
        }
        Ok(expired.len() as u64)
    }

    /// A lease ends without a result.
    fn take_from_runner(&self, job: &JobRow, cause: &str) -> Result<(), QueueError> {
        match &job.cancel {
            Some(asked) => self.end(job, job.state_if_cancelled(), asked, None),
            None => self.try_again(job, cause, Fault::Runner, job.token, 0),
        }
    }

    /// Back to the queue, unless it was tried often enough.
    fn try_again(
        &self,
        job: &JobRow,
        cause: &str,
        fault: Fault,
        token: u64,
        wait_ms: u64,
    ) -> Result<(), QueueError> {
        let attempts = job.attempts + 1;
        let wait_ms = wait_ms << (attempts - 1).min(8);
        let sql = format!(
            "UPDATE job SET attempts = ?2, token = ?3, lease_until_unix_ms = 0, not_before_unix_ms = {} + ?4 WHERE key = ?1",
            self.now()
        );
        self.database.execute(&sql, values![job.key, attempts, token, wait_ms])?;
        if attempts >= job.most_attempts {
            let cause = format!("{cause}; it was tried {attempts} times");
            return self.end(job, State::Failed, &cause, Some(fault));
        }
        self.step(job, State::Queued, cause)
    }

    /// The job, if this is its newest lease and it has not ended.
    fn held(&self, hold: &Hold) -> Result<Option<JobRow>, QueueError> {
        let job = self.locked("id = ?1", values![&hold.job])?.pop();
        Ok(job.filter(|job| {
            job.token == hold.token && job.runner.as_ref() == Some(&hold.runner) && !job.state.is_ended()
        }))
    }

    pub(crate) fn renew_lease(&self, hold: &Hold, state: Option<State>) -> Result<Renewed, QueueError> {
        whole(&self.database, || {
            let Some(job) = self.held(hold)?.filter(|job| job.lease_until_unix_ms > 0) else {
                return Ok(Renewed::Lost);
            };
            let sql = format!("UPDATE job SET lease_until_unix_ms = {} + ?2 WHERE key = ?1", self.now());
            self.database.execute(&sql, values![job.key, self.lease_ms()])?;
            self.mark_heard(&hold.runner)?;
            if let Some(state) = state.filter(|state| state.is_leased() && *state != job.state) {
                self.step(&job, state, "progress of the runner")?;
            }
            let is_paused = || -> Result<bool, QueueError> {
                Ok(self.runner_named(&hold.runner)?.is_some_and(|runner| runner.duty == Duty::Paused))
            };
            Ok(match job.cancel {
                Some(_) => Renewed::Cancel,
                None if is_paused()? => Renewed::GiveBack,
                None => Renewed::Go,
            })
        })
    }

    pub(crate) fn add_events(&self, hold: &Hold, events: &[(u64, Value)]) -> Result<bool, QueueError> {
        whole(&self.database, || {
            let Some(job) = self.held(hold)? else { return Ok(false) };
            for some in events.chunks(EVENTS_AT_ONCE) {
                let mut given = values![job.key, job.token].to_vec();
                let mut rows = Vec::with_capacity(some.len());
                for (number, body) in some {
                    rows.push(format!("(?1, ?2, ?{}, ?{})", given.len() + 1, given.len() + 2));
                    given.extend([Sql::from(*number), body.to_string().into()]);
                }
                let rows = rows.join(", ");
                let sql = format!(
                    "INSERT INTO event (job, token, number, body) VALUES {rows} ON CONFLICT DO NOTHING"
                );
                self.database.execute(&sql, &given)?;
            }
            Ok(true)
        })
    }

    pub(crate) fn settle(&self, hold: &Hold, finish: &Finish) -> Result<Settled, QueueError> {
        whole(&self.database, || {
            if let Some(job) = self.held(hold)? {
                // Also after the lease has ended, if no other runner has taken the job.
                self.settle_job(&job, hold, finish)?;
                self.settle_runner(&job, hold, finish)?;
                return Ok(Settled::Accepted);
            }
            let sql = "SELECT result.token, result.runner FROM result JOIN job ON job.key = result.job WHERE job.id = ?1";
            let rows = self.database.rows(sql, values![&hold.job])?;
            for row in &rows {
                let damaged = |cause| self.damaged(cause);
                let (token, runner): (u64, String) =
                    (row.get(0).map_err(damaged)?, row.get(1).map_err(damaged)?);
                if token == hold.token && runner == hold.runner {
                    return Ok(Settled::AcceptedBefore);
                }
            }
            let sql = format!(
                "INSERT INTO rejected (job, token, runner, at_unix_ms, body)
                 SELECT key, ?2, ?3, {}, ?4 FROM job WHERE id = ?1 ON CONFLICT DO NOTHING",
                self.now()
            );
            self.database.execute(&sql, values![&hold.job, hold.token, &hold.runner, finish.body.clone()])?;
            Ok(Settled::Stale)
        })
    }

    /// Stores the results of a job that concern its runner.
    fn settle_runner(&self, job: &JobRow, hold: &Hold, finish: &Finish) -> Result<(), QueueError> {
        if let Some(canary) = &finish.canary {
            self.put_canary(&hold.runner, &job.id, canary)?;
        }
        let Some((duty, cause)) = &finish.duty else { return Ok(()) };
        let now = self.runner_named(&hold.runner)?.map(|runner| runner.duty);
        // A person's word is not changed by a canary.
        let may = matches!(
            (now, duty),
            (Some(Duty::Works), Duty::Quarantined) | (Some(Duty::Quarantined), Duty::Works)
        );
        if may {
            self.write_duty(&hold.runner, *duty, cause, false)?;
        }
        Ok(())
    }

    fn settle_job(&self, job: &JobRow, hold: &Hold, finish: &Finish) -> Result<(), QueueError> {
        let reason = finish.reason.as_str();
        if finish.state == State::Queued && job.cancel.is_none() {
            // Its runner stops in an orderly way: this is no failure.
            let sql = "UPDATE job SET token = ?2, lease_until_unix_ms = 0 WHERE key = ?1";
            self.database.execute(sql, values![job.key, job.token + 1])?;
            return self.step(job, State::Queued, reason);
        }
        if let (State::Failed, Some(fault)) = (finish.state, finish.fault)
            && fault.may_pass()
            && job.cancel.is_none()
            && job.attempts + 1 < job.most_attempts
        {
            // A new token: the same answer again is one of an earlier attempt.
            return self.try_again(job, reason, fault, job.token + 1, FIRST_WAIT_MS);
        }
        let sql = format!(
            "INSERT INTO result (job, token, runner, at_unix_ms, body) VALUES (?1, ?2, ?3, {}, ?4)",
            self.now()
        );
        self.database.execute(&sql, values![job.key, job.token, &hold.runner, finish.body.clone()])?;
        // A runner's failure on a job that is to be cancelled is no failure.
        let may_pass = finish.state == State::Failed && finish.fault.is_some_and(Fault::may_pass);
        match (finish.state, &job.cancel) {
            (State::Reported, _) => self.end(job, State::Reported, reason, None),
            (State::Failed, Some(asked)) if may_pass => self.end(job, job.state_if_cancelled(), asked, None),
            (State::Cancelled | State::Queued, asked) => {
                self.end(job, job.state_if_cancelled(), asked.as_deref().unwrap_or(reason), None)
            }
            _ => self.end(job, State::Failed, reason, Some(finish.fault.unwrap_or(Fault::Lab))),
        }
    }
}
