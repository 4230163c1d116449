//! Points that can be compared with each other.

use rand_chacha::ChaCha8Rng;

use crate::divisive::{Cut, cuts};
use crate::level::level;
use crate::{Options, Point};

/// Neighbours that can be compared: of one epoch, or all with a reference.
#[derive(Debug)]
pub(crate) struct Stretch {
    /// The place of its first point, counted from 0.
    pub from: usize,
    /// The logarithms of its values, converted to the machine of its last points if it has a reference.
    pub logarithms: Vec<f64>,
    /// The reference's results; none without one.
    pub machine: Option<Machine>,
}

/// The results of a stretch's reference.
#[derive(Debug)]
pub(crate) struct Machine {
    /// The logarithms of the reference's values.
    pub logarithms: Vec<f64>,
    /// Where they changed; places count within the stretch.
    pub cuts: Vec<Cut>,
}

/// Whether neighbours can be compared.
pub(crate) fn comparable(a: &Point, b: &Point) -> bool {
    match (a.reference, b.reference) {
        _ if a.definition != b.definition => false,
        (Some(_), Some(_)) => true,
        (None, None) => a.epoch == b.epoch,
        _ => false,
    }
}

/// Cuts `points` where neighbours cannot be compared.
pub(crate) fn stretches(points: &[Point], options: &Options, random: &mut ChaCha8Rng) -> Vec<Stretch> {
    let mut from = 0;
    let of = |points: &[Point]| {
        let stretch = Stretch::of(from, points, options, random);
        from += points.len();
        stretch
    };
    points.chunk_by(comparable).map(of).collect()
}

impl Stretch {
    fn of(from: usize, points: &[Point], options: &Options, random: &mut ChaCha8Rng) -> Self {
        let logarithms: Vec<f64> = points.iter().map(|point| point.value.ln()).collect();
        let reference: Option<Vec<f64>> = points.iter().map(|point| Some(point.reference?.ln())).collect();
        let Some(reference) = reference else { return Self { from, logarithms, machine: None } };
        let cuts = cuts(&reference, options, random);
        let last = level(&reference[cuts.last().map_or(0, |cut| cut.at)..]);
        let logarithms = logarithms
            .iter()
            .zip(&reference)
            .map(|(value, machine)| rounded(value - machine + last))
            .collect();
        Self { from, logarithms, machine: Some(Machine { logarithms: reference, cuts }) }
    }
}

/// To 10⁻¹²: if neither the series nor the reference scatters, rounding errors of the division would be
/// changes.
fn rounded(logarithm: f64) -> f64 {
    (logarithm * 1e12).round() / 1e12
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::tested::TESTED;

    #[test]
    fn what_never_varies_does_not_vary_beside_a_machine_that_did() {
        // Counts of a machine that became 7 % slower by the reference and by the series alike.
        let point = |at: usize| {
            let slower = if at < 12 { 1.0 } else { 1.07 };
            Point {
                label: at.to_string(),
                value: 3.3 * slower,
                seen: None,
                reference: Some(0.7 * slower),
                epoch: "one".to_owned(),
                definition: String::new(),
            }
        };
        let points: Vec<Point> = (0..24).map(point).collect();
        let random = &mut ChaCha8Rng::seed_from_u64(1);
        let stretch = Stretch::of(0, &points, &TESTED, random);
        assert_eq!(stretch.machine.as_ref().unwrap().cuts.len(), 1);
        assert_eq!(stretch.logarithms, vec![stretch.logarithms[0]; 24]);
        assert!(cuts(&stretch.logarithms, &TESTED, random).is_empty());
    }
}
