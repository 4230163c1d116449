//! The distribution of a standardised sum under the null hypothesis: the recursive integration for
//! [`crate::Sequential`].
//!
//! At information t the sum is normal with variance t, and its later increments are independent of it. The
//! density of the sums that have crossed no boundary yet is carried from look to look on a grid.
//! Source: Armitage, McPherson & Rowe, "Repeated significance tests on accumulating data", Journal of the
//! Royal Statistical Society A 132 (1969).

use std::f64::consts::PI;

use crate::normal::normal_cdf;

/// The sums that reach a look, because no earlier look has stopped them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Paths {
    /// Information at this look.
    information: f64,
    /// The standard deviation of the sum's increment between the look before and this one.
    step: f64,
    /// The sums at the look before, ascending, each with its share of the probability.
    starts: Vec<(f64, f64)>,
}

impl Paths {
    /// The sums at the first look, at `information` above 0: all of them.
    pub(crate) fn to_first_look(information: f64) -> Self {
        Self { information, step: information.sqrt(), starts: vec![(0.0, 1.0)] }
    }

    /// The sums that this look does not stop (|z| < `boundary`), at the next look, which has more
    /// `information`.
    pub(crate) fn to_next_look(&self, boundary: f64, information: f64) -> Self {
        let step = (information - self.information).sqrt();
        let limit = boundary.min(FARTHEST) * self.information.sqrt();
        let halves = (limit * CELLS_PER_STEP / self.step.min(step)).ceil().max(1.0) as usize;
        let width = limit / halves as f64;
        let starts = (0..=2 * halves).map(|place| {
            let sum = width * (place as f64 - halves as f64);
            // Simpson's rule: 1, 4, 2, 4, …, 2, 4, 1 thirds.
            let weight = if place == 0 || place == 2 * halves { 1.0 } else { 2.0 + 2.0 * (place % 2) as f64 };
            (sum, weight * width / 3.0 * self.density(sum))
        });
        Self { information, step, starts: starts.collect() }
    }

    /// The probability that they reach this look with |z| ≥ `boundary`. As the starts are symmetric about 0,
    /// it is twice that of z ≥ `boundary`.
    pub(crate) fn crossing(&self, boundary: f64) -> f64 {
        let limit = boundary * self.information.sqrt();
        let first = self.starts.partition_point(|(start, _)| *start < limit - FARTHEST * self.step);
        let above = |(start, share): &(f64, f64)| share * normal_cdf((start - limit) / self.step);
        2.0 * self.starts[first..].iter().map(above).sum::<f64>()
    }

    /// The |z| that they reach or exceed with `probability`, by bisection.
    pub(crate) fn boundary(&self, probability: f64) -> f64 {
        let (mut low, mut high) = (0.0, FARTHEST);
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(low, high);
            if self.crossing(middle) > probability { low = middle } else { high = middle }
        }
        high
    }

    /// The density of their sums at this look.
    fn density(&self, sum: f64) -> f64 {
        let reach = FARTHEST * self.step;
        let first = self.starts.partition_point(|(start, _)| *start < sum - reach);
        let near = self.starts[first..].iter().take_while(|(start, _)| *start <= sum + reach);
        let bells = near.map(|(start, share)| share * (-0.5 * ((sum - start) / self.step).powi(2)).exp());
        bells.sum::<f64>() / (self.step * (2.0 * PI).sqrt())
    }
}

/// In standard deviations; beyond it lies less than 1 in 10¹⁸.
const FARTHEST: f64 = 9.0;

/// Cells of the grid in the standard deviation of a step; Simpson's rule then errs by about 1 in 10⁸.
const CELLS_PER_STEP: f64 = 24.0;

const BISECTIONS: u32 = 60;

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability of crossing any of `boundaries` at equally spaced looks.
    fn any(boundaries: &[f64]) -> f64 {
        let mut paths = Paths::to_first_look(1.0);
        let mut crossed = 0.0;
        for (look, &boundary) in (2..).zip(boundaries) {
            crossed += paths.crossing(boundary);
            paths = paths.to_next_look(boundary, f64::from(look));
        }
        crossed
    }

    /// Jennison & Turnbull, "Group sequential methods with applications to clinical trials" (2000), tables
    /// 2.1 and 2.3.
    #[test]
    fn constants_of_pocock_and_of_obrien_and_fleming() {
        for (looks, pocock, obrien_fleming) in [(2, 2.178, 1.977), (4, 2.361, 2.024), (5, 2.413, 2.040)] {
            assert!((any(&vec![pocock; looks]) - 0.05).abs() < 2e-4, "{looks}");
            let falling: Vec<f64> =
                (1..=looks).map(|look| obrien_fleming * (looks as f64 / look as f64).sqrt()).collect();
            assert!((any(&falling) - 0.05).abs() < 2e-4, "{looks}");
        }
    }

    /// Armitage, McPherson & Rowe (1969), table 2: 1.96 at each of five looks errs with 14.2 %, at each of
    /// ten with 19.3 %.
    #[test]
    fn looking_often_without_a_design() {
        for (looks, errs) in [(1, 0.05), (2, 0.083), (5, 0.142), (10, 0.193)] {
            assert!(
                (any(&vec![1.96; looks]) - errs).abs() < 5e-4,
                "{looks} looks: {}",
                any(&vec![1.96; looks])
            );
        }
    }

    #[test]
    fn no_path_is_lost() {
        let mut paths = Paths::to_first_look(0.1);
        for information in [0.2, 0.21, 0.5, 1.0] {
            paths = paths.to_next_look(f64::INFINITY, information);
            assert!((paths.crossing(0.0) - 1.0).abs() < 1e-7, "{information}: {}", paths.crossing(0.0));
            assert!((paths.crossing(1.96) - 2.0 * normal_cdf(-1.96)).abs() < 1e-8);
        }
    }
}
