//! The chooser: which stack takes least for a mix of work.
//!
//! A connection of a mix costs `(1 − r) · full + r · resumed + bytes / 16 KiB · record`, with each cost as a run measured it. Bounds are
//! those of the costs, added up, which is wider than an interval of the sum.

use askama::Template;
use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::marks::bar;
use crate::asset::Asset;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Data, Page};
use crate::target::{Section, Target};

/// Everything that stacks are chosen by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Mixes that people often have; the page begins with the first that ranks a stack.
    pub mixes: Vec<Mix>,
    /// The stacks.
    pub candidates: Vec<Candidate>,
    /// The run that has their times, and its machine; empty where no time is known.
    pub run: String,
    /// The machine that measured them.
    pub host: String,
}

/// A mix of work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mix {
    /// Its name in addresses.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What it assumes, and why.
    pub assumes: String,
    /// The side that counts: `client` or `server`.
    pub side: String,
    /// The work of a full handshake, by its name among the costs.
    pub key: String,
    /// The share of connections that resume a session.
    pub resumed: f64,
    /// How many bytes a connection carries.
    pub bytes: f64,
    /// Whether the side sends them; otherwise it receives them.
    pub sends: bool,
    /// `time` or `count.instructions`.
    pub metric: String,
}

/// A stack with its costs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The stack without its version.
    pub stack: String,
    /// Its version.
    pub label: String,
    /// What work costs it.
    pub costs: Vec<Cost>,
}

/// What a piece of work costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// `resumed`, `send`, `receive`, or a full handshake by its key and group.
    pub work: String,
    /// The side.
    pub side: String,
    /// The metric.
    pub metric: String,
    /// What it costs.
    pub figure: Option<Figure>,
    /// Why there is none.
    pub hole: String,
}

/// What a mix costs a candidate.
#[derive(Clone, Debug, PartialEq)]
pub enum Total {
    /// It is known.
    Known(Figure),
    /// The work without a cost, and why.
    Missing(String),
}

impl Candidate {
    /// The stack with its version.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.stack, self.label).trim_end().to_owned()
    }

    fn cost(&self, work: &str, side: &str, metric: &str) -> Result<&Figure, String> {
        let is_it = |cost: &&Cost| cost.work == work && cost.side == side && cost.metric == metric;
        match self.costs.iter().find(is_it) {
            Some(Cost { figure: Some(figure), .. }) => Ok(figure),
            Some(cost) => Err(format!("{work}: {}", cost.hole)),
            None => Err(format!("{work}: not measured")),
        }
    }

    /// What a connection of the mix costs.
    #[must_use]
    pub fn total(&self, mix: &Mix) -> Total {
        let transfer = if mix.sends { "send" } else { "receive" };
        let parts =
            [(mix.key.as_str(), 1.0 - mix.resumed), ("resumed", mix.resumed), (transfer, mix.bytes / RECORD)];
        let mut sum = Figure { value: 0.0, lower: Some(0.0), upper: Some(0.0), unit: String::new() };
        for (work, times) in parts.into_iter().filter(|(_, times)| *times > 0.0) {
            match self.cost(work, &mix.side, &mix.metric) {
                Ok(figure) => {
                    sum.value += times * figure.value;
                    sum.lower = sum.lower.zip(figure.lower).map(|(sum, lower)| sum + times * lower);
                    sum.upper = sum.upper.zip(figure.upper).map(|(sum, upper)| sum + times * upper);
                    sum.unit.clone_from(&figure.unit);
                }
                Err(missing) => return Total::Missing(missing),
            }
        }
        Total::Known(sum)
    }
}

/// The bytes that a transfer's cost is of.
const RECORD: f64 = 16_384.0;

#[derive(Template)]
#[template(path = "site/choose.html")]
struct Body<'m> {
    model: &'m Choice,
    answer: String,
    evidence: String,
    keys: Vec<&'m str>,
    metrics: Vec<(&'m str, &'static str)>,
    rows: Vec<(Link, String, String, Html)>,
    missing: Vec<(Link, String)>,
    run: Link,
}

pub(crate) const SCRIPT: Asset = Asset { name: "choose.js", text: include_str!("../../assets/choose.js") };

/// The page. Without a script it has one mix alone.
#[must_use]
pub fn choose(model: &Choice, links: &dyn Links) -> Page {
    let none = Mix::default();
    let has_place =
        |mix: &&Mix| model.candidates.iter().any(|candidate| matches!(candidate.total(mix), Total::Known(_)));
    let mix = model.mixes.iter().find(has_place).or(model.mixes.first()).unwrap_or(&none);
    let mut known: Vec<(&Candidate, Figure)> = Vec::new();
    let mut missing = Vec::new();
    let link =
        |candidate: &Candidate| Link::new(links, &Target::Stack(candidate.stack.clone()), candidate.name());
    for candidate in &model.candidates {
        match candidate.total(mix) {
            Total::Known(figure) => known.push((candidate, figure)),
            Total::Missing(why) => missing.push((link(candidate), why)),
        }
    }
    known.sort_by(|(_, one), (_, other)| one.value.total_cmp(&other.value));
    let end = |figure: &Figure| figure.upper.unwrap_or(figure.value);
    let longest = known.iter().map(|(_, figure)| end(figure)).fold(0.0, f64::max);
    let distinct = |of: fn(&Cost) -> &str| {
        let all = model.candidates.iter().flat_map(|candidate| &candidate.costs).map(of);
        all.collect::<std::collections::BTreeSet<&str>>()
    };
    let keys = distinct(|cost| &cost.work);
    let titles = [("time", "time"), ("count.instructions", "instructions")];
    let metrics = distinct(|cost| &cost.metric);
    let body = Body {
        answer: answer(&known),
        evidence: format!("{}: {}", mix.title, mix.assumes),
        keys: keys.into_iter().filter(|key| !["resumed", "send", "receive"].contains(key)).collect(),
        metrics: titles.into_iter().filter(|(metric, _)| metrics.contains(metric)).collect(),
        rows: known
            .iter()
            .map(|(candidate, figure)| {
                let mark = bar(figure.value, figure.lower.zip(figure.upper), longest);
                (link(candidate), figure.text(), figure.range(), mark)
            })
            .collect(),
        missing,
        run: Link::new(links, &Target::Run(model.run.clone()), &model.run),
        model,
    };
    Page {
        title: "Choose a stack".to_owned(),
        section: Some(Section::Choose),
        crumbs: vec![Link::new(links, &Target::Overview, "Overview"), Link::none("Choose")],
        body: Html::of(&body),
        data: vec![Data::new("choice", model)],
        assets: vec![SCRIPT],
        ..Page::default()
    }
}

fn answer(known: &[(&Candidate, Figure)]) -> String {
    match known {
        [] => "No stack has all the costs of this mix".to_owned(),
        [(one, figure)] => format!("{} alone has all costs: {} per connection", one.name(), figure.text()),
        [(first, figure), (second, next), ..] => {
            let is_clear = figure.upper.zip(next.lower).is_some_and(|(upper, lower)| upper < lower);
            match is_clear {
                true => format!(
                    "{} takes least, {} per connection: {:.1} % less than {}",
                    first.name(),
                    figure.text(),
                    100.0 * (1.0 - figure.value / next.value),
                    second.name()
                ),
                false => format!("{} and {} are level: their bounds overlap", first.name(), second.stack),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(stack: &str, full: f64, resumed: Option<f64>) -> Candidate {
        let cost = |work: &str, value: Option<f64>| Cost {
            work: work.to_owned(),
            side: "server".to_owned(),
            metric: "time".to_owned(),
            figure: value.map(|value| Figure {
                value,
                lower: Some(value * 0.9),
                upper: Some(value * 1.1),
                unit: "ns".to_owned(),
            }),
            hole: if value.is_none() { "unsupported: no tickets".to_owned() } else { String::new() },
        };
        Candidate {
            stack: stack.to_owned(),
            label: String::new(),
            costs: vec![
                cost("ecdsa-p256", Some(full)),
                cost("resumed", resumed),
                cost("send", Some(4_000.0)),
            ],
        }
    }

    fn mix() -> Mix {
        Mix {
            side: "server".to_owned(),
            key: "ecdsa-p256".to_owned(),
            resumed: 0.25,
            bytes: 32_768.0,
            sends: true,
            metric: "time".to_owned(),
            ..Mix::default()
        }
    }

    #[test]
    fn a_connection_costs_its_parts_and_their_bounds() {
        // 0.75 · 100,000 + 0.25 · 40,000 + 2 · 4,000
        let Total::Known(total) = candidate("a", 100_000.0, Some(40_000.0)).total(&mix()) else { panic!() };
        assert!((total.value - 93_000.0).abs() < 1e-6);
        assert!((total.lower.unwrap() - 83_700.0).abs() < 1e-6);
        assert_eq!(
            candidate("b", 1.0, None).total(&mix()),
            Total::Missing("resumed: unsupported: no tickets".to_owned())
        );
        // A mix without resumption needs no cost of it.
        let full = Mix { resumed: 0.0, ..mix() };
        assert!(matches!(candidate("b", 1.0, None).total(&full), Total::Known(_)));
    }

    #[test]
    fn the_first_is_named_only_if_its_bounds_are_clear() {
        let [a, b] = [candidate("a", 100_000.0, Some(40_000.0)), candidate("b", 300_000.0, Some(90_000.0))];
        let choice =
            Choice { mixes: vec![mix()], candidates: vec![b.clone(), a.clone()], ..Choice::default() };
        let page = choose(&choice, &crate::Alone).body;
        assert!(
            page.as_str().contains("a takes least, 93.00 µs per connection: 63.6 % less than b"),
            "{page}"
        );
        let level = Choice { candidates: vec![candidate("c", 101_000.0, Some(40_000.0)), a], ..choice };
        assert!(choose(&level, &crate::Alone).body.as_str().contains("a and c are level"));
    }
}
