//! A release costs about what the releases before and after it do.

use tlslab_estimate::{Quantity, Whose};

use super::looked::{Comparison, Looked, times};
use crate::anomaly::{CellName, Evidence, Rule};
use crate::observations::Observed;
use crate::releases::{Release, Releases};

/// The allowed excess of a release over both neighbours, for counts and for times.
const ALLOWED_COUNTED: f64 = 1.02;
const ALLOWED_TIMED: f64 = 1.1;

pub(super) fn look(all: &[Releases]) -> Looked {
    let mut looked = Looked::new(Rule::Release);
    for releases in all {
        for three in releases.releases.windows(3) {
            if three.iter().all(|release| release.epoch == three[0].epoch) {
                judge(&mut looked, releases, three);
            }
        }
    }
    looked
}

/// The middle one of three.
fn judge(looked: &mut Looked, releases: &Releases, three: &[Release]) {
    let [before, at, after] = three else { return };
    let [Some(earlier), Some(here), Some(later)] = [before, at, after].map(|one| observed(&one.figure))
    else {
        return;
    };
    let steps = [here.ln() - earlier.ln(), here.ln() - later.ln()];
    let is_beyond_both = steps[0] * steps[1] > 0.0;
    let nearest = if steps[0].abs() <= steps[1].abs() { earlier } else { later };
    let series = &releases.series;
    let allowed = if series.is_counted() { ALLOWED_COUNTED } else { ALLOWED_TIMED };
    let distance = if is_beyond_both { steps[0].abs().min(steps[1].abs()) } else { 0.0 };
    let whose = [Whose::Client, Whose::Server].into_iter().find(|side| side.name() == series.side);
    looked.judge(Comparison {
        cell: CellName {
            scenario: series.scenario.clone(),
            stack: format!("{} {}", series.stack, at.label),
            side: whose.unwrap_or(Whose::Both),
            metric: series.metric.clone(),
        },
        subject: "a release between its neighbours".to_owned(),
        expected: format!(
            "between {} ({}) and {} ({}), or within {:.0} % of both",
            before.label,
            before.figure.text(),
            after.label,
            after.figure.text(),
            100.0 * (allowed - 1.0)
        ),
        found: format!(
            "{}: {} {} and {} {}",
            at.figure.text(),
            times(steps[0]),
            before.label,
            times(steps[1]),
            after.label
        ),
        distance,
        allowed: allowed.ln() + (later.ln() - earlier.ln()).abs(),
        noise: here.noise().zip(nearest.noise()).map(|(here, nearest)| here + nearest),
        evidence: three.iter().map(|one| evidence(releases, one)).collect(),
    });
}

fn evidence(releases: &Releases, release: &Release) -> Evidence {
    let series = &releases.series;
    Evidence {
        what: format!("{} {}: {}, {}", series.stack, release.label, series.scenario, series.side),
        figure: release.figure.clone(),
    }
}

/// The figure, if it has a logarithm.
fn observed(figure: &Quantity) -> Option<Observed> {
    let is_positive = |value: &f64| *value > 0.0 && value.is_finite();
    let bounds =
        figure.lower.zip(figure.upper).filter(|(lower, upper)| is_positive(lower) && is_positive(upper));
    is_positive(&figure.value)
        .then(|| Observed { value: figure.value, bounds: bounds.map(|(lower, upper)| [lower, upper]) })
}

#[cfg(test)]
mod tests {
    use tlslab_record::Series;

    use super::*;

    fn releases(counts: &[f64]) -> Releases {
        let release = |(at, count): (usize, &f64)| Release {
            label: format!("1.{at}"),
            epoch: String::new(),
            figure: Quantity {
                value: *count,
                lower: Some(*count),
                upper: Some(*count),
                unit: "instructions".to_owned(),
            },
        };
        let series = Series {
            scenario: "s".to_owned(),
            stack: "a".to_owned(),
            side: "server".to_owned(),
            metric: "count.instructions".to_owned(),
            unit: "instructions".to_owned(),
            class: String::new(),
        };
        Releases { series, releases: counts.iter().enumerate().map(release).collect() }
    }

    #[test]
    fn a_release_that_stands_alone_is_found() {
        let looked = look(&[releases(&[100.0, 101.0, 150.0, 100.0, 99.0])]);
        assert_eq!(looked.compared, 3);
        let [found] = &looked.anomalies[..] else { panic!("{:?}", looked.anomalies) };
        assert_eq!(found.cell.stack, "a 1.2");
        let score = 150.0 / 101.0 / ALLOWED_COUNTED / 1.01;
        assert!((found.score - score).abs() < 1e-9, "{}", found.score);
    }

    #[test]
    fn a_step_that_stays_is_none() {
        assert!(look(&[releases(&[100.0, 100.0, 150.0, 150.0])]).anomalies.is_empty());
        assert!(look(&[releases(&[100.0, 120.0, 150.0, 170.0])]).anomalies.is_empty());
    }

    #[test]
    fn other_conditions_are_not_compared() {
        let mut three = releases(&[100.0, 150.0, 100.0]);
        three.releases[1].epoch = "another kernel".to_owned();
        assert_eq!(look(&[three]).compared, 0);
    }
}
