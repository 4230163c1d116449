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

    /// Without ties the test and the interval are two sides of one thing.
    #[test]
    fn the_test_rejects_where_the_interval_stays_away(
        values in prop::collection::vec(-1e3..1e3_f64, 8..40), confidence in 0.5..0.99, delta in 0.0..300.0_f64
    ) {
        let interval = SignedRankInterval::of(&values, confidence).unwrap();
        let test = effect_test(&values, delta).unwrap();
        let away = interval.lower > delta || interval.upper < -delta;
        prop_assert_eq!(test.p_value <= 1.0 - interval.confidence + 1e-12, away, "{:?} {:?}", interval, test);
    }

    #[test]
    fn a_larger_delta_is_never_easier_to_exceed(values in values(2..70), one in 0.0..50.0_f64, other in 0.0..50.0_f64) {
        let near = effect_test(&values, f64::min(one, other)).unwrap();
        let far = effect_test(&values, f64::max(one, other)).unwrap();
        // Which values tie depends on delta, so p may step back a little.
        prop_assert!(near.p_value <= far.p_value * 1.5 + 1e-12, "{:?} {:?}", near, far);
    }

    #[test]
    fn turning_the_sign_turns_the_tests(values in values(2..70), delta in 0.0..50.0_f64) {
        let turned: Vec<f64> = values.iter().map(|value| -value).collect();
        let (there, back) = (effect_test(&values, delta).unwrap(), effect_test(&turned, delta).unwrap());
        prop_assert_eq!((there.p_value, there.z), (back.p_value, -back.z));
        prop_assert!(there.p_value > 0.0 && there.p_value <= 1.0);
    }

    #[test]
    fn swapping_the_samples_turns_the_shift(a in values(4..40), b in values(4..40), delta in 0.0..50.0_f64) {
        let (there, back) = (shift(&a, &b, 0.9, delta).unwrap(), shift(&b, &a, 0.9, delta).unwrap());
        prop_assert_eq!((there.p_value, there.z), (back.p_value, -back.z));
        prop_assert_eq!((there.estimate.lower, there.estimate.upper), (-back.estimate.upper, -back.estimate.lower));
        prop_assert!(there.estimate.lower <= there.estimate.value && there.estimate.value <= there.estimate.upper);
    }

    #[test]
    fn moving_one_sample_moves_the_shift(a in values(4..40), b in values(4..40), by in -1e3..1e3_f64) {
        let moved: Vec<f64> = b.iter().map(|value| value + by).collect();
        let (before, after) = (shift(&a, &b, 0.9, 0.0).unwrap().estimate, shift(&a, &moved, 0.9, 0.0).unwrap().estimate);
        prop_assert!((before.value + by - after.value).abs() < 1e-9);
        prop_assert!((before.lower + by - after.lower).abs() < 1e-9);
    }

    #[test]
    fn adjusting_keeps_the_order_and_never_helps(p_values in prop::collection::vec(0.0..=1.0_f64, 1..80)) {
        let adjusted = benjamini_hochberg(&p_values).unwrap();
        for (p, q) in p_values.iter().zip(&adjusted) {
            prop_assert!(p <= q && *q <= 1.0);
            for (other, other_q) in p_values.iter().zip(&adjusted) {
                prop_assert!(p > other || q <= other_q);
            }
        }
    }

    #[test]
    fn a_design_spends_alpha_and_orders_by_stages(
        mut looks in prop::collection::btree_set(1_usize..200, 1..6), alpha in 1e-4..0.2_f64, z in 0.0..6.0_f64
    ) {
        let last = looks.last().copied().unwrap();
        looks.retain(|look| look * 50 > last);
        let looks: Vec<usize> = looks.into_iter().collect();
        let design = Sequential::obrien_fleming(&looks, alpha).unwrap();
        let end = looks.len() - 1;
        prop_assert!((design.p_value(end, design.boundary(end)) - alpha).abs() < 1e-8);
        for look in 0..=end {
            let reached = design.p_value(look, design.boundary(look));
            prop_assert!(reached <= alpha + 1e-8);
            prop_assert_eq!(design.p_value(look, z), design.p_value(look, -z));
            prop_assert!(design.p_value(look, z) >= design.p_value(look, z + 0.1));
            if look > 0 {
                prop_assert!(design.p_value(look, f64::INFINITY) >= design.p_value(look - 1, design.boundary(look - 1)) - 1e-8);
            }
        }
    }

    #[test]
    fn a_fence_and_an_autocorrelation_know_no_unit(
        series in prop::collection::vec(1.0..1e3_f64, 3..60), by in 1e-3..1e3_f64
    ) {
        let scaled: Vec<f64> = series.iter().map(|value| value * by).collect();
        prop_assert!((fence(&series).unwrap() - fence(&scaled).unwrap()).abs() <= 1e-9 * fence(&series).unwrap());
        let [before, after] = [&series, &scaled].map(|series| lag_one_autocorrelation(series).unwrap());
        prop_assert!((before - after).abs() < 1e-9 && (-1.0..=1.0).contains(&before));
    }

    #[test]
    fn student_lies_beyond_the_normal_and_turns_about_0(p in 0.5..0.9999_f64, degrees in 0.5..500.0_f64) {
        let t = student_quantile(p, degrees);
        prop_assert!(t >= normal_quantile(p) - 1e-9, "{} {}", t, normal_quantile(p));
        prop_assert!((t + student_quantile(1.0 - p, degrees)).abs() <= 1e-9 * t.max(1e-3));
        prop_assert!((student_cdf(t, degrees) - p).abs() < 1e-11);
    }

    #[test]
    fn nothing_panics_on_any_floats(values in prop::collection::vec(any::<f64>(), 0..20), argument in any::<f64>()) {
        let _ = (trimmed_mean(&values, argument), quantile(&values, argument), estimate(&values, argument));
        let _ = (ratio_estimate(&values, 0.9), paired_log_ratio(&values, &values), visit_value(&values));
        let _ = (minimum_detectable_effect(&values, argument), summarise(&values, 5.try_into().ok()));
        let _ = (normal_cdf(argument), normal_quantile(argument), fence(&values), lag_one_autocorrelation(&values));
        let _ = (effect_test(&values, argument), shift(&values, &values, 0.9, argument), block_length(&values));
        let _ = (replicate_threshold(&values, argument, 0.0, 0.05), benjamini_hochberg(&values));
        let _ = (student_cdf(argument, 4.0), student_quantile(argument, 4.0));
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
