//! A service's interface to a queue.

use std::time::Duration;

use serde_json::Value;

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
use crate::outbox::Message;
use crate::pull::PullRow;
use crate::runner::{NewRunner, Runner};
use crate::schedule::Schedule;
use crate::showing::CanaryVerdict;
use crate::state::State;

/// A queue. Every call is one transaction.
pub trait Queue: Send {
    /// Applies all changes, or none.
    fn apply(&self, changes: &[Change]) -> Result<Vec<Applied>, QueueError>;
    /// The next job for a runner's place. One that has a job already gets the same again.
    fn take(&self, taker: &Taker) -> Result<Taken, QueueError>;
    /// Extends a lease, and reports the job's progress.
    fn renew(&self, hold: &Hold, state: Option<State>) -> Result<Renewed, QueueError>;
    /// Adds events, each with its number; existing ones stay. Returns whether the lease is the newest one.
    fn event(&self, hold: &Hold, events: &[(u64, Value)]) -> Result<bool, QueueError>;
    /// Ends a lease.
    fn finish(&self, hold: &Hold, finish: &Finish) -> Result<Settled, QueueError>;
    /// Takes back jobs whose lease has ended; returns their number.
    fn sweep(&self) -> Result<u64, QueueError>;

    /// Jobs, the newest first.
    fn list(&self, filter: &Filter) -> Result<Vec<JobRow>, QueueError>;
    /// One job.
    fn job(&self, id: &str) -> Result<Option<JobRow>, QueueError>;
    /// Its steps, in order.
    fn transitions(&self, id: &str) -> Result<Vec<Transition>, QueueError>;
    /// Events of its newest lease that has some, after a number, and that lease's token.
    fn events(&self, id: &str, after: u64, most: u32) -> Result<(u64, Vec<(u64, Value)>), QueueError>;
    /// Its result.
    fn result(&self, id: &str) -> Result<Option<Vec<u8>>, QueueError>;
    /// How many jobs are in each state.
    fn count_states(&self) -> Result<Vec<(State, u64)>, QueueError>;
    /// Jobs with transitions that were not announced, and the newest of them.
    fn unannounced(&self, most: u32) -> Result<Vec<(String, i64)>, QueueError>;

    /// Keeps a delivery. Whether it is a new one.
    fn receive(&self, forge: &str, id: &str, event: &str, body: &[u8]) -> Result<bool, QueueError>;
    /// Deliveries that are to be handled, the oldest first.
    fn unhandled(&self, most: u32) -> Result<Vec<Delivery>, QueueError>;

    /// How many deliveries were kept.
    fn deliveries(&self) -> Result<u64, QueueError>;
    /// How many deliveries are not handled yet.
    fn undelivered(&self) -> Result<u64, QueueError>;

    /// Deletes at most so many deliveries or so many jobs' rows that are older, in ms; how many rows.
    fn delete_some(&self, kept: Kept, older_than_ms: u64, most: u32) -> Result<u64, QueueError>;

    /// If a project had so many jobs within a time in ms: when there may be another, ms since 1970.
    fn jobs_full_until(&self, project: &str, within_ms: u64, most: u32) -> Result<Option<u64>, QueueError>;
    /// The same of the commands of a person on a code host.
    fn commands_full_until(
        &self,
        forge: &str,
        person: &str,
        within_ms: u64,
        most: u32,
    ) -> Result<Option<u64>, QueueError>;
    /// How many jobs of a project wait for a runner or an approval, without those of a group.
    fn count_waiting(&self, project: &str, without: &str) -> Result<u64, QueueError>;

    /// Recorded events whose names begin with this.
    fn events_noted(&self, prefix: &str) -> Result<Vec<String>, QueueError>;
    /// Deliveries and messages that were given up within a time in ms and not recorded as an event.
    fn given_up_lately(&self, within_ms: u64, most: u32) -> Result<Vec<GivenUp>, QueueError>;

    /// The next message that is to be sent; it is claimed for two minutes.
    fn claim_message(&self) -> Result<Option<Message>, QueueError>;
    /// A message was sent, and is known to its receiver by a number.
    fn message_sent(&self, message: &Message, remote: Option<u64>) -> Result<(), QueueError>;
    /// A message is to be tried again later.
    fn message_delayed(&self, message: &Message, delay_ms: u64, problem: &str) -> Result<(), QueueError>;
    /// Whether a claimed message is still the newest of its key, and its claim still holds.
    fn message_is_current(&self, message: &Message) -> Result<bool, QueueError>;
    /// A message that was claimed is not sent, since a newer text of its key has come.
    fn message_released(&self, message: &Message) -> Result<(), QueueError>;
    /// A message is not tried again.
    fn message_given_up(&self, message: &Message, problem: &str) -> Result<(), QueueError>;
    /// Marks a message as outdated: it is not sent.
    fn message_outdated(&self, message: &Message) -> Result<(), QueueError>;
    /// How many messages wait, and how long the oldest try is overdue, ms.
    fn messages_waiting(&self) -> Result<(u64, u64), QueueError>;
    /// The number of given-up deliveries, and of given-up messages without a newer text.
    fn given_up(&self) -> Result<(u64, u64), QueueError>;
    /// For how long the oldest job waits for a runner or an approval, ms.
    fn oldest_waiting_ms(&self) -> Result<(u64, u64), QueueError>;
    /// Pull requests of a project, or the one of a number.
    fn pulls(&self, project: &str, number: Option<u64>) -> Result<Vec<PullRow>, QueueError>;
    /// Those of a project with these numbers.
    fn pulls_numbered(&self, project: &str, numbers: &[u64]) -> Result<Vec<PullRow>, QueueError>;
    /// Those with this head.
    fn pulls_of_head(&self, project: &str, head: &str) -> Result<Vec<PullRow>, QueueError>;
    /// Whether the command of a comment was carried out.
    fn is_carried_out(&self, forge: &str, comment: u64) -> Result<bool, QueueError>;

    /// Replaces the schedules; those that stay keep their next time.
    fn set_schedules(&self, schedules: &[Schedule]) -> Result<(), QueueError>;
    /// Schedules whose time has come, and the time.
    fn due_schedules(&self) -> Result<(Vec<Schedule>, u64), QueueError>;

    /// Registers a runner, or changes its data.
    fn register_runner(&self, runner: &NewRunner) -> Result<(), QueueError>;
    /// Gives a runner another key; the one before it is good for a while. Whether there is such a runner.
    fn change_key(&self, name: &str, key_hash: &str, overlap_ms: u64) -> Result<bool, QueueError>;
    /// The runner of a key.
    fn runner_of_key(&self, key_hash: &str) -> Result<Option<Runner>, QueueError>;
    /// A runner was heard of.
    fn runner_seen(&self, name: &str, boot: &str, facts: Option<&Value>) -> Result<(), QueueError>;
    /// All of them.
    fn runners(&self) -> Result<Vec<Runner>, QueueError>;
    /// Sets the duty of a runner, with the cause. If `discards_reference`, its canaries so far are no longer
    /// its reference. Returns the runner, if it exists.
    fn set_duty(
        &self,
        name: &str,
        duty: Duty,
        cause: &str,
        discards_reference: bool,
    ) -> Result<Option<Runner>, QueueError>;
    /// Removes one and invalidates its key. Returns whether it existed.
    fn remove_runner(&self, name: &str) -> Result<bool, QueueError>;

    /// A runner's canaries since it is trusted, the newest first: those with one of the verdicts, or all if
    /// none is given.
    fn canaries(
        &self,
        runner: &str,
        most: u32,
        verdicts: &[CanaryVerdict],
    ) -> Result<Vec<Canary>, QueueError>;
    /// The canary of a job.
    fn canary_of_job(&self, job: &str) -> Result<Option<Canary>, QueueError>;

    /// Makes a token known, by its hash.
    fn grant(&self, access: &Access, token_hash: &str) -> Result<(), QueueError>;
    /// Ends a token; whether there was one.
    fn revoke(&self, name: &str) -> Result<bool, QueueError>;
    /// The rights of a token.
    fn access_of_token(&self, token_hash: &str) -> Result<Option<Access>, QueueError>;

    /// Begins the session of a browser with a token, both by their hashes, for a time in ms.
    fn begin_session(&self, id_hash: &str, token_hash: &str, for_ms: u64) -> Result<(), QueueError>;
    /// The rights of a session, while it and its token are valid.
    fn access_of_session(&self, id_hash: &str) -> Result<Option<Access>, QueueError>;
    /// Ends a session; whether there was one.
    fn end_session(&self, id_hash: &str) -> Result<bool, QueueError>;

    /// How many bytes of a lease's runs have come.
    fn received(&self, hold: &Hold) -> Result<u64, QueueError>;
    /// Adds a piece of them, if it begins where the last one ended; returns the number of bytes then.
    fn add_piece(&self, hold: &Hold, from: u64, piece: &[u8]) -> Result<u64, QueueError>;
    /// The piece that begins at a byte.
    fn piece(&self, hold: &Hold, from: u64) -> Result<Option<Vec<u8>>, QueueError>;
    /// Deletes them.
    fn remove_pieces(&self, hold: &Hold) -> Result<(), QueueError>;
    /// Deletes those of leases that are over; how many.
    fn remove_left_pieces(&self) -> Result<u64, QueueError>;

    /// Waits until a job may be taken that could not be taken before, for this time at most. Returns whether
    /// there is one; none if the database does not report it.
    fn heard_of_work(&self, time: Duration) -> Result<Option<bool>, QueueError>;
    /// Another connection to the same database.
    fn again(&self) -> Result<Box<dyn Queue>, QueueError>;
    /// Where it is, without a password.
    fn place(&self) -> String;
}
