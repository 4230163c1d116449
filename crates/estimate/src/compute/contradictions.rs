//! Times that contradict the ratio next to them.

use tlslab_text::number::{counted, significant};

use crate::model::{Cell, Measured, Metric};

/// How far the quotient of two times may be from their ratio, as a share of it.
const NEGLIGIBLE: f64 = 0.01;

/// A warning if quotients of printed times lie outside the intervals of the printed ratios.
pub(super) fn warnings(cells: &[Cell]) -> Option<String> {
    let times = || cells.iter().filter(|cell| cell.metric == Metric::Time);
    let compared: Vec<(&Cell, &Measured, f64)> = times()
        .filter_map(|cell| {
            let measured = cell.outcome.measured()?;
            let baseline = &measured.ratio.as_ref()?.baseline;
            let is_its = |other: &&Cell| {
                (&other.stack, &other.scenario, other.side) == (baseline, &cell.scenario, cell.side)
            };
            let of_baseline = times().find(is_its)?.outcome.measured()?;
            Some((cell, measured, measured.estimated.value / of_baseline.estimated.value))
        })
        .collect();
    let contradicting = compared.iter().filter_map(|&(cell, measured, quotient)| {
        let ratio = &measured.ratio.as_ref()?.estimated;
        let interval = ratio.interval?;
        let is_outside = quotient < interval.lower || quotient > interval.upper;
        let distance = (quotient / ratio.value).ln().abs();
        (is_outside && distance > NEGLIGIBLE).then_some((distance, cell, quotient, ratio.value))
    });
    let contradicting: Vec<_> = contradicting.collect();
    let (_, cell, quotient, ratio) = contradicting.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(format!(
        "In {} of {} the quotient of the two times lies outside the interval of their ratio; largest difference: {}, {} of \
         {}, {} instead of {}. A time summarises the whole run, a ratio compares neighbouring turns: use the ratio.",
        contradicting.len(),
        counted(compared.len(), "cell"),
        cell.scenario,
        cell.side,
        cell.stack,
        significant(*quotient, 4),
        significant(*ratio, 4)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Estimated, Interval, Outcome, Ratio, Unit, Whose};

    fn estimated(value: f64, half: f64) -> Estimated {
        let interval = Interval { lower: value - half, upper: value + half, confidence: 0.99 };
        Estimated { n: 20, value, interval: Some(interval), no_interval: None }
    }

    fn cells(times: [f64; 2], ratio: f64) -> Vec<Cell> {
        let cell = |stack: &str, time, ratio: Option<f64>| Cell {
            scenario: "handshake".to_owned(),
            stack: stack.to_owned(),
            side: Whose::Server,
            metric: Metric::Time,
            unit: Unit::Microseconds,
            outcome: Outcome::Measured(Measured {
                estimated: estimated(time, 40.0),
                ratio: ratio
                    .map(|ratio| Ratio { baseline: "old".to_owned(), estimated: estimated(ratio, 0.011) }),
                no_ratio: None,
                modes: None,
            }),
            unverified: None,
            faults: None,
        };
        vec![cell("old", times[0], None), cell("new", times[1], Some(ratio))]
    }

    #[test]
    fn times_that_contradict_their_ratio_are_reported() {
        let said = warnings(&cells([166.0, 170.0], 1.061)).unwrap();
        assert!(said.starts_with("In 1 of 1 cell the quotient"), "{said}");
        assert!(said.contains("handshake, server of new, 1.024 instead of 1.061"), "{said}");
        assert_eq!(warnings(&cells([166.0, 176.0], 1.061)), None);
    }
}
