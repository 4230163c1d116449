//! The records of a run, read from its database, and their invariants.

use tlslab_record::{CellState, RunRecord, Sample, Visit};
use tlslab_store::Address;

use super::*;

pub(crate) const DATABASE: &str = "tlslab.sqlite";

/// The contents of a database with one run.
pub(crate) struct Kept {
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
    /// Reads the only run. `None` if no run exists yet.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        // A consistent view, even if the lab is writing.
        let store = tlslab_store::open(&Address::Sqlite(path.to_owned()))?;
        let runs = store.runs()?;
        ensure!(runs.len() < 2, "two runs");
        let Some(run) = runs.into_iter().next() else { return Ok(None) };
        let RunRecord { plan, complete, warnings, cells, visits, samples, .. } = store.load(&run.id)?;
        let cell = |cell: CellState| {
            let proof = serde_json::to_string(&cell.proof).expect("it serialises");
            ((cell.scenario as i64, cell.stack as i64), proof)
        };
        let kept = Self {
            id: run.id,
            complete,
            scenarios: plan.scenarios.len() as i64,
            warnings,
            cells: unique(cells.into_iter().map(cell).collect())?,
            visits: unique(visits.into_iter().map(|visit| (visit_key(&visit), visit.complete)).collect())?,
            samples: unique(samples.iter().map(sample).collect())?,
        };
        Ok(Some(kept))
    }

    /// A scenario has exactly one complete visit in a round, and that has every stack in every turn.
    pub(crate) fn check_visit(&self, round: i64, scenario: i64) -> anyhow::Result<()> {
        let what = || format!("round {round}, scenario {scenario}");
        let made = self.visits.range([round, scenario, 0]..=[round, scenario, i64::MAX]);
        let complete: Vec<i64> = made.filter(|(_, complete)| **complete).map(|(key, _)| key[2]).collect();
        let [attempt] = complete[..] else { bail!("{}: complete are the attempts {complete:?}", what()) };
        let visit = [round, scenario, attempt];
        let keys = self.samples.keys().filter(|key| key[..3] == visit);
        let measured: Vec<(i64, i64)> = keys.map(|key| (key[3], key[4])).collect();
        // A stack that seemed slow when it was tried has fewer slices in each turn.
        let turns = 1 + measured.iter().map(|(block, _)| block / SLICES).max().unwrap_or(-1);
        ensure!(turns >= 3, "{}: {turns} turns", what());
        for stack in 0..STACKS.len() as i64 {
            let of_turn = |turn: i64| -> Vec<i64> {
                let blocks = measured.iter().filter(|(block, of)| *of == stack && block / SLICES == turn);
                blocks.map(|(block, _)| block % SLICES).collect()
            };
            let due: Vec<i64> = (0..of_turn(0).len().max(1) as i64).collect();
            let whole = (0..turns).all(|turn| of_turn(turn) == due);
            ensure!(whole, "{}: (block, stack) are {measured:?}", what());
        }
        Ok(())
    }
}

/// Slices of a turn, by default.
const SLICES: i64 = 8;

fn visit_key(visit: &Visit) -> [i64; 3] {
    [visit.round.into(), visit.scenario as i64, visit.attempt.into()]
}

fn sample(sample: &Sample) -> ([i64; 5], Vec<i64>) {
    let Sample { round, scenario, attempt, block, place, stack, measurement } = sample;
    let key = [(*round).into(), *scenario as i64, (*attempt).into(), (*block).into(), *stack as i64];
    let sides = [&measurement.client, &measurement.server].map(|side| {
        [
            side.phases.total_ns(),
            side.clock_reads,
            side.wire_bytes,
            side.plaintext_sent,
            side.latencies.total(),
        ]
    });
    let figures = [(*place).into(), measurement.iterations, measurement.elapsed_ns];
    (key, figures.into_iter().chain(sides.into_iter().flatten()).map(|figure| figure as i64).collect())
}

pub(crate) fn unique<K: Ord + fmt::Debug, V>(rows: Vec<(K, V)>) -> anyhow::Result<BTreeMap<K, V>> {
    let mut map = BTreeMap::new();
    for (key, value) in rows {
        ensure!(!map.contains_key(&key), "{key:?} is there twice");
        map.insert(key, value);
    }
    Ok(map)
}

/// Every cell has a value, from a visit in every round. In so short a run, only high percentiles may need
/// more iterations.
pub(crate) fn check_results(path: &Path) -> anyhow::Result<()> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let results: Value = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    ensure!(results["run"]["complete"] == true, "results.json says that the run is not complete");
    let cells = results["cells"].as_array().context("results.json has no cells")?;
    ensure!(!cells.is_empty(), "results.json has no cells");
    for cell in cells {
        let metric = cell["metric"].as_str().unwrap_or_default();
        let too_few = metric.starts_with("latency.") && cell["unsupported"].is_string();
        let whole = cell["n"] == ROUNDS && cell["estimate"].is_number();
        ensure!(whole || too_few, "a cell of results.json is {cell}");
    }
    Ok(())
}
