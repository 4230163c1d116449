//! The steps of a job as events: each with the time left of its stage.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use tlslab_record::{CountPlan, Plan, StackRecord, StackState};

use crate::progress::durations::Durations;
use crate::progress::event::{Event, Stage, Step};
use crate::progress::forecast::{key_of, recipe_of};
use crate::session::workshop::Workshop;

/// A run's progress as events.
pub(crate) struct RunEvents<'s> {
    workshop: &'s Workshop<'s>,
    clock: StepClock<'s>,
}

impl<'s> RunEvents<'s> {
    /// For the cells of a plan.
    pub(crate) fn of(workshop: &'s Workshop<'s>, plan: &Plan) -> Self {
        Self { workshop, clock: StepClock::of(workshop, Some(plan)) }
    }

    /// All planned steps are done.
    pub(crate) fn complete(&mut self) {
        self.clock.complete();
    }
}

impl tlslab_measure::Observer for RunEvents<'_> {
    fn proving(&mut self, stack: &str, scenario: &str, done: usize, total: usize) {
        self.clock.step(Stage::Prove, (stack, scenario), (done, total));
    }

    fn ended(&mut self) {
        self.clock.end_stage();
    }

    fn visiting(&mut self, round: u32, scenario: &str, done: usize, total: usize, left_s: f64) {
        self.clock.end_stage();
        let what = format!("round {}: {scenario}", round + 1);
        self.workshop.reporter.emit(&Event::Step(Step {
            stage: Stage::Measure,
            done,
            total,
            left_s: Some(left_s),
            what,
        }));
    }

    fn counting(&mut self, stack: &str, scenario: &str, done: usize, total: usize) {
        self.clock.step(Stage::Count, (stack, scenario), (done, total));
    }

    fn weighing(&mut self, stack: &str, scenario: &str, done: usize, total: usize) {
        self.clock.step(Stage::Weigh, (stack, scenario), (done, total));
    }

    fn slicing(&mut self, block: u32, place: usize, total: usize) {
        self.workshop.reporter.emit(&Event::Slice { block, place, total });
    }

    fn warning(&mut self, text: &str) {
        self.workshop.reporter.warn(text);
    }
}

/// Times the steps of stages, reports each with the time left of its stage, and stores the times for later
/// forecasts.
pub(crate) struct StepClock<'s> {
    workshop: &'s Workshop<'s>,
    durations: Durations,
    counting: Option<CountPlan>,
    /// The recipes' names by the names of the stacks of the run.
    recipes: HashMap<String, String>,
    scenarios: Vec<String>,
    took: BTreeMap<[String; 3], (f64, u32)>,
    current: Option<([String; 3], Instant)>,
    stage: Option<StageClock>,
}

/// A stage under way.
struct StageClock {
    stage: Stage,
    began: Instant,
    /// The expected time of all its steps, and of those that have begun, s.
    all_s: f64,
    begun_s: f64,
}

impl<'s> StepClock<'s> {
    /// For the cells of a plan, if there is one.
    pub(crate) fn of(workshop: &'s Workshop<'s>, plan: Option<&Plan>) -> Self {
        let recipe = |stack: &StackRecord| {
            let identity = stack.identity.as_ref().filter(|_| matches!(stack.state, StackState::Ready(_)))?;
            Some((stack.name.clone(), recipe_of(&identity.recipe)))
        };
        let scenarios = plan.map_or(&[][..], |plan| &plan.scenarios[..]);
        Self {
            workshop,
            durations: Durations::of(&workshop.environment.cache),
            counting: plan.and_then(|plan| plan.counting.clone()),
            recipes: plan.iter().flat_map(|plan| plan.stacks.iter().filter_map(recipe)).collect(),
            scenarios: scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
            took: BTreeMap::new(),
            current: None,
            stage: None,
        }
    }

    /// A step of a cell begins: the step before has ended.
    pub(crate) fn step(
        &mut self,
        stage: Stage,
        (stack, scenario): (&str, &str),
        (done, total): (usize, usize),
    ) {
        self.pause();
        let key = key_of(stage, self.counting.as_ref());
        let recipe = self.recipes.get(stack).cloned().unwrap_or_else(|| recipe_of(stack));
        let expected_s = self.durations.expected(&key, &recipe, scenario).s;
        if self.stage.as_ref().is_none_or(|clock| clock.stage != stage) {
            let all_s = self.mean_s(&key) * total.saturating_sub(done).max(1) as f64;
            self.stage = Some(StageClock { stage, began: Instant::now(), all_s, begun_s: 0.0 });
        }
        let left_s =
            self.stage.as_mut().map(|clock| clock.begin(expected_s, clock.began.elapsed().as_secs_f64()));
        self.current = Some(([key, recipe, scenario.to_owned()], Instant::now()));
        let what = format!("{stack}: {scenario}");
        self.workshop.reporter.emit(&Event::Step(Step { stage, done, total, left_s, what }));
    }

    /// The current step has ended.
    pub(crate) fn pause(&mut self) {
        let Some((key, began)) = self.current.take() else { return };
        let (s, times) = self.took.entry(key).or_default();
        *s += began.elapsed().as_secs_f64();
        *times += 1;
    }

    /// Another kind of work follows, such as builds.
    pub(crate) fn end_stage(&mut self) {
        self.pause();
        self.stage = None;
    }

    /// All cells have had their steps of every stage: cells without steps take no time.
    pub(crate) fn complete(&mut self) {
        self.pause();
        let stages: Vec<String> = self.took.keys().map(|[stage, ..]| stage.clone()).collect();
        for stage in stages {
            for recipe in self.recipes.values() {
                for scenario in &self.scenarios {
                    self.took.entry([stage.clone(), recipe.clone(), scenario.clone()]).or_default();
                }
            }
        }
    }

    /// The expected time of a step of the plan's cells.
    fn mean_s(&self, key: &str) -> f64 {
        let cells = self
            .recipes
            .values()
            .flat_map(|recipe| self.scenarios.iter().map(move |scenario| (recipe, scenario)));
        let all = cells.map(|(recipe, scenario)| self.durations.expected(key, recipe, scenario).s);
        let all: Vec<f64> = all.filter(|s| *s > 0.0).collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    }
}

impl StageClock {
    /// The time left as a step begins: the expected time, corrected by the durations of the steps before.
    fn begin(&mut self, expected_s: f64, elapsed_s: f64) -> f64 {
        let ended_s = self.begun_s;
        let left_s = (self.all_s - ended_s).max(expected_s);
        self.begun_s += expected_s;
        // The first steps are a poor estimate.
        let trust_s = TRUST * self.all_s;
        left_s * (elapsed_s + trust_s) / (ended_s + trust_s).max(1e-9)
    }
}

/// This share of a stage must have passed before its own speed has the weight of the forecast.
const TRUST: f64 = 0.1;

impl Drop for StepClock<'_> {
    fn drop(&mut self) {
        if self.workshop.reporter.is_cancelled() {
            self.current = None;
        }
        self.pause();
        let took = std::mem::take(&mut self.took).into_iter();
        let took: Vec<_> = took.map(|(key, (s, times))| (key, s / f64::from(times.max(1)))).collect();
        if !took.is_empty() {
            self.durations.keep(took);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_how_long_steps_have_taken() {
        let mut clock = StageClock { stage: Stage::Weigh, began: Instant::now(), all_s: 10.0, begun_s: 0.0 };
        assert_eq!(clock.begin(1.0, 0.0), 10.0);
        assert_eq!(clock.begin(1.0, 1.0), 9.0);
        // Since then the stage has taken twice as long as expected.
        assert_eq!(clock.begin(4.0, 5.0), 16.0);
        assert!(clock.begin(9.0, 12.0) >= 9.0);
    }
}
