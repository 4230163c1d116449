//! The values of a run, as rules see them: by stack, scenario, side and measure.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_estimate::{Metric, Modes, Quantity, Report, Whose};
use tlslab_protocol::{Scenario, Side};

use crate::anomaly::{CellName, Evidence};

/// The metric of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// Time; of both sides together by a clock on the wall.
    Time,
    /// Instructions.
    Instructions,
}

impl Measure {
    /// Both, times first.
    pub const ALL: [Self; 2] = [Self::Time, Self::Instructions];

    /// The metric's name.
    pub(crate) fn metric(self, side: Whose) -> &'static str {
        match (self, side) {
            (Self::Time, Whose::Both) => Metric::Wall.name(),
            (Self::Time, _) => Metric::Time.name(),
            (Self::Instructions, _) => "count.instructions",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Time => "µs",
            Self::Instructions => "instructions",
        }
    }
}

/// Where a value belongs. Stacks and scenarios are named by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The stack.
    pub stack: usize,
    /// The scenario.
    pub scenario: usize,
    /// The side.
    pub side: Whose,
    /// The measure.
    pub measure: Measure,
}

/// A value with its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// The value: µs or instructions.
    pub value: f64,
    /// The ends of its interval; of counts the smallest and the largest.
    pub bounds: Option<[f64; 2]>,
}

impl Observed {
    /// The natural logarithm.
    pub(crate) fn ln(self) -> f64 {
        self.value.ln()
    }

    /// The distance of the farther bound from the value, in logarithms.
    pub(crate) fn noise(self) -> Option<f64> {
        let [lower, upper] = self.bounds?;
        Some((upper / self.value).ln().max((self.value / lower).ln()).max(0.0))
    }

    fn is_usable(self) -> bool {
        let is_positive = |value: f64| value > 0.0 && value.is_finite();
        is_positive(self.value) && self.bounds.is_none_or(|bounds| bounds.into_iter().all(is_positive))
    }
}

/// A cell whose processes fall into two groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speeds {
    /// The cell.
    pub place: Place,
    /// The two groups: ratios to the baseline, or µs.
    pub modes: Modes,
}

/// The values of a run.
#[derive(Clone, Debug, Default)]
pub struct Observations {
    scenarios: Vec<Scenario>,
    stacks: Vec<Stack>,
    values: BTreeMap<Place, Observed>,
    /// The noise of ratios to the baseline, which was measured in the same rounds.
    ratio_noises: BTreeMap<Place, f64>,
    speeds: Vec<Speeds>,
    /// The stack that the groups' ratios are to.
    baseline: Option<usize>,
    /// The counter, if it counted other code than runs on the host.
    emulator: Option<String>,
}

#[derive(Clone, Debug)]
struct Stack {
    name: String,
    library: String,
}

impl Observations {
    /// Of a run.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let mut all = Self {
            scenarios: report.scenarios.iter().map(|scenario| scenario.resolved.clone()).collect(),
            emulator: report
                .run
                .counter
                .as_ref()
                .filter(|counter| !counter.native)
                .map(|counter| counter.name.clone()),
            ..Self::default()
        };
        for stack in &report.stacks {
            let library = stack.library().map_or(stack.name.clone(), |library| library.name.clone());
            all.add_stack(&stack.name, &library);
        }
        let scenarios: BTreeMap<String, usize> =
            all.scenarios.iter().enumerate().map(|(at, scenario)| (scenario.name.clone(), at)).collect();
        let stacks: BTreeMap<String, usize> =
            all.stacks.iter().enumerate().map(|(at, stack)| (stack.name.clone(), at)).collect();
        let place = |stack: &str, scenario: &str, side, measure| {
            Some(Place { stack: *stacks.get(stack)?, scenario: *scenarios.get(scenario)?, side, measure })
        };
        for cell in &report.cells {
            let is_whole = match cell.side {
                Whose::Both => cell.metric == Metric::Wall,
                Whose::Client | Whose::Server => cell.metric == Metric::Time,
            };
            let measured = cell.outcome.measured().filter(|_| is_whole);
            let place = place(&cell.stack, &cell.scenario, cell.side, Measure::Time);
            let (Some(measured), Some(place)) = (measured, place) else { continue };
            let bounds = measured.estimated.interval.map(|interval| [interval.lower, interval.upper]);
            all.put(place, Observed { value: measured.estimated.value, bounds });
            if let Some(ratio) = &measured.ratio {
                let bounds = ratio.estimated.interval.map(|interval| [interval.lower, interval.upper]);
                all.put_ratio(place, Observed { value: ratio.estimated.value, bounds });
            }
            let baseline = measured.ratio.as_ref().and_then(|ratio| stacks.get(&ratio.baseline));
            all.baseline = all.baseline.or(baseline.copied());
            all.speeds.extend(measured.modes.map(|modes| Speeds { place, modes }));
        }
        for cell in report.exact.iter().filter(|cell| cell.metric == "count.instructions") {
            let tlslab_estimate::ExactOutcome::Measured(value) = &cell.outcome else { continue };
            let place = place(&cell.stack, &cell.scenario, cell.side.into(), Measure::Instructions);
            let Some(place) = place else { continue };
            all.put(place, Observed { value: value.value, bounds: Some([value.minimum, value.maximum]) });
        }
        all
    }

    /// Adds a stack of a library; its place.
    pub fn add_stack(&mut self, name: &str, library: &str) -> usize {
        self.stacks.push(Stack { name: name.to_owned(), library: library.to_owned() });
        self.stacks.len() - 1
    }

    /// Adds a scenario; its place.
    pub fn add_scenario(&mut self, scenario: Scenario) -> usize {
        self.scenarios.push(scenario);
        self.scenarios.len() - 1
    }

    /// Adds a value. A value without a logarithm is ignored.
    pub fn put(&mut self, place: Place, observed: Observed) {
        if observed.is_usable() {
            self.values.insert(place, observed);
        }
    }

    /// Adds the ratio of a value to that of the baseline.
    pub(crate) fn put_ratio(&mut self, place: Place, ratio: Observed) {
        if let Some(noise) = ratio.noise().filter(|_| ratio.is_usable()) {
            self.ratio_noises.insert(place, noise);
        }
    }

    /// The noise of a value, for a comparison with those of other stacks: that of its ratio to the baseline
    /// where this is smaller, as what slows the host down for a while is in the values of all stacks.
    pub(crate) fn noise_beside_others(&self, place: Place) -> Option<f64> {
        let ratio = self.ratio_noises.get(&place).copied();
        self.get(place)?.noise().into_iter().chain(ratio).reduce(f64::min)
    }

    /// Whether any value is of the same stack, scenario, side and measure.
    pub fn shares_cells_with(&self, other: &Self) -> bool {
        let cells =
            |all: &Self| all.values.keys().map(|place| all.cell(*place)).collect::<BTreeSet<CellName>>();
        !cells(self).is_disjoint(&cells(other))
    }

    /// Adds a cell whose processes fall into two groups.
    pub fn put_speeds(&mut self, speeds: Speeds) {
        self.speeds.push(speeds);
    }

    /// Says to which stack the groups' ratios are.
    #[cfg(test)]
    pub(crate) fn set_baseline(&mut self, stack: usize) {
        self.baseline = Some(stack);
    }

    /// The stack that the groups' ratios are to.
    pub(crate) fn baseline(&self) -> Option<usize> {
        self.baseline
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// How many stacks have any.
    pub(crate) fn stacks_with_values(&self) -> usize {
        let with_any = |stack: &usize| self.values.keys().any(|place| place.stack == *stack);
        (0..self.stacks.len()).filter(with_any).count()
    }

    /// The names of the stacks.
    pub fn stacks(&self) -> impl Iterator<Item = &str> {
        self.stacks.iter().map(|stack| stack.name.as_str())
    }

    pub(crate) fn scenarios(&self) -> &[Scenario] {
        &self.scenarios
    }

    pub(crate) fn scenario(&self, place: Place) -> &Scenario {
        &self.scenarios[place.scenario]
    }

    pub(crate) fn speeds(&self) -> &[Speeds] {
        &self.speeds
    }

    pub(crate) fn emulator(&self) -> Option<&str> {
        self.emulator.as_deref()
    }

    /// The library of a stack, as it reports itself.
    pub(crate) fn library(&self, stack: usize) -> &str {
        &self.stacks[stack].library
    }

    pub(crate) fn get(&self, place: Place) -> Option<Observed> {
        self.values.get(&place).copied()
    }

    /// Every value with its place.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Place, Observed)> {
        self.values.iter().map(|(place, observed)| (*place, *observed))
    }

    /// The values of one scenario.
    pub(crate) fn of_scenario(&self, scenario: usize) -> impl Iterator<Item = (Place, Observed)> {
        let sides = [Whose::Client, Whose::Server, Whose::Both];
        let places = (0..self.stacks.len()).flat_map(move |stack| {
            sides.into_iter().flat_map(move |side| {
                Measure::ALL.into_iter().map(move |measure| Place { stack, scenario, side, measure })
            })
        });
        places.filter_map(|place| Some((place, self.get(place)?)))
    }

    /// The values of every stack in one scenario, side and measure.
    pub(crate) fn of_all_stacks(&self, place: Place) -> impl Iterator<Item = (Place, Observed)> {
        let at = move |stack| Place { stack, ..place };
        (0..self.stacks.len()).filter_map(move |stack| Some((at(stack), self.get(at(stack))?)))
    }

    pub(crate) fn cell(&self, place: Place) -> CellName {
        CellName {
            scenario: self.scenario(place).name.clone(),
            stack: self.stacks[place.stack].name.clone(),
            side: place.side,
            metric: place.measure.metric(place.side).to_owned(),
        }
    }

    /// A value as evidence.
    pub(crate) fn evidence(&self, place: Place) -> Option<Evidence> {
        let observed = self.get(place)?;
        let CellName { scenario, stack, side, .. } = self.cell(place);
        Some(Evidence {
            what: format!("{stack}: {scenario}, {side}"),
            figure: quantity(place.measure, observed),
        })
    }

    /// A value as text.
    pub(crate) fn text(&self, place: Place) -> String {
        let Some(observed) = self.get(place) else { return "no value".to_owned() };
        quantity(place.measure, observed).text()
    }
}

fn quantity(measure: Measure, observed: Observed) -> Quantity {
    let [lower, upper] = observed.bounds.map_or([None; 2], |bounds| bounds.map(Some));
    Quantity { value: observed.value, lower, upper, unit: measure.unit().to_owned() }
}

/// The side as a report names it.
pub(crate) fn whose(side: Side) -> Whose {
    side.into()
}
