//! The expectation from other libraries.

use std::collections::BTreeMap;

use tlslab_stats::{median, median_deviation};

use crate::observations::Observations;

/// With fewer other libraries there is no expectation.
const FEWEST: usize = 3;

/// The expectation from other libraries, in logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Others {
    /// The median.
    pub middle: f64,
    /// Their scatter around it, as a standard deviation.
    pub spread: f64,
    /// How many libraries.
    pub libraries: usize,
}

/// The expectation from libraries other than that of `stack`, each by the median of its stacks: several
/// builds of one library count once.
pub(crate) fn others(observations: &Observations, stack: usize, values: &[(usize, f64)]) -> Option<Others> {
    let own = observations.library(stack);
    let mut libraries: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (of, value) in values.iter().filter(|(of, _)| observations.library(*of) != own) {
        libraries.entry(observations.library(*of)).or_default().push(*value);
    }
    let medians: Vec<f64> = libraries.values().filter_map(|values| median(values).ok()).collect();
    (medians.len() >= FEWEST).then_some(())?;
    Some(Others {
        middle: median(&medians).ok()?,
        spread: median_deviation(&medians).ok()?,
        libraries: medians.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_has_one_voice_and_none_about_itself() {
        let mut observations = Observations::default();
        let stacks = [("a", "A"), ("b1", "B"), ("b2", "B"), ("b3", "B"), ("c", "C"), ("d", "D")];
        let at: Vec<usize> =
            stacks.iter().map(|(name, library)| observations.add_stack(name, library)).collect();
        let values = [(at[0], 9.0), (at[1], 1.0), (at[2], 1.0), (at[3], 7.0), (at[4], 2.0), (at[5], 3.0)];
        let found = others(&observations, at[0], &values).unwrap();
        assert_eq!((found.middle, found.libraries), (2.0, 3));
        // Without B there are A, C and D.
        assert_eq!(others(&observations, at[1], &values).unwrap().middle, 3.0);
        assert_eq!(others(&observations, at[0], &values[..5]), None, "two other libraries are too few");
    }
}
