//! The durations of a job's phases, before it begins.

use tlslab_protocol::Scenario;
use tlslab_recipe::StackRequest;
use tlslab_record::CountPlan;

use crate::progress::durations::Durations;
use crate::progress::event::Stage;
use crate::progress::phase::Phase;

/// The time of a fresh process and its calibration, s: for a driver in C or Rust on an otherwise idle
/// machine.
pub(crate) const PROCESS_S: f64 = 0.03;

/// The cells of a job, for the phases that have steps for each of them.
pub(crate) struct Cells<'c> {
    /// The known durations.
    pub durations: &'c Durations,
    /// The recipes' names.
    pub stacks: Vec<String>,
    /// The scenarios.
    pub scenarios: &'c [Scenario],
}

impl Cells<'_> {
    /// A phase with some steps for each cell.
    pub(crate) fn phase(&self, stage: Stage, key: &str, steps: impl Fn(&Scenario) -> usize) -> Phase {
        let mut phase = Phase { steps: Some(0), ..Phase::timed(stage.name(), 0.0) };
        let mut all = 0;
        for scenario in self.scenarios {
            for stack in &self.stacks {
                let expected = self.durations.expected(key, stack, &scenario.name);
                let steps = steps(scenario);
                phase.about_s += expected.s * steps as f64;
                phase.is_from_here &= expected.is_from_here || steps == 0;
                all += if expected.s > 0.0 { steps } else { 0 };
            }
        }
        Phase { steps: Some(all), ..phase }
    }
}

/// A stack's recipe name in the request, which versions, sources and builds share.
pub(crate) fn recipe_of(stack: &str) -> String {
    StackRequest::parse(stack).map_or_else(|_| stack.to_owned(), |asked| asked.spec.name)
}

/// The key of a stage's durations: each kind of counter has its own speed.
pub(crate) fn key_of(stage: Stage, counting: Option<&CountPlan>) -> String {
    match (stage, counting) {
        (Stage::Count, Some(counting)) => {
            format!("{} {:?}", stage.name(), counting.counter.kind).to_lowercase()
        }
        _ => stage.name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_in_any_version_and_build_shares_its_durations() {
        let names = ["openssl", "old=openssl@3.0.8+lto", "openssl@path:../x"].map(recipe_of);
        assert_eq!(names, ["openssl"; 3]);
    }
}
