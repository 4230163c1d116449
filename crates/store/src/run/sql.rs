//! Runs in a database of either kind.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use tlslab_record::{
    Annotation, CellCount, CellState, Figure, ImportedRun, Overhead, PairSample, PairState, Plan, Point,
    RunRecord, Sample, Series, Visit, Weight,
};

use crate::StoreError;
use crate::database::value::{Value, json, values};
use crate::database::{Database, snapshot, whole};
use crate::lease::fence::{Change, if_measured, lease_end};
use crate::lease::model::{Lease, Owner};
use crate::lease::renewal::Renewal;
use crate::outcome::model::{Capability, OutcomeRecord};
use crate::sample::journal;
use crate::sample::pack::Pack;
use crate::store::{Appearance, Deleted, RunSummary, SeriesSummary, Store};

/// A store in a database.
pub(crate) struct SqlStore<D> {
    pub(crate) database: D,
    /// The keys of runs by their names, and of visits by run, round, scenario and attempt. They change only
    /// if a run is deleted.
    runs: RefCell<HashMap<String, i64>>,
    visits: RefCell<HashMap<VisitName, i64>>,
    /// The tokens of the leases that this handle holds, by the runs' keys.
    pub(crate) tokens: RefCell<HashMap<i64, i64>>,
    /// The job of new runs.
    pub(crate) job: String,
}

type VisitName = (i64, u32, usize, u32);

impl<D: Database> SqlStore<D> {
    /// In this database, whose schema is current.
    pub(crate) fn new(database: D) -> Self {
        Self {
            database,
            runs: RefCell::default(),
            visits: RefCell::default(),
            tokens: RefCell::default(),
            job: String::new(),
        }
    }

    pub(crate) fn key(&self, run: &str) -> Result<i64, StoreError> {
        if let Some(key) = self.runs.borrow().get(run) {
            return Ok(*key);
        }
        let rows = self.database.rows("SELECT key FROM run WHERE id = ?1", values![run])?;
        let row = rows.first().ok_or_else(|| self.no_such_run(run))?;
        let key = row.get(0).map_err(|cause| self.damaged(run, cause))?;
        self.runs.borrow_mut().insert(run.to_owned(), key);
        Ok(key)
    }

    /// Within a transaction: creates a run whose lease has this token, and returns its key.
    pub(crate) fn insert(&self, plan: &Plan, owner: &Owner, token: i64) -> Result<i64, StoreError> {
        let sql = format!(
            "INSERT INTO run (id, started_unix_ms, suite, plan, job, owner, host, token, lease_until_unix_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, {})",
            lease_end::<D>()
        );
        let (job, host) = (&self.job, &owner.host);
        let values =
            values![&plan.id, plan.started_unix_ms, &plan.suite, json(plan), job, json(owner), host, token];
        self.database.execute(&sql, values)?;
        self.name_stacks(&plan.id, plan.stacks.iter().map(|stack| &*stack.name))
    }

    /// The run was deleted: its name and its visits now have other keys.
    pub(crate) fn forget(&self, run: &str, key: i64) {
        self.runs.borrow_mut().remove(run);
        self.visits.borrow_mut().retain(|(of, ..), _| *of != key);
    }

    /// Within the transaction that creates a run: records its stacks, and returns its key.
    pub(crate) fn name_stacks<'s>(
        &self,
        run: &str,
        stacks: impl Iterator<Item = &'s str>,
    ) -> Result<i64, StoreError> {
        let rows = self.database.rows("SELECT key FROM run WHERE id = ?1", values![run])?;
        let row = rows.first().ok_or_else(|| self.no_such_run(run))?;
        let key: i64 = row.get(0).map_err(|cause| self.damaged(run, cause))?;
        let sql = "INSERT INTO run_stack (stack, run) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        for stack in stacks.collect::<BTreeSet<_>>() {
            self.database.execute(sql, values![stack, key])?;
        }
        Ok(key)
    }

    fn visit(&self, run: &str, round: u32, scenario: usize, attempt: u32) -> Result<i64, StoreError> {
        let name = (self.key(run)?, round, scenario, attempt);
        if let Some(key) = self.visits.borrow().get(&name) {
            return Ok(*key);
        }
        let sql = "SELECT key FROM visit WHERE run = ?1 AND round = ?2 AND scenario = ?3 AND attempt = ?4";
        let rows = self.database.rows(sql, values![name.0, round, scenario, attempt])?;
        let place = self.database.place().to_owned();
        let none = || StoreError::NoVisit { id: run.to_owned(), place, scenario, round, attempt };
        let key = rows.first().ok_or_else(none)?.get(0).map_err(|cause| self.damaged(run, cause))?;
        self.visits.borrow_mut().insert(name, key);
        Ok(key)
    }

    /// The beginning of a statement of [`if_measured`].
    fn fence(&self, run: &str) -> Result<[Value; 2], StoreError> {
        let key = self.key(run)?;
        Ok([key.into(), self.token(key).into()])
    }

    /// Moves a visit's samples from the journal to its pack.
    fn pack(&self, run: &str, key: i64, visit: &Visit) -> Result<(), StoreError> {
        let mut pack = self.packed(run, key, visit)?.unwrap_or_default();
        let open = journal::read(&self.database, key, visit)?.map_err(|cause| self.damaged(run, cause))?;
        if open.len() == 0 {
            return Ok(());
        }
        pack.samples.extend(open.samples);
        pack.pair_samples.extend(open.pair_samples);
        // Samples that exceed one pack stay in the journal.
        let Some(body) = pack.packed() else { return Ok(()) };
        self.database.execute(
            "INSERT INTO pack (visit, body) VALUES (?1, ?2) ON CONFLICT (visit) DO UPDATE SET body = excluded.body",
            values![key, body],
        )?;
        self.database.execute("UPDATE visit SET packed = ?2 WHERE key = ?1", values![key, pack.len()])?;
        journal::clear(&self.database, key)
    }

    /// Packs all samples of a run in the journal.
    pub(crate) fn pack_open(&self, run: &str, key: i64, visits: &[(i64, Visit)]) -> Result<(), StoreError> {
        let open = self.open_visits(run, key)?;
        let mut left = visits.iter().filter(|(key, _)| open.contains(key));
        left.try_for_each(|(key, visit)| self.pack(run, *key, visit))
    }

    fn packed(&self, run: &str, key: i64, visit: &Visit) -> Result<Option<Pack>, StoreError> {
        let rows = self.database.rows("SELECT body FROM pack WHERE visit = ?1", values![key])?;
        let unpack = |row: &crate::database::value::Row| Pack::unpacked(&row.get::<Vec<u8>>(0)?, visit);
        rows.first().map(unpack).transpose().map_err(|cause| self.damaged(run, cause))
    }

    pub(crate) fn no_such_run(&self, run: &str) -> StoreError {
        StoreError::NoSuchRun { id: run.to_owned(), place: self.database.place().to_owned() }
    }

    pub(crate) fn damaged(&self, run: &str, cause: String) -> StoreError {
        StoreError::Damaged { id: run.to_owned(), place: self.database.place().to_owned(), cause }
    }
}

impl<D: Database> Store for SqlStore<D> {
    fn place(&self) -> &str {
        self.database.place()
    }

    fn set_job(&mut self, job: &str) {
        job.clone_into(&mut self.job);
    }

    fn create_run(&mut self, plan: &Plan, owner: &Owner) -> Result<(), StoreError> {
        let key = whole(&self.database, || self.insert(plan, owner, 1))?;
        self.tokens.borrow_mut().insert(key, 1);
        Ok(())
    }

    fn create_run_anew(&mut self, plan: &Plan, owner: &Owner) -> Result<(), StoreError> {
        self.create_anew(plan, owner)
    }

    fn take_run(&mut self, run: &str, owner: &Owner) -> Result<Lease, StoreError> {
        self.take(run, owner)
    }

    fn renew_run(&mut self, run: &str, token: u64) -> Result<Lease, StoreError> {
        self.renew(run, token)
    }

    fn renewal(&self, run: &str) -> Result<Renewal, StoreError> {
        self.renewed(run)
    }

    fn release_run(&mut self, run: &str) -> Result<(), StoreError> {
        self.release(run)
    }

    fn lease(&self, run: &str) -> Result<Lease, StoreError> {
        self.read_lease(run, self.key(run)?)
    }

    fn put_cell(&mut self, run: &str, cell: &CellState) -> Result<(), StoreError> {
        let sql = if_measured!(
            "INSERT INTO cell (run, scenario, stack, proof) SELECT run.key, ?3, ?4, ?5",
            " ON CONFLICT (run, scenario, stack) DO UPDATE SET proof = excluded.proof"
        );
        let [key, token] = self.fence(run)?;
        self.add(run, sql, values![key, token, cell.scenario, cell.stack, json(&cell.proof)])
    }

    fn add_overhead(&mut self, run: &str, overhead: &Overhead) -> Result<(), StoreError> {
        let Overhead { stack, round, calibration, round_trip_ns } = overhead;
        let sql = if_measured!(
            "INSERT INTO overhead (run, stack, round, calibration, round_trip_ns) SELECT run.key, ?3, ?4, ?5, ?6"
        );
        let [key, token] = self.fence(run)?;
        self.add(run, sql, values![key, token, *stack, *round, json(calibration), *round_trip_ns])
    }

    fn begin_visit(&mut self, run: &str, visit: &Visit) -> Result<(), StoreError> {
        let sql =
            if_measured!("INSERT INTO visit (run, round, scenario, attempt) SELECT run.key, ?3, ?4, ?5");
        let [key, token] = self.fence(run)?;
        self.add(run, sql, values![key, token, visit.round, visit.scenario, visit.attempt])
    }

    fn add_sample(&mut self, run: &str, sample: &Sample) -> Result<(), StoreError> {
        let visit = self.visit(run, sample.round, sample.scenario, sample.attempt)?;
        let values = journal::sample_values(self.fence(run)?, visit, sample);
        self.add(run, journal::ADD_SAMPLE, &values)
    }

    fn put_pair(&mut self, run: &str, pair: &PairState) -> Result<(), StoreError> {
        let sql = if_measured!(
            "INSERT INTO pair (run, scenario, client, server, proof) SELECT run.key, ?3, ?4, ?5, ?6",
            " ON CONFLICT (run, scenario, client, server) DO UPDATE SET proof = excluded.proof"
        );
        let [key, token] = self.fence(run)?;
        self.add(run, sql, values![key, token, pair.scenario, pair.client, pair.server, json(&pair.proof)])
    }

    fn add_pair_sample(&mut self, run: &str, sample: &PairSample) -> Result<(), StoreError> {
        let visit = self.visit(run, sample.round, sample.scenario, sample.attempt)?;
        let values = journal::pair_sample_values(self.fence(run)?, visit, sample);
        self.add(run, journal::ADD_PAIR_SAMPLE, &values)
    }

    fn end_visit(&mut self, run: &str, visit: &Visit, took_s: f64) -> Result<(), StoreError> {
        let key = self.visit(run, visit.round, visit.scenario, visit.attempt)?;
        let run_key = self.key(run)?;
        whole(&self.database, || {
            let database = &self.database;
            self.hold(run, run_key, Change::Measured)?;
            database
                .execute("UPDATE visit SET complete = ?2 WHERE key = ?1", values![key, visit.complete])?;
            let sql = "UPDATE run SET measuring_s = measuring_s + ?2 WHERE key = ?1";
            database.execute(sql, values![run_key, took_s])?;
            self.pack(run, key, visit)
        })
    }

    fn add_count(&mut self, run: &str, count: &CellCount) -> Result<(), StoreError> {
        let CellCount { scenario, stack, seed, counted } = count;
        let sql = if_measured!(
            "INSERT INTO cell_count (run, scenario, stack, seed, counted) SELECT run.key, ?3, ?4, ?5, ?6"
        );
        let [key, token] = self.fence(run)?;
        self.add(run, sql, values![key, token, *scenario, *stack, seed.cast_signed(), json(counted)])
    }

    fn add_weight(&mut self, run: &str, weight: &Weight) -> Result<(), StoreError> {
        let Weight { scenario, stack, kind, process, weighed } = weight;
        let sql = if_measured!(
            "INSERT INTO weight (run, scenario, stack, kind, process, weighed)
             SELECT run.key, ?3, ?4, ?5, ?6, ?7"
        );
        let [key, token] = self.fence(run)?;
        self.add(run, sql, values![key, token, *scenario, *stack, kind.name(), *process, json(weighed)])
    }

    fn warn(&mut self, run: &str, text: &str) -> Result<(), StoreError> {
        let key = self.key(run)?;
        whole(&self.database, || {
            self.hold(run, key, Change::Derived)?;
            let sql = "INSERT INTO warning (run, text) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.database.execute(sql, values![key, text]).map(drop)
        })
    }

    fn complete_run(&mut self, run: &str) -> Result<(), StoreError> {
        let key = self.key(run)?;
        let visits = self.visits_of(run, key)?;
        whole(&self.database, || {
            self.hold(run, key, Change::Measured)?;
            // Left in the journal by a kill.
            self.pack_open(run, key, &visits)?;
            let sql = "UPDATE run SET complete = 1, owner = NULL, lease_until_unix_ms = 0, token = token + 1
                       WHERE key = ?1";
            self.database.execute(sql, values![key])
        })?;
        self.tokens.borrow_mut().remove(&key);
        Ok(())
    }

    fn load(&self, run: &str) -> Result<RunRecord, StoreError> {
        let key = self.key(run)?;
        snapshot(&self.database, || self.loaded(run, key))
    }

    fn counts(&self, run: &str) -> Result<Vec<CellCount>, StoreError> {
        self.counts_of(run, self.key(run)?)
    }

    fn cells(&self, run: &str) -> Result<Vec<CellState>, StoreError> {
        self.cells_of(run, self.key(run)?)
    }

    fn runs(&self) -> Result<Vec<RunSummary>, StoreError> {
        snapshot(&self.database, || self.summaries())
    }

    fn put_figures(&mut self, run: &str, figures: &[Figure]) -> Result<(), StoreError> {
        self.write_figures(run, figures)
    }

    fn figures(&self, run: &str) -> Result<Vec<Figure>, StoreError> {
        self.read_figures(run)
    }

    fn plans_of_old_epochs(&self) -> Result<Vec<Plan>, StoreError> {
        SqlStore::plans_of_old_epochs(self)
    }

    fn plan(&self, run: &str) -> Result<Plan, StoreError> {
        let rows = self.database.rows("SELECT plan FROM run WHERE id = ?1", values![run])?;
        let row = rows.first().ok_or_else(|| self.no_such_run(run))?;
        let text: String = row.get(0).map_err(|cause| self.damaged(run, cause))?;
        self.plan_in(run, &text)
    }

    fn series(&self) -> Result<Vec<SeriesSummary>, StoreError> {
        self.list_series()
    }

    fn points(&self, series: &Series) -> Result<Vec<Point>, StoreError> {
        self.read_points(series)
    }

    fn appearances(&self) -> Result<Vec<Appearance>, StoreError> {
        self.read_appearances()
    }

    fn annotate(&mut self, annotation: &Annotation) -> Result<(), StoreError> {
        self.write_annotation(annotation)
    }

    fn annotations(&self) -> Result<Vec<Annotation>, StoreError> {
        self.read_annotations()
    }

    fn import(&mut self, run: &ImportedRun, figures: &[Figure]) -> Result<(), StoreError> {
        self.write_imported(run, figures)
    }

    fn imported(&self, run: &str) -> Result<ImportedRun, StoreError> {
        self.read_imported(run)
    }

    fn put_outcome(&mut self, outcome: &OutcomeRecord) -> Result<bool, StoreError> {
        self.write_outcome(outcome)
    }

    fn outcome(&self, id: &str) -> Result<Option<OutcomeRecord>, StoreError> {
        self.read_outcome(id)
    }

    fn outcome_of_run(&self, run: &str) -> Result<Option<OutcomeRecord>, StoreError> {
        self.read_outcome_of_run(run)
    }

    fn put_entry(&mut self, kind: &str, key: &str, body: &str) -> Result<(), StoreError> {
        self.write_entries(kind, &[(key.to_owned(), body.to_owned())])
    }

    fn put_entries(&mut self, kind: &str, entries: &[(String, String)]) -> Result<(), StoreError> {
        self.write_entries(kind, entries)
    }

    fn entries(&self, kind: &str, key_prefix: &str) -> Result<Vec<(String, String)>, StoreError> {
        self.read_entries(kind, key_prefix)
    }

    fn put_capability(&mut self, capability: &Capability) -> Result<(), StoreError> {
        self.write_capability(capability)
    }

    fn capabilities(&self) -> Result<Vec<Capability>, StoreError> {
        self.read_capabilities()
    }

    fn samples_of(&mut self, run: &str) -> Result<Deleted, StoreError> {
        self.let_samples_go(run, 0, false)
    }

    fn delete_samples(&mut self, run: &str, now_unix_ms: u64) -> Result<Deleted, StoreError> {
        self.let_samples_go(run, now_unix_ms, true)
    }

    fn shrink(&mut self) -> Result<(), StoreError> {
        self.database.shrink()
    }

    fn bytes(&self) -> Result<u64, StoreError> {
        self.database.bytes()
    }
}

impl<D: Database> SqlStore<D> {
    fn loaded(&self, run: &str, key: i64) -> Result<RunRecord, StoreError> {
        self.refuse_without_samples(run, key)?;
        let visits = self.visits_of(run, key)?;
        let mut packs = self.packs_of(run, key)?;
        let open = self.open_visits(run, key)?;
        let mut measured = Pack::default();
        for (visit_key, visit) in &visits {
            let mut add = |pack: Pack| {
                measured.samples.extend(pack.samples);
                measured.pair_samples.extend(pack.pair_samples);
            };
            if let Some(body) = packs.remove(visit_key) {
                add(Pack::unpacked(&body, visit).map_err(|cause| self.damaged(run, cause))?);
            }
            if open.contains(visit_key) {
                let rows = journal::read(&self.database, *visit_key, visit)?;
                add(rows.map_err(|cause| self.damaged(run, cause))?);
            }
        }
        self.record(run, key, visits.into_iter().map(|(_, visit)| visit).collect(), measured)
    }
}
