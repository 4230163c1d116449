//! Runs made by hand.

use std::collections::BTreeMap;

use tlslab_estimate::Whose;
use tlslab_protocol::Scenario;

use crate::observations::{Measure, Observations, Observed, Place};

/// A run that grows by one value at a time. Each stack is a separate library.
#[derive(Default)]
pub(crate) struct Model {
    pub observations: Observations,
    stacks: BTreeMap<String, usize>,
}

impl Model {
    pub(crate) fn scenario(&mut self, name: &str, scenario: Scenario) -> usize {
        self.observations.add_scenario(Scenario { name: name.to_owned(), ..scenario })
    }

    pub(crate) fn place(&mut self, stack: &str, scenario: usize, side: Whose, measure: Measure) -> Place {
        let observations = &mut self.observations;
        let known = self.stacks.entry(stack.to_owned());
        let stack = *known.or_insert_with(|| observations.add_stack(stack, stack));
        Place { stack, scenario, side, measure }
    }

    /// A time with an interval that reaches a share of it up and, in logarithms, as far down.
    pub(crate) fn time(&mut self, stack: &str, scenario: usize, side: Whose, value: f64, share: f64) {
        let place = self.place(stack, scenario, side, Measure::Time);
        let bounds = Some([value / (1.0 + share), value * (1.0 + share)]);
        self.observations.put(place, Observed { value, bounds });
    }

    /// A ratio to the baseline with such an interval.
    pub(crate) fn ratio(&mut self, stack: &str, scenario: usize, side: Whose, value: f64, share: f64) {
        let place = self.place(stack, scenario, side, Measure::Time);
        let bounds = Some([value / (1.0 + share), value * (1.0 + share)]);
        self.observations.put_ratio(place, Observed { value, bounds });
    }

    pub(crate) fn time_without_interval(&mut self, stack: &str, scenario: usize, side: Whose, value: f64) {
        let place = self.place(stack, scenario, side, Measure::Time);
        self.observations.put(place, Observed { value, bounds: None });
    }

    pub(crate) fn count(&mut self, stack: &str, scenario: usize, side: Whose, value: f64) {
        let place = self.place(stack, scenario, side, Measure::Instructions);
        self.observations.put(place, Observed { value, bounds: Some([value; 2]) });
    }
}
