//! Figures and their series in a database.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};
use tlslab_record::{Figure, FigureOutcome, FigureValue, Plan, Point, Series};

use crate::StoreError;
use crate::database::value::{Row, Value, values};
use crate::database::{Database, whole};
use crate::lease::fence::Change;
use crate::run::reading::run_id;
use crate::run::sql::SqlStore;
use crate::store::{Appearance, SeriesSummary};

pub(crate) const FIGURE: &str =
    "figure.place, stack.text, label.text, epoch.text, figure.n, figure.value, figure.lower,
    figure.upper, figure.hole, reason.text";

pub(crate) const PHRASES: &str = "JOIN phrase AS stack ON stack.key = figure.stack JOIN phrase AS label ON label.key = figure.label
    JOIN phrase AS epoch ON epoch.key = figure.epoch LEFT JOIN phrase AS reason ON reason.key = figure.reason";

impl<D: Database> SqlStore<D> {
    pub(crate) fn write_figures(&self, run: &str, figures: &[Figure]) -> Result<(), StoreError> {
        let key = self.key(run)?;
        whole(&self.database, || {
            self.hold(run, key, Change::Derived)?;
            self.replace_figures(key, figures)
        })
    }

    /// Within a transaction.
    pub(crate) fn replace_figures(&self, run: i64, figures: &[Figure]) -> Result<(), StoreError> {
        self.database.execute("DELETE FROM figure WHERE run = ?1", values![run])?;
        self.database.execute("UPDATE run SET epochs = 1 WHERE key = ?1", values![run])?;
        let phrases = self.phrase_keys(figures)?;
        let series = self.series_keys(figures)?;
        for figure in figures {
            let phrase = |text: &str| phrases.get(text).copied();
            let measured = figure.outcome.value();
            let hole = figure.outcome.hole();
            self.database.execute(
                "INSERT INTO figure (series, run, place, stack, label, epoch, n, value, lower, upper, hole, reason)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                values![
                    series.get(&figure.series).copied(),
                    run,
                    figure.place,
                    phrase(&figure.stack),
                    phrase(&figure.label),
                    phrase(&figure.epoch),
                    measured.map(|measured| measured.n),
                    measured.map(|measured| measured.value),
                    measured.and_then(|measured| measured.lower),
                    measured.and_then(|measured| measured.upper),
                    hole.map(|(kind, _)| kind),
                    hole.and_then(|(_, reason)| phrase(reason)),
                ],
            )?;
        }
        Ok(())
    }

    /// The plans of complete runs of the lab whose figures have epochs in an earlier form.
    pub(crate) fn plans_of_old_epochs(&self) -> Result<Vec<Plan>, StoreError> {
        let sql = "SELECT id, plan FROM run WHERE epochs = 0 AND kind = 'measured' AND complete = 1
                   AND EXISTS (SELECT 1 FROM figure WHERE figure.run = run.key)";
        let read = |row: &Row| -> Result<Plan, StoreError> {
            let id: String = row.get(0).map_err(|cause| self.damaged("?", cause))?;
            let text: String = row.get(1).map_err(|cause| self.damaged(&id, cause))?;
            self.plan_in(&id, &text)
        };
        self.database.rows(sql, values![])?.iter().map(read).collect()
    }

    /// The keys of texts; new texts get new keys. All labs use one order, so that no two wait for each other.
    fn phrase_keys<'f>(&self, figures: &'f [Figure]) -> Result<HashMap<&'f str, i64>, StoreError> {
        let mut texts: Vec<&str> = figures
            .iter()
            .flat_map(|figure| {
                let reason = figure.outcome.hole().map(|(_, reason)| reason);
                [Some(&*figure.stack), Some(&*figure.label), Some(&*figure.epoch), reason]
            })
            .flatten()
            .collect();
        texts.sort_unstable();
        texts.dedup();
        let key = |text: &'f str| {
            let digest = hex::encode(Sha256::digest(text));
            let key = self.key_of(
                ("SELECT key FROM phrase WHERE digest = ?1", values![&digest]),
                (
                    "INSERT INTO phrase (digest, text) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                    values![&digest, text],
                ),
            );
            Ok((text, key?))
        };
        texts.into_iter().map(key).collect()
    }

    fn series_keys<'f>(&self, figures: &'f [Figure]) -> Result<HashMap<&'f Series, i64>, StoreError> {
        let mut all: Vec<&Series> = figures.iter().map(|figure| &figure.series).collect();
        all.sort_unstable();
        all.dedup();
        let key = |series: &'f Series| {
            let Series { scenario, stack, side, metric, unit, class } = series;
            let values = values![scenario, stack, side, metric, unit, class];
            let select =
                "SELECT key FROM series WHERE scenario = ?1 AND stack = ?2 AND side = ?3 AND metric = ?4
                          AND unit = ?5 AND class = ?6";
            let insert = "INSERT INTO series (scenario, stack, side, metric, unit, class)
                          VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING";
            let key = self.key_of((select, values), (insert, values));
            Ok((series, key?))
        };
        all.into_iter().map(key).collect()
    }

    fn key_of(&self, select: (&str, &[Value]), insert: (&str, &[Value])) -> Result<i64, StoreError> {
        let find = || {
            let rows = self.database.rows(select.0, select.1)?;
            let key = rows.first().map(|row| row.get(0)).transpose();
            key.map_err(|cause| self.broken(cause))
        };
        if let Some(key) = find()? {
            return Ok(key);
        }
        self.database.execute(insert.0, insert.1)?;
        find()?.ok_or_else(|| self.broken("a row that was added is not there".to_owned()))
    }

    pub(crate) fn read_figures(&self, run: &str) -> Result<Vec<Figure>, StoreError> {
        let key = self.key(run)?;
        let sql = format!(
            "SELECT {FIGURE}, series.scenario, series.stack, series.side, series.metric, series.unit, series.class
             FROM figure JOIN series ON series.key = figure.series {PHRASES} WHERE figure.run = ?1
             ORDER BY figure.series, figure.place"
        );
        let figure = |row: &Row| {
            let (place, stack, label, epoch, outcome) = figure(row)?;
            Ok(Figure { series: series(row, 10)?, stack, place, label, epoch, outcome })
        };
        let rows = self.database.rows(&sql, values![key])?;
        rows.iter().map(figure).collect::<Result<_, _>>().map_err(|cause| self.damaged(run, cause))
    }

    pub(crate) fn list_series(&self) -> Result<Vec<SeriesSummary>, StoreError> {
        let imported =
            "SELECT DISTINCT series FROM figure WHERE run IN (SELECT key FROM run WHERE kind = 'imported')";
        let imported = self.database.rows(imported, &[])?;
        let imported: Result<HashSet<i64>, String> = imported.iter().map(|row| row.get(0)).collect();
        let imported = imported.map_err(|cause| self.broken(cause))?;
        let sql = "SELECT scenario, stack, side, metric, unit, class, points.n, key FROM series
                   JOIN (SELECT series, count(*) AS n FROM figure GROUP BY series) AS points ON points.series = series.key
                   ORDER BY scenario, stack, side, metric, unit, class";
        let summary = |row: &Row| {
            let imported = imported.contains(&row.get::<i64>(7)?);
            Ok(SeriesSummary { series: series(row, 0)?, points: row.get(6)?, imported })
        };
        let rows = self.database.rows(sql, &[])?;
        rows.iter().map(summary).collect::<Result<_, _>>().map_err(|cause| self.broken(cause))
    }

    pub(crate) fn read_points(&self, wanted: &Series) -> Result<Vec<Point>, StoreError> {
        let sql = format!(
            "SELECT {FIGURE}, run.id, run.started_unix_ms FROM figure JOIN run ON run.key = figure.run {PHRASES}
             WHERE figure.series = (SELECT key FROM series WHERE scenario = ?1 AND stack = ?2 AND side = ?3
                                    AND metric = ?4 AND unit = ?5 AND class = ?6)
             ORDER BY run.started_unix_ms, run.key, figure.place"
        );
        let Series { scenario, stack, side, metric, unit, class } = wanted;
        let rows = self.database.rows(&sql, values![scenario, stack, side, metric, unit, class])?;
        rows.iter().map(point).collect::<Result<_, _>>().map_err(|cause| self.broken(cause))
    }

    pub(crate) fn read_appearances(&self) -> Result<Vec<Appearance>, StoreError> {
        let sql = "SELECT seen.stack, label.text, run.id, seen.value FROM
                     (SELECT series.stack AS stack, figure.label AS label, figure.run AS run, min(figure.place) AS place,
                             count(figure.value) AS value
                      FROM figure JOIN series ON series.key = figure.series
                      GROUP BY series.stack, figure.label, figure.run) AS seen
                   JOIN run ON run.key = seen.run JOIN phrase AS label ON label.key = seen.label
                   ORDER BY run.started_unix_ms, run.key, seen.place";
        let appearance = |row: &Row| {
            let has_value = row.get::<i64>(3)? > 0;
            Ok(Appearance { stack: row.get(0)?, label: row.get(1)?, run: run_id(row, 2)?, has_value })
        };
        let rows = self.database.rows(sql, &[])?;
        rows.iter().map(appearance).collect::<Result<_, _>>().map_err(|cause| self.broken(cause))
    }

    pub(crate) fn broken(&self, cause: String) -> StoreError {
        StoreError::Database { place: self.database.place().to_owned(), cause }
    }
}

/// The columns of `FIGURE`, then the run's name and its start.
pub(crate) fn point(row: &Row) -> Result<Point, String> {
    let (place, stack, label, epoch, outcome) = figure(row)?;
    let (run, started_unix_ms) = (run_id(row, 10)?, row.get(11)?);
    Ok(Point { run, started_unix_ms, stack, place, label, epoch, outcome })
}

type Parts = (u32, String, String, String, FigureOutcome);

/// The columns of `FIGURE`.
fn figure(row: &Row) -> Result<Parts, String> {
    let outcome = match row.get::<Option<String>>(8)?.as_deref() {
        None => FigureOutcome::Value(FigureValue {
            n: row.get(4)?,
            value: row.get(5)?,
            lower: row.get(6)?,
            upper: row.get(7)?,
        }),
        Some("unsupported") => FigureOutcome::Unsupported { unsupported: row.get(9)? },
        Some(_) => FigureOutcome::Failed { failed: row.get(9)? },
    };
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, outcome))
}

pub(crate) fn series(row: &Row, first: usize) -> Result<Series, String> {
    Ok(Series {
        scenario: row.get(first)?,
        stack: row.get(first + 1)?,
        side: row.get(first + 2)?,
        metric: row.get(first + 3)?,
        unit: row.get(first + 4)?,
        class: row.get(first + 5)?,
    })
}
