//! The axis that all rows of a table share, and each row's mark on it: interval, observations, negligible
//! range.

use std::fmt::Write;

use tlslab_comparison::{Effect, has_no_ratio};
use tlslab_text::number::change;

use crate::embed::Html;

/// How much farther than the middle row the axis reaches; rows beyond it end in an arrow.
const OUTLIER: f64 = 8.0;
/// Per cent of the width left of the axis and right of it.
const MARGIN: f64 = 4.0;
/// Ends of axes, in per cent; the others are powers of ten times these.
const ENDS: [f64; 3] = [1.0, 2.0, 5.0];

/// A logarithmic axis of ratios with 1 in its middle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    /// The ratio at its right end, as ln.
    reach: f64,
}

impl Axis {
    /// An axis that shows these effects. A few that are far larger than most lie beyond it, and so do changes
    /// from or to zero.
    pub(crate) fn of(effects: &[&Effect]) -> Self {
        let with_ratio = effects.iter().filter(|effect| !has_no_ratio(effect));
        let mut sizes: Vec<f64> = with_ratio.map(|effect| size(effect)).filter(|size| *size > 0.0).collect();
        sizes.sort_by(f64::total_cmp);
        let middle = sizes.get(sizes.len() / 2).copied().unwrap_or(0.001);
        let largest = sizes.last().copied().unwrap_or(0.001);
        Self { reach: rounded_up(largest.min(OUTLIER * middle)) }
    }

    /// Where a ratio lies, per cent of the width.
    fn at(&self, ratio: f64) -> f64 {
        let share = (ln(ratio) / self.reach).clamp(-1.0, 1.0);
        50.0 + share * (50.0 - MARGIN)
    }

    /// Its ends and its middle, from the left.
    pub(crate) fn labels(&self) -> [String; 3] {
        [change((-self.reach).exp()), "0".to_owned(), change(self.reach.exp())]
    }

    /// The mark of an effect: the band of negligible changes, observations as dots, the interval.
    pub(crate) fn mark(&self, effect: &Effect, class: &str, has_dots: bool) -> Html {
        let mut text = format!("<svg class=\"mark {class}\" aria-hidden=\"true\">");
        let (left, right) = (self.at((-effect.threshold).exp()), self.at(effect.threshold.exp()));
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "<rect class=\"band\" x=\"{left:.1}%\" width=\"{:.1}%\" y=\"0\" height=\"22\"/><line class=\"rule\" x1=\"50%\" x2=\"50%\" y1=\"0\" y2=\"22\"/>",
            (right - left).max(0.3)
        );
        if has_no_ratio(effect) {
            self.estimate(&mut text, if effect.candidate == 0.0 { 0.0 } else { f64::INFINITY });
            return Html::markup(text + "</svg>");
        }
        let ratios = if has_dots { &*effect.ratios } else { &[] };
        for (place, ratio) in ratios.iter().enumerate().filter(|(_, ratio)| ln(**ratio).abs() <= self.reach) {
            // The earliest at the top, so that dots do not hide one another.
            let y = 2.0 + 12.0 * place as f64 / ratios.len().max(2) as f64;
            let _ = write!(
                text,
                "<circle class=\"seen\" cx=\"{:.1}%\" cy=\"{y:.0}\" r=\"1.8\"/>",
                self.at(*ratio)
            );
        }
        if let Some(interval) = effect.interval {
            let (from, to) = (self.at(interval.lower), self.at(interval.upper));
            let _ =
                write!(text, "<line class=\"span\" x1=\"{from:.1}%\" x2=\"{to:.1}%\" y1=\"17\" y2=\"17\"/>");
            for (bound, place) in [(interval.lower, from), (interval.upper, to)] {
                if ln(bound).abs() <= self.reach {
                    let _ = write!(
                        text,
                        "<line class=\"cap\" x1=\"{place:.1}%\" x2=\"{place:.1}%\" y1=\"13\" y2=\"21\"/>"
                    );
                }
            }
        }
        self.estimate(&mut text, effect.ratio);
        Html::markup(text + "</svg>")
    }

    /// A dot, or an arrow at the end of the axis.
    fn estimate(&self, text: &mut String, ratio: f64) {
        let place = self.at(ratio);
        let _ = match ln(ratio) {
            beyond if beyond > self.reach => write!(
                text,
                "<svg x=\"{place:.1}%\" class=\"over\"><path class=\"past\" d=\"M0 11 L9 17 L0 23z\"/></svg>"
            ),
            beyond if beyond < -self.reach => write!(
                text,
                "<svg x=\"{place:.1}%\" class=\"over\"><path class=\"past\" d=\"M0 11 L-9 17 L0 23z\"/></svg>"
            ),
            _ => write!(text, "<circle class=\"at\" cx=\"{place:.1}%\" cy=\"17\" r=\"4\"/>"),
        };
    }
}

/// The logarithm; of a ratio that is not positive, the logarithm of a very small one, which has a position.
fn ln(ratio: f64) -> f64 {
    if ratio > 0.0 { ratio.ln() } else { f64::MIN_POSITIVE.ln() }
}

/// How far from 1 an effect and its interval reach, as ln.
fn size(effect: &Effect) -> f64 {
    let bounds = effect.interval.iter().flat_map(|interval| [interval.lower, interval.upper]);
    let all = bounds.chain([effect.ratio]).map(|ratio| ln(ratio).abs());
    all.filter(|size| size.is_finite()).fold(effect.threshold, f64::max)
}

/// The next ratio whose change is 1, 2 or 5 times a power of ten of a per cent, as ln.
fn rounded_up(reach: f64) -> f64 {
    let percent = 100.0 * reach.max(1e-6).exp_m1();
    let power = 10_f64.powf(percent.log10().floor());
    let end = ENDS.iter().map(|end| end * power).find(|end| *end >= percent * 0.999);
    (end.unwrap_or(10.0 * power) / 100.0).ln_1p()
}

#[cfg(test)]
mod tests {
    use tlslab_comparison::{Interval, Verdict};

    use super::*;

    fn effect(ratio: f64) -> Effect {
        Effect {
            verdict: Verdict::Regression,
            note: None,
            baseline: 1.0,
            candidate: ratio,
            ratio,
            interval: Some(Interval { lower: ratio * 0.999, upper: ratio * 1.001, confidence: 0.99 }),
            n: 3,
            p_value: None,
            q_value: None,
            threshold: 0.001,
            detectable: None,
            confirmation: None,
            exact: false,
            tiny: false,
            ratios: vec![ratio * 0.999, ratio, ratio * 1.001],
            spread: None,
            dependence: None,
            tracked: None,
            points: Vec::new(),
            acknowledged: None,
            groups: None,
            reasons: vec![],
        }
    }

    #[test]
    fn rows_share_an_axis_and_an_outlier_ends_in_an_arrow() {
        let all = [1.012, 1.02, 0.985, 40.0].map(effect);
        let axis = Axis::of(&all.each_ref());
        assert_eq!(axis.labels(), ["−16.7 %", "0", "+20.0 %"]);
        assert!(axis.mark(&all[3], "regression", true).as_str().contains("class=\"past\""));
        let usual = axis.mark(&all[0], "regression", true);
        assert!(!usual.as_str().contains("class=\"past\""));
        assert_eq!(usual.as_str().matches("class=\"seen\"").count(), 3);
        assert!(!usual.as_str().contains("style"));
    }
}
