//! Queries of pages and services, which do not change the database.

use std::fmt;
use std::str::FromStr;

use tlslab_record::{Point, Series, is_run_id};

use crate::StoreError;
use crate::lease::model::Lease;
use crate::outcome::model::{Capability, OutcomeRecord, OutcomeState, OutcomeSummary};
use crate::store::{RunKind, RunSummary, SeriesSummary};

/// The most rows of a page.
pub(crate) const MOST_ROWS: usize = 500;
/// The most series of a list.
pub(crate) const MOST_SERIES: usize = 10_000;
/// The most series whose points are read at once.
pub(crate) const MOST_POINTS_OF: usize = 5_000;

/// A database that is only read. Each list is one query with a limit; a limit that is too high becomes the
/// highest.
pub trait Browse: Send {
    /// Its address, without a password.
    fn place(&self) -> &str;
    /// Runs, newest first.
    fn runs(
        &self,
        filter: &RunFilter,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<Page<RunSummary>, StoreError>;
    /// Outcomes of jobs, the latest end first.
    fn outcomes(
        &self,
        filter: &OutcomeFilter,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<Page<OutcomeSummary>, StoreError>;
    /// The outcome of a job.
    fn outcome(&self, id: &str) -> Result<Option<OutcomeRecord>, StoreError>;
    /// Series that have a point, in their order.
    fn series(&self, filter: &SeriesFilter, limit: usize) -> Result<SeriesList, StoreError>;
    /// The points of each of these series, oldest first: those of `MOST_POINTS_OF` series at most.
    fn points_of(&self, series: &[Series]) -> Result<Vec<Vec<Point>>, StoreError>;
    /// The stacks' capabilities, sorted by stack.
    fn capabilities(&self) -> Result<Vec<Capability>, StoreError>;
    /// The samples of a scenario of a run, oldest first; `None` if the run does not have it.
    fn samples(&self, run: &str, scenario: &str) -> Result<Option<ScenarioSamples>, StoreError>;
    /// The held leases, those of the newest runs first.
    fn leases(&self) -> Result<Vec<Lease>, StoreError>;
}

/// A filter of runs: they match every given field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFilter {
    /// The suite.
    pub suite: Option<String>,
    /// A stack, by its name in the plan.
    pub stack: Option<String>,
    /// The job.
    pub job: Option<String>,
    /// The host that measured it last.
    pub host: Option<String>,
    /// Whether it is complete.
    pub complete: Option<bool>,
    /// Its origin.
    pub kind: Option<RunKind>,
    /// It began at this time or later, milliseconds since 1970.
    pub since_unix_ms: Option<u64>,
    /// It began earlier, milliseconds since 1970.
    pub until_unix_ms: Option<u64>,
}

/// A filter of outcomes: they match every given field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutcomeFilter {
    /// The kind of job.
    pub kind: Option<String>,
    /// The run that the job made.
    pub run: Option<String>,
    /// The host that carried the job out.
    pub host: Option<String>,
    /// How far its sources were trusted.
    pub trust: Option<String>,
    /// The state in which it ended.
    pub state: Option<OutcomeState>,
    /// It ended at this time or later, milliseconds since 1970.
    pub since_unix_ms: Option<u64>,
    /// It ended earlier, milliseconds since 1970.
    pub until_unix_ms: Option<u64>,
}

/// A filter of series: they match every given field. In a pattern, `*` is any text and `?` any character;
/// everything else is itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeriesFilter {
    /// A pattern of stacks.
    pub stack: Option<String>,
    /// A pattern of scenarios.
    pub scenario: Option<String>,
    /// A pattern of sides.
    pub side: Option<String>,
    /// A pattern of metrics.
    pub metric: Option<String>,
    /// A pattern of classes of machines.
    pub class: Option<String>,
}

/// Rows of a list, and the position of the next page.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The rows.
    pub items: Vec<T>,
    /// The next page begins after this; `None` on the last page.
    pub next: Option<Cursor>,
}

/// Series, up to the limit.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesList {
    /// The series.
    pub series: Vec<SeriesSummary>,
    /// Whether further series match.
    pub has_more: bool,
}

/// The measurements of a scenario in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioSamples {
    /// The stacks of the run by name; samples refer to their indices.
    pub stacks: Vec<String>,
    /// Whether the run is complete: no further samples will be added.
    pub complete: bool,
    /// The samples of completed visits, in the order of measurement.
    pub samples: Vec<SampleTimes>,
}

/// The times of a sample: all phases together, ns per iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleTimes {
    /// The round.
    pub round: u32,
    /// The stack's index.
    pub stack: usize,
    /// The client's.
    pub client_ns: f64,
    /// The server's.
    pub server_ns: f64,
}

/// A position in a list: a row's time and its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Milliseconds since 1970.
    pub at_unix_ms: u64,
    /// The row's id.
    pub id: String,
}

impl fmt::Display for Cursor {
    /// Its form in an address of a page.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.at_unix_ms, self.id)
    }
}

impl FromStr for Cursor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('.').and_then(|(at, id)| Some((at.parse().ok()?, id)));
        match parts {
            Some((at_unix_ms, id)) if is_run_id(id) => Ok(Self { at_unix_ms, id: id.to_owned() }),
            _ => Err("it is not a position in a list; use the link to the next page".to_owned()),
        }
    }
}
