//! Lists for pages and services, from a database.

use tlslab_record::{Point, Series};

use crate::StoreError;
use crate::browse::model::{
    Browse, Cursor, MOST_POINTS_OF, MOST_ROWS, MOST_SERIES, OutcomeFilter, Page, RunFilter, ScenarioSamples,
    SeriesFilter, SeriesList,
};
use crate::database::Database;
use crate::database::conditions::Conditions;
use crate::database::value::{Row, Value, values};
use crate::figures::{FIGURE, PHRASES, point, series};
use crate::lease::model::Lease;
use crate::lease::sql::lease;
use crate::outcome::model::{Capability, OutcomeRecord, OutcomeSummary};
use crate::outcome::sql::{SUMMARY, summary};
use crate::run::reading::{RUN, run_id, run_summary};
use crate::run::sql::SqlStore;
use crate::store::{RunKind, RunSummary, SeriesSummary};

/// How many series a statement may request: few different numbers, so that few statements are prepared.
const SERIES_AT_ONCE: [usize; 4] = [1, 8, 64, 500];

/// The most leases of a list.
const MOST_LEASES: usize = 1_000;

impl<D: Database> Browse for SqlStore<D> {
    fn place(&self) -> &str {
        self.database.place()
    }

    fn runs(
        &self,
        filter: &RunFilter,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<Page<RunSummary>, StoreError> {
        let limit = limit.clamp(1, MOST_ROWS);
        let (sql, values) = runs(filter, after, limit);
        let summary = |row: &Row| run_summary(row, row.get(COLUMNS_OF_RUN)?);
        let items = self.listed(&sql, &values, summary)?;
        Ok(page(items, limit, |run| Cursor { at_unix_ms: run.started_unix_ms, id: run.id.clone() }))
    }

    fn outcomes(
        &self,
        filter: &OutcomeFilter,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<Page<OutcomeSummary>, StoreError> {
        let limit = limit.clamp(1, MOST_ROWS);
        let (sql, values) = outcomes(filter, after, limit);
        let items = self.listed(&sql, &values, summary)?;
        let cursor = |one: &OutcomeSummary| Cursor { at_unix_ms: one.ended_unix_ms, id: one.id.clone() };
        Ok(page(items, limit, cursor))
    }

    fn outcome(&self, id: &str) -> Result<Option<OutcomeRecord>, StoreError> {
        self.read_outcome(id)
    }

    fn series(&self, filter: &SeriesFilter, limit: usize) -> Result<SeriesList, StoreError> {
        let limit = limit.clamp(1, MOST_SERIES);
        let (sql, values) = series_like::<D>(filter, limit);
        let summary = |row: &Row| {
            Ok(SeriesSummary { series: series(row, 0)?, points: row.get(6)?, imported: row.get(7)? })
        };
        let mut series = self.listed(&sql, &values, summary)?;
        let has_more = series.len() > limit;
        series.truncate(limit);
        Ok(SeriesList { series, has_more })
    }

    fn points_of(&self, series: &[Series]) -> Result<Vec<Vec<Point>>, StoreError> {
        if series.len() > MOST_POINTS_OF {
            return Err(StoreError::TooManySeries { asked: series.len(), most: MOST_POINTS_OF });
        }
        let mut all = vec![Vec::new(); series.len()];
        let at_once = SERIES_AT_ONCE[SERIES_AT_ONCE.len() - 1];
        for (wanted, found) in series.chunks(at_once).zip(all.chunks_mut(at_once)) {
            let (sql, values) = points(wanted);
            let numbered = |row: &Row| Ok((row.get::<usize>(12)?, point(row)?));
            for (number, point) in self.listed(&sql, &values, numbered)? {
                if let Some(points) = found.get_mut(number) {
                    points.push(point);
                }
            }
        }
        Ok(all)
    }

    fn capabilities(&self) -> Result<Vec<Capability>, StoreError> {
        self.read_capabilities()
    }

    fn samples(&self, run: &str, scenario: &str) -> Result<Option<ScenarioSamples>, StoreError> {
        self.samples_of_scenario(run, scenario)
    }

    fn leases(&self) -> Result<Vec<Lease>, StoreError> {
        let sql = "SELECT id, owner, lease_until_unix_ms, token FROM run WHERE owner IS NOT NULL
                   ORDER BY started_unix_ms DESC LIMIT ?1";
        self.listed(sql, values![MOST_LEASES], |row| lease(&run_id(row, 0)?, row, 1))
    }
}

impl<D: Database> SqlStore<D> {
    fn listed<T>(
        &self,
        sql: &str,
        values: &[Value],
        read: impl Fn(&Row) -> Result<T, String>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.database.rows(sql, values)?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(|cause| self.broken(cause))
    }
}

/// One row more than the limit is read: if it exists, there is a next page.
fn page<T>(mut items: Vec<T>, limit: usize, cursor: impl Fn(&T) -> Cursor) -> Page<T> {
    let has_more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| has_more).map(cursor);
    Page { items, next }
}

/// How many columns [`RUN`] has.
const COLUMNS_OF_RUN: usize = 11;

/// Samples are counted only for the page's runs.
pub(crate) fn runs(filter: &RunFilter, after: Option<&Cursor>, limit: usize) -> (String, Vec<Value>) {
    let mut conditions = Conditions::default();
    conditions.add("suite = {}", filter.suite.as_ref());
    conditions.add(
        "EXISTS (SELECT 1 FROM run_stack WHERE run_stack.run = run.key AND run_stack.stack = {})",
        filter.stack.as_ref(),
    );
    conditions.add("job = {}", filter.job.as_ref());
    conditions.add("host = {}", filter.host.as_ref());
    conditions.add("complete = {}", filter.complete);
    conditions.add("kind = {}", filter.kind.map(RunKind::name));
    conditions.add("started_unix_ms >= {}", filter.since_unix_ms);
    conditions.add("started_unix_ms < {}", filter.until_unix_ms);
    if let Some(after) = after {
        conditions.after("started_unix_ms, id", after.at_unix_ms, &after.id);
    }
    let limit = conditions.value(limit + 1);
    let sql = format!(
        "SELECT page.*, CAST(
             coalesce((SELECT sum(packed) FROM visit WHERE visit.run = page.key), 0)
             + (SELECT count(*) FROM visit JOIN sample ON sample.visit = visit.key WHERE visit.run = page.key)
             + (SELECT count(*) FROM visit JOIN pair_sample ON pair_sample.visit = visit.key WHERE visit.run = page.key)
             AS BIGINT)
         FROM (SELECT {RUN} FROM run {} ORDER BY started_unix_ms DESC, id DESC LIMIT {limit}) AS page
         ORDER BY page.started_unix_ms DESC, page.id DESC",
        conditions.text()
    );
    (sql, conditions.values)
}

pub(crate) fn outcomes(filter: &OutcomeFilter, after: Option<&Cursor>, limit: usize) -> (String, Vec<Value>) {
    let mut conditions = Conditions::default();
    conditions.add("kind = {}", filter.kind.as_ref());
    conditions.add("run = {}", filter.run.as_ref());
    conditions.add("host = {}", filter.host.as_ref());
    conditions.add("trust = {}", filter.trust.as_ref());
    conditions.add("state = {}", filter.state.map(|state| state.name()));
    conditions.add("ended_unix_ms >= {}", filter.since_unix_ms);
    conditions.add("ended_unix_ms < {}", filter.until_unix_ms);
    if let Some(after) = after {
        conditions.after("ended_unix_ms, id", after.at_unix_ms, &after.id);
    }
    let limit = conditions.value(limit + 1);
    let sql = format!(
        "SELECT {SUMMARY} FROM outcome {} ORDER BY ended_unix_ms DESC, id DESC LIMIT {limit}",
        conditions.text()
    );
    (sql, conditions.values)
}

/// Points are counted only for the listed series.
fn series_like<D: Database>(filter: &SeriesFilter, limit: usize) -> (String, Vec<Value>) {
    let mut conditions = Conditions::default();
    for (column, pattern) in [
        ("stack", &filter.stack),
        ("scenario", &filter.scenario),
        ("side", &filter.side),
        ("metric", &filter.metric),
        ("class", &filter.class),
    ] {
        conditions.add(&format!("{column} {} {{}}", D::LIKE), pattern.as_deref().map(D::pattern));
    }
    conditions.require("EXISTS (SELECT 1 FROM figure WHERE figure.series = series.key)");
    let limit = conditions.value(limit + 1);
    let sql = format!(
        "SELECT scenario, stack, side, metric, unit, class,
             (SELECT count(*) FROM figure WHERE figure.series = listed.key),
             CAST(CASE WHEN EXISTS (SELECT 1 FROM figure JOIN run ON run.key = figure.run
                                    WHERE figure.series = listed.key AND run.kind = 'imported')
                  THEN 1 ELSE 0 END AS BIGINT)
         FROM (SELECT * FROM series {} ORDER BY scenario, stack, side, metric, unit, class LIMIT {limit}) AS listed
         ORDER BY scenario, stack, side, metric, unit, class",
        conditions.text()
    );
    (sql, conditions.values)
}

/// Each point has the number of its series in its last column.
fn points(wanted: &[Series]) -> (String, Vec<Value>) {
    let padded = SERIES_AT_ONCE.into_iter().find(|most| *most >= wanted.len()).unwrap_or(wanted.len());
    let mut values = Vec::new();
    for number in 0..padded {
        let texts = match wanted.get(number) {
            Some(Series { scenario, stack, side, metric, unit, class }) => {
                [scenario, stack, side, metric, unit, class].map(Value::from)
            }
            // Every series has a metric.
            None => [""; 6].map(Value::from),
        };
        values.extend(texts);
    }
    let rows = (0..padded).map(|number| {
        let texts: Vec<String> = (1..=6).map(|text| format!("?{}", number * 6 + text)).collect();
        format!("({number}, {})", texts.join(", "))
    });
    let sql = format!(
        "WITH wanted (number, scenario, stack, side, metric, unit, class) AS (VALUES {})
         SELECT {FIGURE}, run.id, run.started_unix_ms, CAST(wanted.number AS BIGINT) FROM wanted
         JOIN series ON series.scenario = wanted.scenario AND series.stack = wanted.stack
             AND series.side = wanted.side AND series.metric = wanted.metric AND series.unit = wanted.unit
             AND series.class = wanted.class
         JOIN figure ON figure.series = series.key JOIN run ON run.key = figure.run {PHRASES}
         ORDER BY wanted.number, run.started_unix_ms, run.key, figure.place",
        rows.collect::<Vec<_>>().join(", ")
    );
    (sql, values)
}
