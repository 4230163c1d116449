//! A run's figures, from its report.

use tlslab_estimate::{ExactOutcome, ExactUnit, Outcome, Report};
use tlslab_record::{
    Figure, FigureOutcome, FigureValue, Plan, SIZE_SCENARIO, Series, StackRecord, StackState,
};

use super::class::runner_class;
use super::epoch::epoch;

/// The name of a stack across its versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesName {
    /// The recipe's name and variants.
    pub name: String,
    /// The version or revision.
    pub label: String,
}

/// Every cell of a report as a figure, including holes. `name` gives a stack's name across its versions.
pub fn figures(plan: &Plan, report: &Report, name: impl Fn(&StackRecord) -> SeriesName) -> Vec<Figure> {
    let class = runner_class(&plan.host);
    let names: Vec<SeriesName> = plan.stacks.iter().map(&name).collect();
    let figure = |scenario: &str, stack: &str, side: &str, metric: &str, unit: &str, outcome| {
        let place = plan.stacks.iter().position(|taking_part| taking_part.name == stack)?;
        let SeriesName { name, label } = names[place].clone();
        let (scenario, side) = (scenario.to_owned(), side.to_owned());
        let (metric, unit, class) = (metric.to_owned(), unit.to_owned(), class.clone());
        let epoch = epoch(plan, &scenario, &plan.stacks[place], &metric);
        let series = Series { scenario, stack: name, side, metric, unit, class };
        let outcome = storable(of_whole_stack(&plan.stacks[place]).unwrap_or(outcome));
        Some(Figure { series, stack: stack.to_owned(), place: place as u32, label, epoch, outcome })
    };
    let timed = report.cells.iter().filter_map(|cell| {
        let outcome = match &cell.outcome {
            Outcome::Measured(measured) => {
                let interval = measured.estimated.interval;
                FigureOutcome::Value(FigureValue {
                    value: measured.estimated.value,
                    lower: interval.map(|interval| interval.lower),
                    upper: interval.map(|interval| interval.upper),
                    n: measured.estimated.n as u64,
                })
            }
            other => hole(other.hole()),
        };
        let (metric, unit) = (cell.metric.name(), cell.unit.symbol());
        figure(&cell.scenario, &cell.stack, cell.side.name(), metric, unit, outcome)
    });
    let exact = report.exact.iter().filter_map(|cell| {
        let outcome = match &cell.outcome {
            ExactOutcome::Measured(exact) => FigureOutcome::Value(FigureValue {
                value: exact.value,
                lower: Some(exact.minimum),
                upper: Some(exact.maximum),
                n: exact.n as u64,
            }),
            other => hole(other.hole()),
        };
        let side = cell.side.to_string();
        figure(&cell.scenario, &cell.stack, &side, &cell.metric, cell.unit.symbol(), outcome)
    });
    let sizes =
        report.sizes.iter().flat_map(|size| size.figures().map(|(metric, outcome)| (size, metric, outcome)));
    let sizes = sizes.filter_map(|(size, metric, outcome)| {
        let value = outcome.bytes().map(|bytes| {
            let value = bytes as f64;
            FigureOutcome::Value(FigureValue { value, lower: Some(value), upper: Some(value), n: 1 })
        });
        let outcome = value.unwrap_or_else(|| hole(outcome.hole()));
        figure(SIZE_SCENARIO, &size.stack, "", metric, ExactUnit::Bytes.symbol(), outcome)
    });
    timed.chain(exact).chain(sizes).collect()
}

/// The beginning of the reason why a stack could not be measured, and the first error under it.
pub fn first_error(reason: &str) -> String {
    const ERRORS: [&str; 2] = [": error:", "undefined reference"];
    let mut lines = reason.lines().map(|line| line.trim_start_matches([' ', '|']));
    let first = lines.next().unwrap_or_default();
    let is_error = |line: &&str| line.starts_with("error") || ERRORS.iter().any(|error| line.contains(error));
    lines.find(is_error).map_or_else(|| first.to_owned(), |error| format!("{first}: {error}"))
}

/// The common outcome of all cells of a stack that could not be measured.
fn of_whole_stack(stack: &StackRecord) -> Option<FigureOutcome> {
    match &stack.state {
        StackState::Failed(reason) => Some(FigureOutcome::Failed { failed: first_error(reason) }),
        StackState::Ready(_) => None,
    }
}

fn hole(why: Option<(&'static str, &str)>) -> FigureOutcome {
    match why {
        Some(("unsupported", reason)) => FigureOutcome::Unsupported { unsupported: reason.to_owned() },
        Some((_, reason)) => FigureOutcome::Failed { failed: reason.to_owned() },
        None => FigureOutcome::Failed { failed: "it has neither a value nor a reason".to_owned() },
    }
}

/// A database rejects values that are not numbers, and text with zero bytes.
fn storable(outcome: FigureOutcome) -> FigureOutcome {
    let clean = |reason: String| reason.replace('\0', "\u{fffd}");
    match outcome {
        FigureOutcome::Value(value) if !value.value.is_finite() => {
            FigureOutcome::Failed { failed: format!("its value is {}", value.value) }
        }
        FigureOutcome::Value(value) => {
            let finite = |bound: Option<f64>| bound.filter(|bound| bound.is_finite());
            FigureOutcome::Value(FigureValue {
                lower: finite(value.lower),
                upper: finite(value.upper),
                ..value
            })
        }
        FigureOutcome::Unsupported { unsupported } => {
            FigureOutcome::Unsupported { unsupported: clean(unsupported) }
        }
        FigureOutcome::Failed { failed } => FigureOutcome::Failed { failed: clean(failed) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_that_was_not_built_has_the_first_error_as_its_reason() {
        let log = "not built: driver: `cargo` failed: exit status 101\n  log: a.log\n  | Compiling x\n  | error[E0432]: unresolved import";
        assert_eq!(
            first_error(log),
            "not built: driver: `cargo` failed: exit status 101: error[E0432]: unresolved import"
        );
        assert_eq!(
            first_error("not built: no source\n  | a.c:3:1: error: no"),
            "not built: no source: a.c:3:1: error: no"
        );
        assert_eq!(first_error("it does not answer"), "it does not answer");
        let linked = "not built\n  | /usr/bin/ld: a.c:1: undefined reference to `f'\n  | collect2: error: ld returned 1 exit status";
        assert_eq!(first_error(linked), "not built: /usr/bin/ld: a.c:1: undefined reference to `f'");
    }
}
