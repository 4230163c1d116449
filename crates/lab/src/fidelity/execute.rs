//! Each scenario counted twice, by an emulator and on the processor itself, and timed twice, with and without
//! the features that the emulator lacks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_binaries::Symbols;
use tlslab_estimate::{Metric, Report};
use tlslab_measure::{DriverProgram, Sofar, describe};
use tlslab_pki::Pki;
use tlslab_profile::Profile;
use tlslab_protocol::{Counting, Measure, Scenario, Side};
use tlslab_record::{Counted, CounterRecord, Fidelity, Plan, RunRecord, StackRecord, StackState};
use tlslab_store::{Address, Owner};

use super::mask_features::Hiding;
use super::profile_pair::Contrast;
use crate::calibration;
use crate::counting;
use crate::error::Error;
use crate::functions::naming::by_symbol;
use crate::request::{FidelityRequest, RunRequest};
use crate::run::{measure, plan};
use crate::session::Session;

/// The seed of the deterministic RNG, as in a run.
const SEED: u64 = 1;
/// The name of the variant that sees fewer features.
const HIDDEN: &str = "hidden";
/// Counting functions is slower than running.
const SLOWER: u32 = 10;

/// One scenario, counted both ways.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Both {
    /// The scenario.
    pub scenario: Scenario,
    /// Its sides.
    pub sides: Vec<(Side, Contrast)>,
    /// Features that were visible to the code natively and under the counter.
    pub features: [Vec<String>; 2],
}

/// A side's time without the features that the counter hides against its time with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeRatio {
    /// The scenario.
    pub scenario: String,
    /// The side.
    pub side: Side,
    /// The ratio with its interval, or the reason for its absence.
    pub text: String,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fidelities {
    /// The stack.
    pub stack: String,
    /// The emulator.
    pub counter: String,
    /// Iterations of each scenario's count.
    pub iterations: u64,
    /// Scenarios that were counted in both ways.
    pub both: Vec<Both>,
    /// Scenarios that were not, with the reason.
    pub holes: Vec<(String, String)>,
    /// Time without the features that the counter hides against time with them.
    pub times: Vec<TimeRatio>,
    /// Notes on these times.
    pub notes: Vec<String>,
}

/// The inputs of a step.
struct Probe<'p> {
    session: &'p Session<'p>,
    request: &'p FidelityRequest,
    stack: &'p StackRecord,
    pki: &'p Pki,
}

/// Counts each scenario in both ways, times it with and without the hidden features, and records the ratios
/// for reports of counts.
///
/// # Errors
/// Fails if the stack or a scenario does not exist, if the counter is unavailable, or if no scenario can be
/// counted both ways.
pub fn fidelity(session: &Session<'_>, request: &FidelityRequest) -> Result<Fidelities, Error> {
    let found = session.reporter().finished(None, load_fidelities(session, request))?;
    session.reporter().check().map_err(|_| Error::EARLY)?;
    Ok(found)
}

fn load_fidelities(session: &Session<'_>, request: &FidelityRequest) -> anyhow::Result<Fidelities> {
    let plan = plan::new_plan(session, &run_request(request), session.conditions().id.as_str())?;
    let stack = plan.stacks[0].clone();
    if let StackState::Failed(reason) = &stack.state {
        bail!("{}: {reason}", stack.name);
    }
    if stack.identity.as_ref().is_some_and(|identity| identity.processor.is_some()) {
        bail!("{}: features are hidden from it already; check the stack without +cpu-", stack.name);
    }
    let pki = session.workshop.keys(&plan.scenarios)?;
    let counters = [
        counting::profiler(&session.workshop, None, "self")?.seeded(SEED),
        counting::frida(&session.workshop)?.seeded(SEED),
    ];
    let probe = Probe { session, request, stack: &stack, pki: &pki };
    let mut symbols = Symbols::default();
    let (mut objects, mut both, mut holes) = (BTreeSet::new(), Vec::new(), Vec::new());
    for scenario in &plan.scenarios {
        session.reporter().note(format!("count: {} in {}, twice", scenario.name, stack.name));
        let [emulated, native] =
            counters.each_ref().map(|counter| probe.count(counter, scenario, &mut symbols));
        match (emulated?, native?) {
            (Ok(emulated), Ok(native)) => {
                let of =
                    |side: &Side| (*side, Contrast::of(&emulated.profiles[side], &native.profiles[side]));
                let sides = scenario.work.sides().iter().map(of).collect();
                objects.extend(native.objects);
                let features = [native.counting.features, emulated.counting.features];
                both.push(Both { scenario: scenario.clone(), sides, features });
            }
            (Err(hole), _) | (_, Err(hole)) => holes.push((scenario.name.clone(), hole)),
        }
    }
    if both.is_empty() {
        let why: Vec<String> = holes.iter().map(|(scenario, hole)| format!("{scenario}: {hole}")).collect();
        bail!(
            "{}: no scenario could be counted both natively and under the counter: {}",
            stack.name,
            why.join("; ")
        );
    }
    let scratch = tempfile::tempdir().context("cannot create a folder for the hidden features")?;
    let (times, notes) = probe.times(plan, &both, &objects, scratch.path())?;
    calibration::fidelity::add(
        &mut *session.store()?,
        both.iter().flat_map(|one| records(&stack, one)).collect(),
    )?;
    Ok(Fidelities {
        stack: stack.name.clone(),
        counter: counters[0].name.clone(),
        iterations: request.iterations.get(),
        both,
        holes,
        times,
        notes,
    })
}

/// The same as a run of this stack alone.
fn run_request(request: &FidelityRequest) -> RunRequest {
    RunRequest {
        suite: request.scenarios.is_empty().then(|| request.suite.clone()),
        stacks: vec![request.stack.clone()],
        scenarios: request.scenarios.clone(),
        metrics: vec![Measure::Time],
        budget_s: request.budget_s,
        baseline: Some(request.stack.clone()),
        timeout_s: request.timeout_s,
        ..RunRequest::default()
    }
}

/// One count.
struct Profiled {
    counting: Counting,
    profiles: BTreeMap<Side, Profile>,
    objects: BTreeSet<String>,
}

/// Times, and notes on them.
type Times = (Vec<TimeRatio>, Vec<String>);

impl Probe<'_> {
    /// One count with its functions; or the reason for its absence, after `unsupported` or `failed`.
    fn count(
        &self,
        counter: &CounterRecord,
        scenario: &Scenario,
        symbols: &mut Symbols,
    ) -> anyhow::Result<Result<Profiled, String>> {
        let folder = tempfile::tempdir().context("cannot create a folder for counts")?;
        let driver = DriverProgram { counter: Some(counter), ..self.stack.into() };
        let how = (self.request.iterations.get(), SEED, folder.path());
        let timeout = SLOWER * self.timeout();
        let launcher = self.session.workshop.launcher();
        let counting = match tlslab_measure::profile(&launcher, driver, self.pki, scenario, how, timeout)? {
            Counted::Counted(counting) => *counting,
            Counted::Unsupported(reason) => return Ok(Err(format!("unsupported: {reason}"))),
            Counted::Failed(reason) => return Ok(Err(format!("failed: {reason}"))),
        };
        let mut profiles = BTreeMap::new();
        let mut objects = BTreeSet::new();
        for side in Side::BOTH {
            let profile = side_of(folder.path(), side, symbols)?;
            objects.extend(profile.functions.keys().map(|function| function.object.clone()));
            profiles.insert(side, profile);
        }
        Ok(Ok(Profiled { counting, profiles, objects }))
    }

    fn timeout(&self) -> Duration {
        self.request.timeout_s.duration()
    }

    /// The stack timed with and without the features that the counter hides.
    fn times(
        &self,
        mut plan: Plan,
        both: &[Both],
        objects: &BTreeSet<String>,
        scratch: &Path,
    ) -> anyhow::Result<Times> {
        let unsupported = |reason: String| {
            Ok((Vec::new(), vec![format!("time without these features: unsupported: {reason}")]))
        };
        let (session, stack) = (self.session, self.stack);
        let shown = session
            .environment()
            .instruments()
            .shown_features(&session.workshop, session.reporter().cancel().flag())?;
        let hiding = Hiding::plan(
            Path::new(&stack.driver),
            objects,
            scratch,
            &session.workshop.preloads()?.cpuid,
            shown,
        )?;
        session.workshop.show(hiding.places.clone());
        let variants = [false, true].map(|hides| StackRecord {
            name: if hides { HIDDEN.to_owned() } else { stack.name.clone() },
            environment: hiding.environment(&stack.environment, hides),
            ..stack.clone()
        });
        let seen = match describe(&session.workshop.launcher(), (&variants[1]).into(), self.timeout()) {
            Ok(description) => description.features,
            Err(failure) => return unsupported(failure.to_string()),
        };
        if seen.is_empty() {
            return unsupported("the driver does not report which features it sees".to_owned());
        }
        let notes = notes(&hiding, &seen, &both[0].features[1]);
        plan.scenarios = both.iter().map(|one| one.scenario.clone()).collect();
        plan.baseline.clone_from(&stack.name);
        plan.stacks = variants.to_vec();
        let mut store = tlslab_store::open(&Address::Sqlite(scratch.join("times.sqlite")))?;
        store.create_run(&plan, &Owner::this_process())?;
        measure(&session.workshop, &plan, Sofar::default(), self.pki, &mut *store, self.timeout())?;
        let report = Report::of(&RunRecord { complete: true, ..store.load(&plan.id)? });
        let mut ratios = Vec::new();
        for one in both {
            for (side, _) in &one.sides {
                let text = ratio(&report, &one.scenario.name, &stack.name, *side);
                let scenario = &one.scenario.name;
                ratios.extend(text.map(|text| TimeRatio { scenario: scenario.clone(), side: *side, text }));
            }
        }
        Ok((ratios, notes))
    }
}

/// The counted instructions of a side, by symbol.
fn side_of(folder: &Path, side: Side, symbols: &mut Symbols) -> anyhow::Result<Profile> {
    let mut profile = Profile::default();
    let begins = format!("{side}.");
    for entry in folder.read_dir().context("cannot read the counts")? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with(&begins) || name.ends_with(".stacks") {
            continue;
        }
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        profile.add(&by_symbol(&text, symbols).with_context(|| path.display().to_string())?);
    }
    Ok(profile)
}

fn notes(hiding: &Hiding, seen: &[String], counted: &[String]) -> Vec<String> {
    let mut notes = vec![format!("CPUID is answered without them in {} places", hiding.found)];
    if seen != counted {
        notes.push(format!(
            "not exactly the same features: with them hidden, the driver sees {}; under valgrind it sees {}",
            seen.join(" "),
            counted.join(" ")
        ));
    }
    if !hiding.unsearched.is_empty() {
        let names = hiding.unsearched.join(", ");
        notes.push(format!("not searched, as their functions have no names: {names}"));
    }
    notes
}

/// A side's time without the hidden features against its time with them.
fn ratio(report: &Report, scenario: &str, stack: &str, side: Side) -> Option<String> {
    let cell = report.cell(scenario, HIDDEN, side, Metric::Time)?;
    let with = report.cell(scenario, stack, side, Metric::Time);
    let with = with.and_then(|cell| cell.outcome.measured()).map(|measured| measured.estimated.value);
    match (cell.outcome.measured(), cell.outcome.hole()) {
        (Some(measured), _) => Some(match &measured.ratio {
            Some(ratio) => {
                let estimated = &ratio.estimated;
                let bounds = estimated
                    .interval
                    .map(|interval| format!(" ({:.3} to {:.3})", interval.lower, interval.upper));
                format!(
                    "{:.1} µs without the hidden features, {:.3} times{} the {} with them",
                    measured.estimated.value,
                    estimated.value,
                    bounds.unwrap_or_default(),
                    with.map(|with| format!("{with:.1} µs")).unwrap_or_default()
                )
            }
            None => measured.no_ratio.clone().unwrap_or_else(|| "no ratio".to_owned()),
        }),
        (_, Some((kind, reason))) => Some(format!("{kind}: {reason}")),
        _ => None,
    }
}

fn records(stack: &StackRecord, one: &Both) -> Vec<Fidelity> {
    let of = |(side, contrast): &(Side, Contrast)| Fidelity {
        stack: stack.name.clone(),
        driver_digest: stack.driver_digest.clone(),
        scenario: one.scenario.name.clone(),
        side: *side,
        features: one.features[0].clone(),
        ratio: contrast.ratio(),
        dominating: contrast.dominating(),
    };
    one.sides.iter().map(of).collect()
}
