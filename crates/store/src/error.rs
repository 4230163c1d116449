//! Errors of a store.

use std::path::PathBuf;

use crate::lease::model::Owner;

/// An operation of a store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused or failed.
    #[error("the database {place}: {cause}")]
    Database {
        /// Its address.
        place: String,
        /// The cause.
        cause: String,
    },
    /// The server or its database is unavailable.
    #[error(
        "cannot connect to {place}: {cause}; check that the server runs and that the database and the user exist (createdb, createuser)"
    )]
    Unreachable {
        /// Its address, without the password.
        place: String,
        /// The cause.
        cause: String,
    },
    /// There is no such file.
    #[error("there is no database {place}; `tlslab run` makes one, or name another --store or --out")]
    Missing {
        /// Its path.
        place: String,
    },
    /// The file cannot be read.
    #[error(
        "the database {place} cannot be read: {cause}; check that you may read the file and its folder, or copy it with its files -wal and -shm"
    )]
    Unreadable {
        /// Its path.
        place: String,
        /// The cause.
        cause: String,
    },
    /// A database on a server, in a program that was compiled without support for it.
    #[error(
        "{place}: this program was compiled without PostgreSQL; compile one with it: cargo build --release -p tlslab --features postgres"
    )]
    WithoutPostgres {
        /// Its address, without the password.
        place: String,
    },
    /// The file is another program's database.
    #[error("{place} is another program's database and was not changed; name another --store or --out")]
    Foreign {
        /// Its path.
        place: String,
    },
    /// The database was written by a newer lab.
    #[error("the database {place} has schema {found}, this lab knows up to {known}; use the newer lab, or another {}", if place.starts_with("postgres") { "--store" } else { "--out" })]
    Newer {
        /// Its address.
        place: String,
        /// The schema it has.
        found: u32,
        /// The newest schema that this lab knows.
        known: u32,
    },
    /// The database was written by an older lab, and is opened only to be read.
    #[error(
        "the database {place} has schema {found}, this lab reads {known}; `tlslab recompute` brings it up to date, and older labs can no longer use it then"
    )]
    Older {
        /// Its address.
        place: String,
        /// The schema it has.
        found: u32,
        /// The schema that this lab reads.
        known: u32,
    },
    /// The points of more series than can be read at once.
    #[error("the points of {asked} series are more than are read at once; ask for at most {most}")]
    TooManySeries {
        /// The requested number.
        asked: usize,
        /// The largest number.
        most: usize,
    },
    /// There is no such run.
    #[error("there is no run {id} in {place}; `tlslab runs` lists them")]
    NoSuchRun {
        /// The requested run.
        id: String,
        /// Where the database is.
        place: String,
    },
    /// Another process measures the run.
    #[error(
        "the run {id} in {place} is measured by {by}, whose lease lasts until {}; wait until it has ended, or end that process and resume the run then", utc(*until_unix_ms)
    )]
    Held {
        /// The run.
        id: String,
        /// Where the database is.
        place: String,
        /// The process.
        by: Owner,
        /// The end of its lease unless renewed, milliseconds since 1970.
        until_unix_ms: u64,
    },
    /// A write to a run whose lease this handle does not hold, or no longer.
    #[error(
        "the run {id} in {place} cannot be changed by this process, which does not hold its lease: it was not taken, was released, or another process has taken it over; `tlslab runs` shows the run; resume it once no process measures it"
    )]
    LeaseLost {
        /// The run.
        id: String,
        /// Where the database is.
        place: String,
    },
    /// A measurement for a run that is complete.
    #[error("the run {id} in {place} is complete; `tlslab report {id}` shows it")]
    Complete {
        /// The run.
        id: String,
        /// Where the database is.
        place: String,
    },
    /// A sample of a visit that has not begun.
    #[error(
        "the run {id} in {place} has no visit of scenario {scenario} in round {round}, attempt {attempt}: a sample comes after its visit has begun"
    )]
    NoVisit {
        /// The run.
        id: String,
        /// Where the database is.
        place: String,
        /// The visit's scenario.
        scenario: usize,
        /// Its round.
        round: u32,
        /// Its attempt.
        attempt: u32,
    },
    /// The run was imported.
    #[error(
        "the run {id} was imported: it has figures and no samples of the lab's; `tlslab history` shows them"
    )]
    Imported {
        /// The run.
        id: String,
    },
    /// The raw values of an imported run exceed the limit.
    #[error("the raw values have more than {most_mib} MiB; import fewer files at once")]
    TooMuchRaw {
        /// The limit, MiB.
        most_mib: usize,
    },
    /// An outcome exceeds the limit.
    #[error(
        "the outcome of the job {id} has more than {most_mib} MiB and is not kept; ask for fewer scenarios or stacks at once"
    )]
    TooMuchOutcome {
        /// The job.
        id: String,
        /// The limit, MiB.
        most_mib: usize,
    },
    /// A database has an object that would run when it is read.
    #[error(
        "the database {place} has a {kind} called \"{}\", which no lab makes: it would run when the database is read; name another --store or --out", name.escape_debug()
    )]
    Programmed {
        /// Its address.
        place: String,
        /// The kind of object.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// The run's samples were deleted.
    #[error(
        "the samples of the run {id} were pruned: `tlslab history` shows its figures, and the report that was written when it ended is in --out"
    )]
    SamplesDeleted {
        /// The run.
        id: String,
        /// When, milliseconds since 1970.
        when_unix_ms: u64,
    },
    /// A stored value is invalid.
    #[error("the run {id} in {place} is damaged: {cause}")]
    Damaged {
        /// The run.
        id: String,
        /// Where the database is.
        place: String,
        /// The cause.
        cause: String,
    },
    /// The folder could not be created.
    #[error("cannot make the folder {}: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
}

impl StoreError {
    /// Whether the database has rejected a write to a run; repetition does not help.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::LeaseLost { .. } | Self::Complete { .. } | Self::NoSuchRun { .. })
    }
}

fn utc(unix_ms: u64) -> String {
    let time = i64::try_from(unix_ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    time.map_or_else(|| unix_ms.to_string(), |time| time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}
