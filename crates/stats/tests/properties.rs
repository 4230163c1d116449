//! What must hold for any values: moved, scaled, shuffled, and at any confidence.

use proptest::prelude::*;
use tlslab_stats::*;

proptest! {
    #[test]
    fn moving_the_values_moves_every_estimate(values in values(8..40), by in -1e3..1e3_f64) {
        let moved: Vec<f64> = values.iter().map(|value| value + by).collect();
        for (before, after) in locations(&values).into_iter().zip(locations(&moved)) {
            prop_assert!((before + by - after).abs() < 1e-9, "{before} + {by} is not {after}");
        }
        let spread = standard_deviation(&values).unwrap();
        prop_assert!((spread - standard_deviation(&moved).unwrap()).abs() < 1e-9);
    }

    #[test]
    fn scaling_the_values_scales_every_estimate(values in values(8..40), by in 1e-3..1e3_f64) {
        let scaled: Vec<f64> = values.iter().map(|value| value * by).collect();
        for (before, after) in locations(&values).into_iter().zip(locations(&scaled)) {
            prop_assert!((before * by - after).abs() < 1e-7, "{before} · {by} is not {after}");
        }
        let effect = minimum_detectable_effect(&values, 0.05).unwrap();
        prop_assert!((effect * by - minimum_detectable_effect(&scaled, 0.05).unwrap()).abs() < 1e-7);
    }

    #[test]
    fn turning_the_sign_turns_the_interval(values in values(8..40)) {
        let turned: Vec<f64> = values.iter().map(|value| -value).collect();
        let (there, back) = (estimate(&values, 0.9).unwrap(), estimate(&turned, 0.9).unwrap());
        prop_assert_eq!((there.lower, there.value, there.upper), (-back.upper, -back.value, -back.lower));
    }

    #[test]
    fn the_order_of_the_values_does_not_matter(
        (values, shuffled) in values(8..40).prop_flat_map(|v| (Just(v.clone()), Just(v).prop_shuffle()))
    ) {
        prop_assert_eq!(locations(&values), locations(&shuffled));
        prop_assert_eq!(standard_deviation(&values), standard_deviation(&shuffled));
        prop_assert_eq!(summarise(&values, 9.try_into().ok()), summarise(&shuffled, 9.try_into().ok()));
    }

    #[test]
    fn the_interval_holds_the_estimate_at_no_less_than_the_confidence(
        values in values(1..80), confidence in 0.01..0.999
    ) {
        match estimate(&values, confidence) {
            Ok(Estimate { n, value, lower, upper, confidence: achieved }) => {
                prop_assert_eq!(n, values.len());
                prop_assert!(lower <= value && value <= upper, "{} {} {}", lower, value, upper);
                prop_assert!((confidence - 1e-9..1.0).contains(&achieved));
            }
            Err(refused) => {
                let needed = needed_n(confidence).unwrap();
                prop_assert!(values.len() < needed);
                prop_assert_eq!(refused, Refused::TooFew { n: values.len(), needed });
            }
        }
    }

    #[test]
    fn more_confidence_is_a_wider_interval(values in values(11..80), one in 0.01..0.998, other in 0.01..0.998) {
        let narrow = SignedRankInterval::of(&values, f64::min(one, other)).unwrap();
        let wide = SignedRankInterval::of(&values, f64::max(one, other)).unwrap();
        prop_assert!(wide.lower <= narrow.lower && narrow.upper <= wide.upper);
        prop_assert!(narrow.confidence <= wide.confidence);
    }

    #[test]
    fn every_estimate_lies_within_the_values(values in values(8..40)) {
        let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for location in locations(&values) {
            prop_assert!((lowest..=highest).contains(&location));
        }
    }

    #[test]
    fn a_histogram_loses_no_value(values in values(1..200), bins in 1_usize..50) {
        let histogram = summarise(&values, bins.try_into().ok()).unwrap().histogram.unwrap();
        prop_assert_eq!(histogram.counts.iter().sum::<u64>(), values.len() as u64);
    }

    #[test]
    fn nothing_panics_on_any_floats(values in prop::collection::vec(any::<f64>(), 0..20), argument in any::<f64>()) {
        let _ = (trimmed_mean(&values, argument), quantile(&values, argument), estimate(&values, argument));
        let _ = (ratio_estimate(&values, 0.9), paired_log_ratio(&values, &values), visit_value(&values));
        let _ = (minimum_detectable_effect(&values, argument), summarise(&values, 5.try_into().ok()));
        let _ = (normal_cdf(argument), normal_quantile(argument));
    }
}

/// Values with ties among them: half are whole numbers.
fn values(number: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    let one = prop_oneof![-1e3..1e3, (-20..20_i32).prop_map(f64::from)];
    prop::collection::vec(one, number)
}

/// Everything that says where the values lie; needs eight values.
fn locations(values: &[f64]) -> Vec<f64> {
    let estimate = estimate(values, 0.95).unwrap();
    vec![
        visit_value(values).unwrap(),
        median(values).unwrap(),
        quantile(values, 0.9).unwrap(),
        hodges_lehmann(values).unwrap(),
        estimate.value,
        estimate.lower,
        estimate.upper,
    ]
}
