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
    /// The logarithms of its values, as on the machine of its last points where it has a reference.
    pub logarithms: Vec<f64>,
    /// What the reference showed; none without one.
    pub machine: Option<Machine>,
}

/// What the reference of a stretch showed.
#[derive(Debug)]
pub(crate) struct Machine {
    /// The logarithms of the reference's values.
    pub logarithms: Vec<f64>,
    /// Where they changed; places count within the stretch.
    pub cuts: Vec<Cut>,
}

/// Cuts `points` where neighbours cannot be compared.
pub(crate) fn stretches(points: &[Point], options: &Options, random: &mut ChaCha8Rng) -> Vec<Stretch> {
    let comparable = |a: &Point, b: &Point| match (a.reference, b.reference) {
        (Some(_), Some(_)) => true,
        (None, None) => a.epoch == b.epoch,
        _ => false,
    };
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
        let logarithms =
            logarithms.iter().zip(&reference).map(|(value, machine)| value - machine + last).collect();
        Self { from, logarithms, machine: Some(Machine { logarithms: reference, cuts }) }
    }
}
