//! Detection of bimodal values, such as times of processes that fall into two groups.

use crate::Refused;

/// Two groups of values, the lower first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// The lower group's mean, in the values' unit.
    pub lower: f64,
    /// The upper group's mean, in the values' unit.
    pub upper: f64,
    /// The share of values in the upper group, 0 to 1.
    pub upper_share: f64,
    /// The distance of the means in standard deviations within the groups.
    pub separation: f64,
}

/// Samples with fewer values are rejected.
const FEWEST: usize = 12;
/// The smallest share of the values that makes a group. Smaller ones are mostly chance: of 23 groups of three
/// in sixteen processes, in 1,386 cells of each of two runs of the same work on hosts of one kind, none was
/// in both.
const SMALLEST_SHARE: f64 = 0.25;
/// The separation from which there are two groups. Fewer than 1 in 100 samples of 12 to 64 values from one
/// group (normal, Student's t with 3 degrees, lognormal with 0.5) are separated that far, and 1.6 in 100
/// samples of twelve exponential values; see the simulations.
const SEPARATION: f64 = 6.5;

/// Finds two groups in `values`; `None` if one group describes them.
///
/// The values are cut in two where the sum of squares within the groups is least (Fisher, 1958, "On grouping
/// for maximum homogeneity"). The means of the groups must then lie at least 6.5 pooled standard deviations
/// apart. Values of one normal group that are cut in the middle lie 2.6 apart.
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are fewer than 12 values, and with [`Refused::NotFinite`].
pub fn modes(values: &[f64]) -> Result<Option<Modes>, Refused> {
    if values.len() < FEWEST {
        return Err(Refused::TooFew { n: values.len(), needed: FEWEST });
    }
    if let Some((index, &value)) = values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        return Err(Refused::NotFinite { index, value });
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let smallest = (SMALLEST_SHARE * n as f64).ceil() as usize;
    let cut = (smallest..=n - smallest)
        .map(|at| (at, squares(&sorted[..at]) + squares(&sorted[at..])))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((at, within)) = cut else { return Ok(None) };
    let (lower, upper) = (mean(&sorted[..at]), mean(&sorted[at..]));
    let deviation = (within / (n - 2) as f64).sqrt();
    let separation = if deviation > 0.0 { (upper - lower) / deviation } else { f64::INFINITY };
    if upper <= lower || separation < SEPARATION {
        return Ok(None);
    }
    Ok(Some(Modes { lower, upper, upper_share: (n - at) as f64 / n as f64, separation }))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ratios of times of sixteen processes each, in two runs in which some processes were a third slower
    /// than the others.
    const FIRST: [f64; 16] = [
        0.380, 0.375, 0.488, 0.498, 0.503, 0.373, 0.367, 0.376, 0.500, 0.383, 0.383, 0.384, 0.382, 0.369,
        0.381, 0.367,
    ];
    const SECOND: [f64; 16] = [
        0.388, 0.488, 0.378, 0.457, 0.389, 0.372, 0.373, 0.380, 0.373, 0.386, 0.381, 0.552, 0.501, 0.383,
        0.387, 0.385,
    ];

    #[test]
    fn worked_by_hand() {
        // Nine values of 1 and three of 2, each group with a spread of 0.01 up and down: the means are 1 and 2.
        let mut values = [0.99, 1.0, 1.01].repeat(3);
        values.extend([1.99, 2.0, 2.01]);
        let found = modes(&values).unwrap().unwrap();
        assert!((found.lower - 1.0).abs() < 1e-12 && (found.upper - 2.0).abs() < 1e-12);
        assert_eq!(found.upper_share, 0.25);
        // Sum of squares 8 · 0.0001 over 10 degrees of freedom.
        assert!((found.separation - 1.0 / (8e-4_f64 / 10.0).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn processes_of_two_kinds_are_seen() {
        // As a report takes them, in logarithms.
        let logs = |ratios: [f64; 16]| ratios.map(f64::ln);
        let found = modes(&logs(FIRST)).unwrap().unwrap();
        assert_eq!(found.upper_share, 0.25);
        let centres = (found.lower.exp(), found.upper.exp());
        assert!((centres.0 - 0.3767).abs() < 1e-4 && (centres.1 - 0.4972).abs() < 1e-4, "{centres:?}");
        assert_eq!(modes(&logs(SECOND)).unwrap().unwrap().upper_share, 0.25);
    }

    #[test]
    fn three_slow_processes_of_sixteen_are_no_group() {
        let mut values = [0.99, 1.0, 1.01].repeat(4);
        values.extend([1.0, 1.99, 2.0, 2.01]);
        assert_eq!(modes(&values).unwrap(), None);
        values[0] = 2.0;
        assert_eq!(modes(&values).unwrap().unwrap().upper_share, 0.25);
    }

    #[test]
    fn awkward_values_have_one_group_or_a_reason() {
        assert_eq!(modes(&[1.0; 20]).unwrap(), None);
        assert!(modes(&[1.0; 11]).is_err());
        let mut values = vec![1.0; 15];
        values.push(f64::NAN);
        assert!(modes(&values).is_err());
        // A single slower process is not a group.
        *values.last_mut().unwrap() = 9.0;
        assert_eq!(modes(&values).unwrap(), None);
    }
}
