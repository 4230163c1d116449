//! The page of a validation: how often verdicts are false on a host, and how small a change they find.

use std::fmt::Write;

use askama::Template;
use tlslab_text::capitalised;
use tlslab_text::number::{counted, percent, rough_percent};

use crate::asset::Asset;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Page, Part};
use crate::target::Target;

pub(crate) const STYLE: Asset =
    Asset { name: "validation.css", text: include_str!("../assets/validation.css") };
/// With fewer jobs the bound of a rate is above a quarter, and useless.
const FEWEST_JOBS: usize = 10;

/// The results of a validation.
#[derive(Clone, Debug, Default)]
pub struct Validation {
    /// The confidence of bounds, 0 to 1.
    pub confidence: f64,
    /// Jobs without a change, over all kinds of one metric.
    pub alarms: Vec<Alarms>,
    /// A row for each kind of such jobs; the first row is the head.
    pub alarm_table: Vec<Vec<String>>,
    /// A row for each scenario, side and slow-down; the first row is the head.
    pub power_table: Vec<Vec<String>>,
    /// Power by slow-down.
    pub curves: Vec<Curve>,
}

/// False alarms of a metric.
#[derive(Clone, Debug)]
pub struct Alarms {
    /// The metric's name.
    pub metric: String,
    /// Jobs without a change.
    pub jobs: usize,
    /// Those with a confirmed flag.
    pub flagged: usize,
    /// The upper bound of the rate, as a share.
    pub upper: f64,
}

/// The power of a cell by the size of the slow-down.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The metric's name.
    pub metric: String,
    /// Scenario, side and how long it was measured.
    pub name: String,
    /// The slow-down, the share of jobs that found it, and their number; by the slow-down.
    pub points: Vec<(f64, f64, usize)>,
}

#[derive(Template)]
#[template(path = "validation.html")]
struct Body {
    class: &'static str,
    says: String,
    evidence: String,
    tables: Vec<Grid>,
    plots: Vec<Plot>,
}

struct Grid {
    id: &'static str,
    title: &'static str,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

struct Plot {
    metric: String,
    /// The ends of the axis.
    ends: [String; 2],
    rows: Vec<(String, String, Html)>,
}

/// The page of a validation.
#[must_use]
pub fn validation(validation: &Validation, links: &dyn Links) -> Page {
    let (class, says) = answer(validation);
    let grids =
        [("alarms", "False alarms", &validation.alarm_table), ("power", "Power", &validation.power_table)];
    let tables = grids.into_iter().filter_map(|(id, title, table)| {
        let (head, rows) = table.split_first().filter(|(_, rows)| !rows.is_empty())?;
        Some(Grid { id, title, head: head.clone(), rows: rows.to_vec() })
    });
    let mut metrics: Vec<&str> = validation.curves.iter().map(|curve| &*curve.metric).collect();
    metrics.dedup();
    let plots = metrics.into_iter().filter_map(|metric| plot(validation, metric));
    let body = Body {
        class,
        says,
        evidence: evidence(validation),
        tables: tables.collect(),
        plots: plots.collect(),
    };
    let part = |id, title| Part { id, title, needs_script: false };
    let mut parts: Vec<Part> = body.tables.iter().map(|grid| part(grid.id, grid.title)).collect();
    if !body.plots.is_empty() {
        parts.insert(parts.len().min(1), part("curves", "Power by slow-down"));
    }
    Page {
        title: "Validation".to_owned(),
        crumbs: vec![Link::new(links, &Target::Overview, "Overview"), Link::none("Validation")],
        parts,
        assets: vec![STYLE],
        body: Html::of(&body),
        ..Page::default()
    }
}

/// The rate of false alarms in a sentence.
fn answer(validation: &Validation) -> (&'static str, String) {
    let (jobs, flagged) = validation
        .alarms
        .iter()
        .fold((0, 0), |(jobs, flagged), alarms| (jobs + alarms.jobs, flagged + alarms.flagged));
    if jobs == 0 {
        return ("inconclusive", "False alarms were not measured: no job without a change".to_owned());
    }
    if jobs < FEWEST_JOBS {
        let word = if jobs == 1 { "is" } else { "are" };
        return (
            "inconclusive",
            format!(
                "{} without a change {word} too few to bound the rate of false alarms",
                counted(jobs, "job")
            ),
        );
    }
    let upper = validation.alarms.iter().map(|alarms| alarms.upper).fold(0.0, f64::max);
    let class = if flagged == 0 { "good" } else { "warning" };
    let alarms = if flagged == 0 { "No false alarm".to_owned() } else { counted(flagged, "false alarm") };
    (
        class,
        format!(
            "{alarms} in {} in which nothing had changed: the rate is at most {}",
            counted(jobs, "job"),
            rough_percent(upper)
        ),
    )
}

/// Bounds by metric, then the smallest slow-down that is nearly always found.
fn evidence(validation: &Validation) -> String {
    let mut parts: Vec<String> = validation
        .alarms
        .iter()
        .map(|alarms| {
            format!(
                "{}: {} of {} with a false alarm, upper bound {} at {} confidence",
                alarms.metric,
                alarms.flagged,
                counted(alarms.jobs, "job"),
                rough_percent(alarms.upper),
                percent(validation.confidence)
            )
        })
        .collect();
    match least_found(validation) {
        Some((share, jobs)) if jobs >= FEWEST_JOBS => {
            parts.push(format!(
                "a slow-down of {} was found in at least 80 % of the jobs of every cell",
                rough_percent(share)
            ));
        }
        Some((share, jobs)) => parts.push(format!(
            "slow-downs of {} were found, but {} for each cell are too few to estimate power",
            rough_percent(share),
            counted(jobs, "job")
        )),
        None if validation.curves.is_empty() => parts.push("power was not measured".to_owned()),
        None => parts.push("no slow-down was found in 80 % of the jobs of every cell".to_owned()),
    }
    capitalised(&(parts.join("; ") + "."))
}

/// The smallest slow-down that at least four of five jobs of each cell found, with the fewest jobs of a cell.
fn least_found(validation: &Validation) -> Option<(f64, usize)> {
    let points = validation.curves.iter().flat_map(|curve| &curve.points);
    let mut shares: Vec<f64> = points.clone().map(|(share, ..)| *share).collect();
    shares.sort_by(f64::total_cmp);
    shares.dedup();
    shares.into_iter().find_map(|wanted| {
        let mut there = points.clone().filter(|(share, ..)| *share == wanted);
        let fewest = there.clone().map(|(.., jobs)| *jobs).min()?;
        there.all(|(_, power, _)| *power >= 0.8).then_some((wanted, fewest))
    })
}

/// The curves of a metric on one logarithmic axis of slow-downs: a bar for each power.
fn plot(validation: &Validation, metric: &str) -> Option<Plot> {
    let curves: Vec<&Curve> = validation.curves.iter().filter(|curve| curve.metric == metric).collect();
    let shares = curves.iter().flat_map(|curve| &curve.points).map(|(share, ..)| *share);
    let ends = shares.fold(None, |ends: Option<(f64, f64)>, share| {
        Some(ends.map_or((share, share), |(low, high)| (low.min(share), high.max(share))))
    });
    let (low, high) = ends?;
    let row = |curve: &&Curve| {
        let found = curve.points.iter().map(|(share, power, jobs)| {
            format!("{} of {} at {}", rough_percent(*power), counted(*jobs, "job"), rough_percent(*share))
        });
        (curve.name.clone(), found.collect::<Vec<_>>().join(", "), mark(curve, low, high))
    };
    Some(Plot {
        metric: metric.to_owned(),
        ends: [low, high].map(rough_percent),
        rows: curves.iter().map(row).collect(),
    })
}

fn mark(curve: &Curve, low: f64, high: f64) -> Html {
    const HEIGHT: f64 = 40.0;
    let span = (high / low).ln();
    // A single slow-down is in the middle.
    let x = |share: f64| if span < 1e-9 { 50.0 } else { 4.0 + (share / low).ln() / span * 92.0 };
    let y = |power: f64| 3.0 + (1.0 - power) * (HEIGHT - 6.0);
    let mut text = format!("<svg class=\"mark power result\" height=\"{HEIGHT}\" aria-hidden=\"true\">");
    // Writing to a string cannot fail.
    for power in [0.0, 0.8, 1.0] {
        let _ = write!(
            text,
            "<line class=\"grid-line\" x1=\"0%\" x2=\"100%\" y1=\"{:.1}\" y2=\"{:.1}\"/>",
            y(power),
            y(power)
        );
    }
    for pair in curve.points.windows(2) {
        let [(from, before, _), (to, after, _)] = [pair[0], pair[1]];
        let _ = write!(
            text,
            "<line class=\"span\" x1=\"{:.1}%\" x2=\"{:.1}%\" y1=\"{:.1}\" y2=\"{:.1}\"/>",
            x(from),
            x(to),
            y(before),
            y(after)
        );
    }
    for (share, power, _) in &curve.points {
        let _ =
            write!(text, "<circle class=\"at\" cx=\"{:.1}%\" cy=\"{:.1}\" r=\"4\"/>", x(*share), y(*power));
    }
    Html::markup(text + "</svg>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make_validation(jobs: usize, flagged: usize, upper: f64, found: f64, slowed: usize) -> Validation {
        Validation {
            confidence: 0.95,
            alarms: vec![Alarms { metric: "time".to_owned(), jobs, flagged, upper }],
            curves: vec![Curve {
                metric: "time".to_owned(),
                name: "handshake, client".to_owned(),
                points: vec![(0.005, found / 2.0, slowed), (0.01, found, slowed)],
            }],
            ..Validation::default()
        }
    }

    #[test]
    fn it_says_what_it_means_or_that_there_are_too_few_jobs() {
        let many = make_validation(100, 0, 0.0362, 0.9, 20);
        assert_eq!(
            answer(&many),
            (
                "good",
                "No false alarm in 100 jobs in which nothing had changed: the rate is at most 3.6 %"
                    .to_owned()
            )
        );
        assert!(
            evidence(&many)
                .ends_with("a slow-down of 1 % was found in at least 80 % of the jobs of every cell.")
        );
        let few = make_validation(1, 0, 0.975, 1.0, 1);
        assert_eq!(answer(&few).1, "1 job without a change is too few to bound the rate of false alarms");
        assert!(evidence(&few).contains("1 job for each cell are too few"), "{}", evidence(&few));
        assert_eq!(answer(&make_validation(100, 2, 0.07, 0.1, 20)).0, "warning");
        assert!(evidence(&make_validation(100, 2, 0.07, 0.1, 20)).contains("no slow-down was found in 80 %"));
    }
}
