//! The samples of one scenario of a run, without the rest of the run.

use crate::StoreError;
use crate::browse::model::ScenarioSamples;
use crate::database::value::{Row, values};
use crate::database::{Database, snapshot};
use crate::run::sql::SqlStore;
use crate::sample::journal;
use crate::sample::pack::{times, times_of};

use tlslab_record::Visit;

impl<D: Database> SqlStore<D> {
    pub(crate) fn samples_of_scenario(
        &self,
        run: &str,
        scenario: &str,
    ) -> Result<Option<ScenarioSamples>, StoreError> {
        let key = self.key(run)?;
        snapshot(&self.database, || {
            self.refuse_without_samples(run, key)?;
            let damaged = |cause: String| self.damaged(run, cause);
            let rows = self.database.rows("SELECT plan, complete FROM run WHERE key = ?1", values![key])?;
            let row = rows.first().ok_or_else(|| self.no_such_run(run))?;
            let plan = self.plan_in(run, &row.get::<String>(0).map_err(damaged)?)?;
            let complete = row.get(1).map_err(damaged)?;
            let Some(place) = plan.scenarios.iter().position(|one| one.name == scenario) else {
                return Ok(None);
            };
            let sql = "SELECT round, attempt, complete, visit.key, body FROM visit LEFT JOIN pack ON pack.visit = visit.key
                       WHERE run = ?1 AND scenario = ?2 ORDER BY visit.key";
            let mut samples = Vec::new();
            for row in self.database.rows(sql, values![key, place])? {
                let visit = visit(&row, place).map_err(damaged)?;
                if !visit.complete {
                    continue;
                }
                let packed: Option<Vec<u8>> = row.get(4).map_err(damaged)?;
                match packed {
                    Some(body) => samples.extend(times(&body, visit.round).map_err(damaged)?),
                    None => {
                        let rows = journal::read(&self.database, row.get(3).map_err(damaged)?, &visit)?;
                        samples.extend(rows.map_err(damaged)?.samples.iter().map(times_of));
                    }
                }
            }
            let stacks = plan.stacks.into_iter().map(|stack| stack.name).collect();
            Ok(Some(ScenarioSamples { stacks, complete, samples }))
        })
    }
}

fn visit(row: &Row, scenario: usize) -> Result<Visit, String> {
    Ok(Visit { round: row.get(0)?, scenario, attempt: row.get(1)?, complete: row.get(2)? })
}
