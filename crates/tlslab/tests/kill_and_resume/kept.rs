//! What a run has kept, read from its database, and what must be true of it.

use super::*;

pub const DATABASE: &str = "tlslab.sqlite";

/// What is in a database of one run.
pub struct Kept {
    pub id: String,
    pub complete: bool,
    pub scenarios: i64,
    pub warnings: Vec<String>,
    /// Proofs by scenario and stack.
    pub cells: BTreeMap<(i64, i64), String>,
    /// Whether a visit is complete, by its round, scenario and attempt.
    pub visits: BTreeMap<[i64; 3], bool>,
    /// All columns, by the visit's round, scenario and attempt, the block and the stack.
    pub samples: BTreeMap<[i64; 5], Vec<i64>>,
}

impl Kept {
    /// Reads the only run. `None` if there is none yet.
    pub fn read(path: &Path) -> anyhow::Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let database = Connection::open(path)?;
        database.busy_timeout(Duration::from_secs(10))?;
        // One moment for all queries, should the lab be writing.
        let database = database.unchecked_transaction()?;
        if !database.table_exists(None, "run")? {
            return Ok(None);
        }
        ensure!(
            database.query_row("SELECT count(*) FROM run", [], |row| row.get::<_, i64>(0))? < 2,
            "two runs"
        );
        let run = database.query_row(
            "SELECT id, complete, json_array_length(plan, '$.scenarios') FROM run",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        );
        let Some((id, complete, scenarios)) = run.optional()? else { return Ok(None) };
        let kept = Self {
            id,
            complete,
            scenarios,
            warnings: rows(&database, "SELECT text FROM warning", |row| row.get(0))?,
            cells: unique(rows(&database, "SELECT scenario, stack, proof FROM cell", |row| {
                Ok(((row.get(0)?, row.get(1)?), row.get(2)?))
            })?)?,
            visits: unique(rows(
                &database,
                "SELECT round, scenario, attempt, complete FROM visit",
                |row| Ok(([row.get(0)?, row.get(1)?, row.get(2)?], row.get(3)?)),
            )?)?,
            samples: unique(rows(
                &database,
                "SELECT visit.round, visit.scenario, visit.attempt, block, stack, iterations, elapsed_ns,
                        client_wire_bytes, server_wire_bytes, length(detail)
                 FROM sample LEFT JOIN visit ON visit.key = sample.visit",
                |row| {
                    let key = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
                    let columns = (5..row.as_ref().column_count()).map(|column| row.get(column));
                    Ok((key, columns.collect::<rusqlite::Result<_>>()?))
                },
            )?)?,
        };
        Ok(Some(kept))
    }

    /// A scenario has exactly one complete visit in a round, and that has every stack in every block.
    pub fn check_visit(&self, round: i64, scenario: i64) -> anyhow::Result<()> {
        let what = || format!("round {round}, scenario {scenario}");
        let made = self.visits.range([round, scenario, 0]..=[round, scenario, i64::MAX]);
        let complete: Vec<i64> = made.filter(|(_, complete)| **complete).map(|(key, _)| key[2]).collect();
        let [attempt] = complete[..] else { bail!("{}: complete are the attempts {complete:?}", what()) };
        let visit = [round, scenario, attempt];
        let keys = self.samples.keys().filter(|key| key[..3] == visit);
        let measured: Vec<(i64, i64)> = keys.map(|key| (key[3], key[4])).collect();
        let stacks = STACKS.len() as i64;
        let blocks = measured.len() as i64 / stacks;
        let due: Vec<(i64, i64)> =
            (0..blocks).flat_map(|block| (0..stacks).map(move |stack| (block, stack))).collect();
        ensure!(measured == due, "{}: (block, stack) are {measured:?}", what());
        ensure!(blocks >= 3, "{}: {blocks} blocks", what());
        Ok(())
    }
}

pub fn rows<T>(
    database: &Connection,
    sql: &str,
    read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    database.prepare(sql)?.query_map([], read)?.collect()
}

pub fn unique<K: Ord + fmt::Debug, V>(rows: Vec<(K, V)>) -> anyhow::Result<BTreeMap<K, V>> {
    let mut map = BTreeMap::new();
    for (key, value) in rows {
        ensure!(!map.contains_key(&key), "{key:?} is there twice");
        map.insert(key, value);
    }
    Ok(map)
}

/// Every cell has a value, from a visit in every round.
pub fn check_results(path: &Path) -> anyhow::Result<()> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let results: Value = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    ensure!(results["run"]["complete"] == true, "results.json says that the run is not complete");
    let cells = results["cells"].as_array().context("results.json has no cells")?;
    ensure!(!cells.is_empty(), "results.json has no cells");
    for cell in cells {
        ensure!(cell["n"] == ROUNDS && cell["estimate"].is_number(), "a cell of results.json is {cell}");
    }
    Ok(())
}
