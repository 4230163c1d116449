//! Where a site's results come from: a database, read alone.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, ensure};
use tempfile::TempDir;
use tlslab_choice::{Candidate, Pair};
use tlslab_estimate::{PairRatio, Report};
use tlslab_job::Outcome;
use tlslab_lab::{AskedRatio, Extent, LabelOrder, Order, Results, report_of};
use tlslab_record::{Figure, HistoryPolicy, Plan};
use tlslab_report::timeline::Timeline;
use tlslab_store::{
    Browse, OutcomeFilter, OutcomeSummary, Page, RunFilter, RunKind, RunSummary, Store, open_to_browse,
    open_to_read,
};

/// The most bytes of a database that is unpacked.
const LARGEST: u64 = 4 << 30;
/// How many outcomes are read at once.
const AT_ONCE: usize = 500;
/// How many of the newest runs are checked for changes.
const NEWEST: usize = 50;

/// A database of runs that is read alone.
pub struct Source {
    results: Results,
    store: Box<dyn Store>,
    browse: Box<dyn Browse>,
    policy: HistoryPolicy,
    /// The unpacked folder.
    _unpacked: Option<TempDir>,
}

impl Source {
    /// Opens the database of these results. `policy` defines how its series are cut.
    ///
    /// # Errors
    /// Fails if the database does not exist, or is of another version of the lab.
    pub fn open(results: Results, policy: HistoryPolicy) -> anyhow::Result<Self> {
        let address = results.address();
        Ok(Self {
            store: open_to_read(&address)?,
            browse: open_to_browse(&address)?,
            results,
            policy,
            _unpacked: None,
        })
    }

    /// Opens a database that was packed by zstd. It is unpacked into a folder for temporary files, until this
    /// is dropped.
    ///
    /// # Errors
    /// Fails if the file is not of this kind or is too large, or if the database is of another version of the
    /// lab.
    pub fn recorded(file: &Path, policy: HistoryPolicy) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a folder for the database")?;
        let opened = Self::unpacked(file, folder.path(), policy)?;
        Ok(Self { _unpacked: Some(folder), ..opened })
    }

    /// Opens several databases that were packed by zstd as one, with the runs of all. A run that two have is
    /// taken from the first.
    ///
    /// # Errors
    /// Fails as [`Source::recorded`] does, or if there is no file.
    pub fn all_recorded(files: &[impl AsRef<Path>], policy: HistoryPolicy) -> anyhow::Result<Self> {
        let (first, others) = files.split_first().context("no database is named")?;
        let first = first.as_ref();
        if others.is_empty() {
            return Self::recorded(first, policy);
        }
        let folder = tempfile::tempdir().context("cannot make a folder for the database")?;
        drop(Self::unpacked(first, folder.path(), policy.clone())?);
        let results = Results::of(folder.path().to_owned());
        let mut all = tlslab_store::open(&results.address())?;
        for other in others {
            let source = Self::recorded(other.as_ref(), policy.clone())?;
            tlslab_lab::copy(&*source.store, &mut *all, &[], Extent::Everything)
                .with_context(|| format!("cannot add the runs of {}", other.as_ref().display()))?;
        }
        drop(all);
        Ok(Self { _unpacked: Some(folder), ..Self::open(results, policy)? })
    }

    /// Unpacks a database into a folder, and opens it.
    fn unpacked(file: &Path, folder: &Path, policy: HistoryPolicy) -> anyhow::Result<Self> {
        let failed = || format!("cannot unpack {}", file.display());
        let packed = File::open(file).with_context(failed)?;
        let mut unpacked = zstd::Decoder::new(packed).with_context(failed)?.take(LARGEST + 1);
        let path = folder.join("tlslab.sqlite");
        let bytes =
            io::copy(&mut unpacked, &mut File::create(&path).with_context(failed)?).with_context(failed)?;
        ensure!(bytes <= LARGEST, "{} holds more than {} MB", file.display(), LARGEST >> 20);
        Self::open(Results::of(folder.to_owned()), policy).with_context(failed)
    }

    /// Where its results lie.
    #[must_use]
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// The database.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Where it is.
    #[must_use]
    pub fn place(&self) -> &str {
        self.store.place()
    }

    /// A text that changes when the database has something newer: it reads the newest runs and the newest
    /// outcome alone.
    ///
    /// # Errors
    /// Fails if the database cannot be read.
    pub fn state(&self) -> anyhow::Result<String> {
        let runs = self.browse.runs(&RunFilter::default(), None, NEWEST)?.items;
        let runs = runs.into_iter().map(|run| (run.id, run.complete, run.samples_deleted_unix_ms));
        let outcomes = self.browse.outcomes(&OutcomeFilter::default(), None, 1)?.items;
        let outcomes = outcomes.into_iter().map(|outcome| (outcome.id, outcome.ended_unix_ms));
        Ok(format!("{:?} {:?}", runs.collect::<Vec<_>>(), outcomes.collect::<Vec<_>>()))
    }

    /// The runs of a kind, newest first.
    pub(crate) fn runs(&self, kind: RunKind) -> anyhow::Result<Vec<RunSummary>> {
        let all = self.store.runs()?;
        Ok(all.into_iter().filter(|run| run.kind == kind).collect())
    }

    /// The plan of a run.
    pub(crate) fn plan(&self, run: &str) -> anyhow::Result<Plan> {
        Ok(self.store.plan(run)?)
    }

    /// The figures of a run.
    pub(crate) fn figures(&self, run: &str) -> anyhow::Result<Vec<Figure>> {
        Ok(self.store.figures(run)?)
    }

    /// A run with everything that its page shows.
    pub(crate) fn report(&self, run: &str) -> anyhow::Result<Report> {
        report_of(&self.results, &*self.store, self.store.load(run)?)
    }

    /// Ratios of stacks that one run measured in turns.
    pub(crate) fn ratios(&self, asked: &[AskedRatio]) -> anyhow::Result<Vec<Option<PairRatio>>> {
        tlslab_lab::ratios(&*self.store, asked)
    }

    /// The ratios of all candidates that one run measured in turns.
    pub(crate) fn pairs(&self, candidates: &[Candidate]) -> anyhow::Result<Vec<Pair>> {
        tlslab_lab::pairs(&*self.store, candidates, &|_| true)
    }

    /// The order of the labels of each stack, with commits in the order of these pushes.
    pub(crate) fn labels(&self, pushes: &[String]) -> anyhow::Result<LabelOrder> {
        LabelOrder::read(&*self.store, pushes)
    }

    /// The series of whole iterations and all imported ones, in the order of their labels.
    pub(crate) fn timelines(&self, labels: &LabelOrder) -> anyhow::Result<Vec<Timeline>> {
        let is_wanted = |series: &tlslab_store::SeriesSummary| {
            series.imported || tlslab_lab::is_whole(&series.series.metric)
        };
        tlslab_lab::timelines(&*self.store, None, Order::Label(labels), &self.policy, &is_wanted)
    }

    /// The outcomes of jobs of a kind that are done, the last that ended first.
    pub(crate) fn outcomes(&self, kind: &str) -> anyhow::Result<Vec<OutcomeSummary>> {
        let state = Some(tlslab_store::OutcomeState::Done);
        let filter = OutcomeFilter { kind: Some(kind.to_owned()), state, ..OutcomeFilter::default() };
        let mut all = Vec::new();
        let mut after = None;
        loop {
            let Page { items, next } = self.browse.outcomes(&filter, after.as_ref(), AT_ONCE)?;
            all.extend(items);
            match next {
                Some(cursor) => after = Some(cursor),
                None => return Ok(all),
            }
        }
    }

    /// The outcome of a job.
    pub(crate) fn outcome(&self, id: &str) -> anyhow::Result<Outcome> {
        let record = self.browse.outcome(id)?.with_context(|| format!("{} has no job {id}", self.place()))?;
        serde_json::from_str(&record.body)
            .with_context(|| format!("the outcome of job {id} in {} is damaged", self.place()))
    }
}
