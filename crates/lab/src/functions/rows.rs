//! Functions of a run's rows: a file for each row, as written by the program that defines the rows.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use tlslab_estimate::{Report, Row, RowFile, RowOutcome, Whose};
use tlslab_measure::DriverProgram;
use tlslab_pki::Pki;
use tlslab_profile::{Profile, write as in_callgrinds_format};
use tlslab_record::{Counted, CounterKind, CounterRecord, Plan};

use super::counted;
use crate::problem::Problem;
use crate::progress::event::Stage;
use crate::session::drivers::SessionLauncher;
use crate::session::workshop::Workshop;

/// The folder of the files, in the run's.
pub const FOLDER: &str = "callgrind";

/// The figure that rows of instructions have.
const INSTRUCTIONS: &str = "count.instructions";

/// Counting functions is slower than counting.
const SLOWER: u32 = 10;

/// Whether a run will have rows whose functions can be determined.
///
/// # Errors
/// Fails with the reason if not.
pub fn check(plan: &Plan) -> anyhow::Result<()> {
    let mut columns = plan.rows.iter().flat_map(|rows| &rows.files).flat_map(|file| &file.columns);
    ensure!(
        columns.any(|column| column.metric == INSTRUCTIONS) && plan.counting.is_some(),
        Problem::invalid(
            "functions",
            "functions",
            "this run has no rows of instructions",
            "`tlslab profile --stack STACK --scenario NAME` reports the functions of one scenario"
        )
    );
    by_function(plan).map(|_| ())
}

/// Counts the parts of rows once more, by function, and writes a file for each row. Returns the number of
/// excluded rows; a warning gives the reason for each.
pub fn write(
    workshop: &Workshop<'_>,
    plan: &Plan,
    report: &Report,
    folder: &Path,
    timeout: Duration,
) -> anyhow::Result<usize> {
    let is_of_instructions = |file: &&RowFile| file.columns.iter().any(|column| column == INSTRUCTIONS);
    let file = report.rows.iter().find(is_of_instructions).context("the report has rows of instructions")?;
    let at = file.columns.iter().position(|column| column == INSTRUCTIONS).unwrap_or_default();
    let folder = folder.join(FOLDER);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let filled = file.rows.iter().filter_map(|row| Some((row, Filled::of(row, at)?)));
    let filled: Vec<(&Row, Filled)> = filled.collect();
    let mut works: Vec<&Work> = filled.iter().flat_map(|(_, row)| &row.works).collect();
    works.sort();
    works.dedup();
    let function_counter = FunctionCounter {
        plan,
        pki: workshop.keys(&plan.scenarios)?,
        counter: by_function(plan)?,
        launcher: workshop.launcher(),
        timeout: timeout * SLOWER,
    };
    let mut described: BTreeMap<&Work, Result<Sides, String>> = BTreeMap::new();
    for (number, work) in works.iter().enumerate() {
        let (stack, scenario, times) = work;
        workshop.reporter.step(
            Stage::Functions,
            (number, works.len()),
            format!("{stack}: {scenario}, {times} times"),
        );
        let sides = function_counter.count(work);
        workshop.reporter.check()?;
        described.insert(work, sides.map_err(|cause| format!("{cause:#}")));
    }
    let (mut left_out, mut furthest) = (0, 0.0_f64);
    for (row, of) in &filled {
        match of.profile(row.side, &described) {
            Ok(profile) => {
                let path = folder.join(&row.name);
                fs::write(&path, in_callgrinds_format(&profile, &row.name))
                    .with_context(|| format!("cannot write {}", path.display()))?;
                let sum = profile.totals().first().copied().unwrap_or_default() as f64;
                furthest = furthest.max((sum / of.value as f64 - 1.0).abs());
            }
            Err(why) => {
                left_out += 1;
                workshop.reporter.warn(format!("{FOLDER}: excluded: {}: failed: {why}", row.name));
            }
        }
    }
    workshop.reporter.note(format!(
        "{FOLDER}/: functions of {} of {} rows; their sums are within {:.2} % of {}",
        filled.len() - left_out,
        file.rows.len(),
        100.0 * furthest,
        file.name
    ));
    Ok(left_out)
}

/// A stack, a scenario, and how often its work is done.
type Work = (String, String, u64);

type Sides = BTreeMap<String, Profile>;

/// A row with a figure, and its parts.
struct Filled {
    value: u64,
    works: Vec<Work>,
}

impl Filled {
    fn of(row: &Row, column: usize) -> Option<Self> {
        let RowOutcome::Filled { values, times, once } = &row.outcome else { return None };
        let of = |scenario: &str, times| (row.stack.clone(), scenario.to_owned(), times);
        let besides = once.get(column).and_then(Option::as_deref);
        let mut works = vec![of(&row.scenario, (*times.get(column)?).into())];
        works.extend(besides.map(|scenario| of(scenario, 1)));
        Some(Self { value: *values.get(column)?, works })
    }

    /// All its works together, for the row's side or for both.
    fn profile(
        &self,
        side: Whose,
        described: &BTreeMap<&Work, Result<Sides, String>>,
    ) -> Result<Profile, String> {
        let mut all = Profile::default();
        for work in &self.works {
            let sides = described[work].as_ref().map_err(Clone::clone)?;
            let wanted = sides.iter().filter(|(name, _)| side == Whose::Both || side.name() == *name);
            for (_, profile) in wanted {
                all.add(profile);
            }
        }
        match all.events.is_empty() {
            true => Err("nothing was counted".to_owned()),
            false => Ok(all),
        }
    }
}

/// The counter.
struct FunctionCounter<'p> {
    plan: &'p Plan,
    pki: Pki,
    counter: CounterRecord,
    launcher: SessionLauncher<'p>,
    timeout: Duration,
}

impl FunctionCounter<'_> {
    fn count(&self, (stack, scenario, times): &Work) -> anyhow::Result<Sides> {
        let stack = self.plan.stacks.iter().find(|known| known.name == *stack).context("no such stack")?;
        let scenario = self.plan.scenarios.iter().find(|known| known.name == *scenario);
        let scenario = scenario.context("no such scenario")?;
        let scratch = tempfile::tempdir().context("cannot create a folder for counts")?;
        let driver = DriverProgram {
            path: Path::new(&stack.driver),
            environment: &stack.environment,
            preload: None,
            counter: Some(&self.counter),
            moves: false,
            placement: None,
            described: None,
        };
        let asked = (*times, seed(self.plan), scratch.path());
        match tlslab_measure::profile(&self.launcher, driver, &self.pki, scenario, asked, self.timeout)? {
            Counted::Counted(_) => {}
            Counted::Unsupported(reason) | Counted::Failed(reason) => anyhow::bail!(reason),
        }
        let sides = counted::sides(scratch.path(), None, None)?;
        Ok(sides.into_iter().map(|(side, (profile, _))| (side, profile)).collect())
    }
}

/// The run's counter, by function.
fn by_function(plan: &Plan) -> anyhow::Result<CounterRecord> {
    let mut counter = plan.counting.as_ref().context("nothing is counted in this run")?.counter.clone();
    match counter.kind {
        CounterKind::Valgrind => counter.arguments.push("--fn=self".to_owned()),
        CounterKind::Callgrind => {}
        CounterKind::Hardware | CounterKind::Frida => anyhow::bail!(
            "functions: {} is not asked for functions here; choose valgrind or callgrind as the counter",
            counter.name
        ),
    }
    Ok(counter.seeded(seed(plan)))
}

/// The seed of the RNG: the run's first seed.
fn seed(plan: &Plan) -> u64 {
    plan.counting.as_ref().and_then(|counting| counting.seeds.first().copied()).unwrap_or(1)
}
