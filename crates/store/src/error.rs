//! What can go wrong with a store.

use std::path::PathBuf;

use crate::lease::model::Owner;

/// A store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused or failed.
    #[error("the database {place}: {cause}")]
    Database {
        /// Where it is.
        place: String,
        /// What it said.
        cause: String,
    },
    /// The server or its database is not to be had.
    #[error(
        "cannot connect to {place}: {cause}; check that the server runs and that the database and the user exist (createdb, createuser)"
    )]
    Unreachable {
        /// Where it is, without its password.
        place: String,
        /// What was said.
        cause: String,
    },
    /// There is no such file.
    #[error("there is no database {place}; `tlslab run` makes one, or name another --store or --out")]
    Missing {
        /// Where it would be.
        place: String,
    },
    /// The file cannot be read.
    #[error(
        "the database {place} cannot be read: {cause}; check that you may read the file and its folder, or copy it with its files -wal and -shm"
    )]
    Unreadable {
        /// Where it is.
        place: String,
        /// What was said.
        cause: String,
    },
    /// A database on a server, for a program that was compiled without them.
    #[error(
        "{place}: this program was compiled without PostgreSQL; compile one with it: cargo build --release -p tlslab --features postgres"
    )]
    WithoutPostgres {
        /// Where it is, without its password.
        place: String,
    },
    /// The file is another program's database.
    #[error("{place} is another program's database and was not changed; name another --store or --out")]
    Foreign {
        /// Where it is.
        place: String,
    },
    /// The database was written by a newer lab.
    #[error("the database {place} has schema {found}, this lab knows up to {known}; use the newer lab, or another {}", if place.starts_with("postgres") { "--store" } else { "--out" })]
    Newer {
        /// Where it is.
        place: String,
        /// The schema it has.
        found: u32,
        /// The newest schema known here.
        known: u32,
    },
    /// The database was written by an older lab, and is only read.
    #[error(
        "the database {place} has schema {found}, this lab reads {known}; `tlslab recompute` brings it up to date, and older labs can no longer use it then"
    )]
    Older {
        /// Where it is.
        place: String,
        /// The schema it has.
        found: u32,
        /// The schema that is read here.
        known: u32,
    },
    /// The points of more series than are read at once.
    #[error("the points of {asked} series are more than are read at once; ask for at most {most}")]
    TooManySeries {
        /// How many were asked for.
        asked: usize,
        /// How many can be.
        most: usize,
    },
    /// There is no such run.
    #[error("there is no run {id} in {place}; `tlslab runs` lists them")]
    NoSuchRun {
        /// What was asked for.
        id: String,
        /// Where the database is.
        place: String,
    },
    /// Somebody else measures the run.
    #[error(
        "the run {id} in {place} is measured by {by}, whose lease lasts until {}; wait until it has ended, or end that process and resume the run then", utc(*until_unix_ms)
    )]
    Held {
        /// The run.
        id: String,
        /// Where the database is.
        place: String,
        /// Who measures it.
        by: Owner,
        /// Until when, if the lease is not renewed, milliseconds since 1970.
        until_unix_ms: u64,
    },
    /// A write to a run that this handle does not measure, or no longer.
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
    /// Another program made the run.
    #[error(
        "the run {id} was imported: it has figures and no samples of the lab's; `tlslab history` shows them"
    )]
    Imported {
        /// The run.
        id: String,
    },
    /// The raw values of an imported run are more than is read back.
    #[error("the raw values have more than {most_mib} MiB; import fewer files at once")]
    TooMuchRaw {
        /// The limit, MiB.
        most_mib: usize,
    },
    /// An outcome is more than is read back.
    #[error(
        "the outcome of the job {id} has more than {most_mib} MiB and is not kept; ask for fewer scenarios or stacks at once"
    )]
    TooMuchOutcome {
        /// The job.
        id: String,
        /// The limit, MiB.
        most_mib: usize,
    },
    /// A database has something that would run when it is read.
    #[error(
        "the database {place} has a {kind} called \"{}\", which no lab makes: it would run when the database is read; name another --store or --out", name.escape_debug()
    )]
    Programmed {
        /// Where it is.
        place: String,
        /// What it is.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// The run's samples are gone.
    #[error(
        "the samples of the run {id} were pruned: `tlslab history` shows its figures, and the report that was written when it ended is in --out"
    )]
    SamplesDeleted {
        /// The run.
        id: String,
        /// When, milliseconds since 1970.
        when_unix_ms: u64,
    },
    /// A stored value is not what it should be.
    #[error("the run {id} in {place} is damaged: {cause}")]
    Damaged {
        /// The run.
        id: String,
        /// Where the database is.
        place: String,
        /// What is wrong.
        cause: String,
    },
    /// The folder could not be made.
    #[error("cannot make the folder {}: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
}

impl StoreError {
    /// Whether the database has refused a write to a run, which no repetition changes.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::LeaseLost { .. } | Self::Complete { .. } | Self::NoSuchRun { .. })
    }
}

fn utc(unix_ms: u64) -> String {
    let time = i64::try_from(unix_ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    time.map_or_else(|| unix_ms.to_string(), |time| time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}
