//! The calls of a queue, each by the file that has its statements.

use std::time::Duration;

use serde_json::Value;
use tlslab_store::sql::Database;

use crate::access::Access;
use crate::applied::Applied;
use crate::canary::Canary;
use crate::change::Change;
use crate::duty::Duty;
use crate::error::QueueError;
use crate::inbox::Delivery;
use crate::job::{Finish, Hold, JobRow, Renewed, Settled, Taken, Taker, Transition};
use crate::keep::Kept;
use crate::list::Filter;
use crate::notice::GivenUp;
use crate::outbox::{GIVEN_UP, Message, OUTDATED};
use crate::pull::PullRow;
use crate::queue::Queue;
use crate::runner::{NewRunner, Runner};
use crate::schedule::Schedule;
use crate::showing::CanaryVerdict;
use crate::sql_queue::SqlQueue;
use crate::state::State;

impl<D: Database> Queue for SqlQueue<D> {
    fn apply(&self, changes: &[Change]) -> Result<Vec<Applied>, QueueError> {
        self.apply_all(changes)
    }
    fn take(&self, taker: &Taker) -> Result<Taken, QueueError> {
        self.take_next(taker)
    }
    fn renew(&self, hold: &Hold, state: Option<State>) -> Result<Renewed, QueueError> {
        self.renew_lease(hold, state)
    }
    fn event(&self, hold: &Hold, events: &[(u64, Value)]) -> Result<bool, QueueError> {
        self.add_events(hold, events)
    }
    fn finish(&self, hold: &Hold, finish: &Finish) -> Result<Settled, QueueError> {
        self.settle(hold, finish)
    }
    fn sweep(&self) -> Result<u64, QueueError> {
        self.take_back()
    }
    fn list(&self, filter: &Filter) -> Result<Vec<JobRow>, QueueError> {
        self.list_jobs(filter)
    }
    fn job(&self, id: &str) -> Result<Option<JobRow>, QueueError> {
        self.read_one(id)
    }
    fn transitions(&self, id: &str) -> Result<Vec<Transition>, QueueError> {
        self.read_transitions(id)
    }
    fn events(&self, id: &str, after: u64, most: u32) -> Result<(u64, Vec<(u64, Value)>), QueueError> {
        self.read_events(id, after, most)
    }
    fn result(&self, id: &str) -> Result<Option<Vec<u8>>, QueueError> {
        self.read_result(id)
    }
    fn count_states(&self) -> Result<Vec<(State, u64)>, QueueError> {
        self.read_counts()
    }
    fn unannounced(&self, most: u32) -> Result<Vec<(String, i64)>, QueueError> {
        self.read_unannounced(most)
    }
    fn receive(&self, forge: &str, id: &str, event: &str, body: &[u8]) -> Result<bool, QueueError> {
        self.keep_delivery(forge, id, event, body)
    }
    fn unhandled(&self, most: u32) -> Result<Vec<Delivery>, QueueError> {
        self.read_unhandled(most)
    }
    fn deliveries(&self) -> Result<u64, QueueError> {
        self.one("SELECT count(*) FROM delivery", &[])
    }
    fn undelivered(&self) -> Result<u64, QueueError> {
        self.one("SELECT count(*) FROM delivery WHERE handled IS NULL", &[])
    }
    fn delete_some(&self, kept: Kept, older_than_ms: u64, most: u32) -> Result<u64, QueueError> {
        Self::delete_some(self, kept, older_than_ms, most)
    }
    fn jobs_full_until(&self, project: &str, within_ms: u64, most: u32) -> Result<Option<u64>, QueueError> {
        Self::jobs_full_until(self, project, within_ms, most)
    }
    fn commands_full_until(
        &self,
        forge: &str,
        person: &str,
        within_ms: u64,
        most: u32,
    ) -> Result<Option<u64>, QueueError> {
        Self::commands_full_until(self, forge, person, within_ms, most)
    }
    fn count_waiting(&self, project: &str, without: &str) -> Result<u64, QueueError> {
        Self::count_waiting(self, project, without)
    }
    fn events_noted(&self, prefix: &str) -> Result<Vec<String>, QueueError> {
        self.read_events_noted(prefix)
    }
    fn given_up_lately(&self, within_ms: u64, most: u32) -> Result<Vec<GivenUp>, QueueError> {
        self.read_given_up(within_ms, most)
    }
    fn claim_message(&self) -> Result<Option<Message>, QueueError> {
        self.claim_next_message()
    }
    fn message_sent(&self, message: &Message, remote: Option<u64>) -> Result<(), QueueError> {
        self.mark_sent(message, remote)
    }
    fn message_delayed(&self, message: &Message, delay_ms: u64, problem: &str) -> Result<(), QueueError> {
        self.delay_message(message, delay_ms, problem)
    }
    fn message_is_current(&self, message: &Message) -> Result<bool, QueueError> {
        self.is_current(message)
    }
    fn message_released(&self, message: &Message) -> Result<(), QueueError> {
        self.release_message(message)
    }
    fn message_given_up(&self, message: &Message, problem: &str) -> Result<(), QueueError> {
        self.drop_message(message, GIVEN_UP, problem)
    }
    fn message_outdated(&self, message: &Message) -> Result<(), QueueError> {
        self.drop_message(message, OUTDATED, "")
    }
    fn given_up(&self) -> Result<(u64, u64), QueueError> {
        self.count_given_up()
    }
    fn oldest_waiting_ms(&self) -> Result<(u64, u64), QueueError> {
        self.read_oldest_waiting()
    }
    fn pulls(&self, project: &str, number: Option<u64>) -> Result<Vec<PullRow>, QueueError> {
        self.read_pulls(project, number)
    }
    fn pulls_numbered(&self, project: &str, numbers: &[u64]) -> Result<Vec<PullRow>, QueueError> {
        self.read_pulls_numbered(project, numbers)
    }
    fn pulls_of_head(&self, project: &str, head: &str) -> Result<Vec<PullRow>, QueueError> {
        self.read_pulls_of_head(project, head)
    }
    fn is_carried_out(&self, forge: &str, comment: u64) -> Result<bool, QueueError> {
        Self::is_carried_out(self, forge, comment)
    }
    fn messages_waiting(&self) -> Result<(u64, u64), QueueError> {
        self.count_messages()
    }
    fn set_schedules(&self, schedules: &[Schedule]) -> Result<(), QueueError> {
        self.replace_schedules(schedules)
    }
    fn due_schedules(&self) -> Result<(Vec<Schedule>, u64), QueueError> {
        self.read_due()
    }
    fn register_runner(&self, runner: &NewRunner) -> Result<(), QueueError> {
        self.put_runner(runner)
    }
    fn change_key(&self, name: &str, key_hash: &str, overlap_ms: u64) -> Result<bool, QueueError> {
        self.replace_key(name, key_hash, overlap_ms)
    }
    fn runner_of_key(&self, key_hash: &str) -> Result<Option<Runner>, QueueError> {
        self.read_runner(key_hash)
    }
    fn runner_seen(&self, name: &str, boot: &str, facts: Option<&Value>) -> Result<(), QueueError> {
        self.mark_seen(name, boot, facts)
    }
    fn runners(&self) -> Result<Vec<Runner>, QueueError> {
        self.read_runners()
    }
    fn set_duty(
        &self,
        name: &str,
        duty: Duty,
        cause: &str,
        discards_reference: bool,
    ) -> Result<Option<Runner>, QueueError> {
        self.change_duty(name, duty, cause, discards_reference)
    }
    fn remove_runner(&self, name: &str) -> Result<bool, QueueError> {
        self.delete_runner(name)
    }
    fn canaries(
        &self,
        runner: &str,
        most: u32,
        verdicts: &[CanaryVerdict],
    ) -> Result<Vec<Canary>, QueueError> {
        self.read_canaries(runner, most, verdicts)
    }
    fn canary_of_job(&self, job: &str) -> Result<Option<Canary>, QueueError> {
        self.read_canary_of_job(job)
    }
    fn grant(&self, access: &Access, token_hash: &str) -> Result<(), QueueError> {
        self.put_access(access, token_hash)
    }
    fn revoke(&self, name: &str) -> Result<bool, QueueError> {
        self.end_access(name)
    }
    fn access_of_token(&self, token_hash: &str) -> Result<Option<Access>, QueueError> {
        self.read_access(token_hash)
    }
    fn begin_session(&self, id_hash: &str, token_hash: &str, for_ms: u64) -> Result<(), QueueError> {
        Self::begin_session(self, id_hash, token_hash, for_ms)
    }
    fn access_of_session(&self, id_hash: &str) -> Result<Option<Access>, QueueError> {
        self.read_session(id_hash)
    }
    fn end_session(&self, id_hash: &str) -> Result<bool, QueueError> {
        Self::end_session(self, id_hash)
    }
    fn received(&self, hold: &Hold) -> Result<u64, QueueError> {
        self.read_received(hold)
    }
    fn add_piece(&self, hold: &Hold, from: u64, piece: &[u8]) -> Result<u64, QueueError> {
        self.put_piece(hold, from, piece)
    }
    fn piece(&self, hold: &Hold, from: u64) -> Result<Option<Vec<u8>>, QueueError> {
        self.read_piece(hold, from)
    }
    fn remove_pieces(&self, hold: &Hold) -> Result<(), QueueError> {
        self.delete_pieces(hold)
    }
    fn remove_left_pieces(&self) -> Result<u64, QueueError> {
        self.delete_left_pieces()
    }
    fn heard_of_work(&self, time: Duration) -> Result<Option<bool>, QueueError> {
        Ok(self.database.heard(time)?)
    }
    fn again(&self) -> Result<Box<dyn Queue>, QueueError> {
        let database = self.database.again()?;
        database.outlive_power_cuts()?;
        Ok(Box::new(Self { database, lease: self.lease, clock: self.clock.clone() }))
    }
    fn place(&self) -> String {
        self.database.place().to_owned()
    }
}
