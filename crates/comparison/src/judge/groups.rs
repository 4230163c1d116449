//! Do the rounds of a cell fall into two groups, as processes of two kinds do?

use crate::model::RoundGroups;

/// Groups that are closer to each other than this share are not reported.
const SMALLEST_GAP: f64 = 0.01;

/// Two groups of ratios by their logarithms; `None` if one describes them, or if there are too few.
pub(super) fn groups(log_ratios: &[f64]) -> Option<RoundGroups> {
    let found = tlslab_stats::modes(log_ratios).ok()??;
    let (lower, upper) = (found.lower.exp(), found.upper.exp());
    (upper / lower >= 1.0 + SMALLEST_GAP).then_some(RoundGroups {
        lower,
        upper,
        upper_share: found.upper_share,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logs(ratios: &[f64]) -> Vec<f64> {
        ratios.iter().map(|ratio| ratio.ln()).collect()
    }

    #[test]
    fn two_kinds_of_rounds_are_two_groups() {
        let mut ratios = [0.999, 1.0, 1.001].repeat(4);
        ratios.extend([1.249, 1.25, 1.251, 1.25]);
        let found = groups(&logs(&ratios)).unwrap();
        assert!((found.lower - 1.0).abs() < 1e-3 && (found.upper - 1.25).abs() < 1e-3, "{found:?}");
        assert_eq!(found.upper_share, 0.25);
    }

    #[test]
    fn rounds_of_one_kind_groups_close_together_and_few_rounds_are_none() {
        let one: Vec<f64> = (0..32).map(|at| 1.0 + f64::from(at % 7) * 1e-3).collect();
        assert_eq!(groups(&logs(&one)), None);
        let mut near = [0.9999, 1.0, 1.0001].repeat(4);
        near.extend([1.0049, 1.005, 1.0051, 1.005]);
        assert_eq!(groups(&logs(&near)), None);
        assert_eq!(groups(&logs(&[1.0, 1.0, 1.5, 1.5])), None);
    }
}
