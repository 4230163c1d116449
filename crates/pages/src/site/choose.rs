//! The chooser: which stack is cheapest for a mix of work.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use serde::{Deserialize, Serialize};
use tlslab_choice::{Candidate, Mix, Pair, Ranked, Ranking, SeveralLibraries, Total, profiles};

use super::figure::Figure;
use super::marks::{Axis, bar};
use crate::asset::Asset;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Data, Page};
use crate::target::{Section, Target};

/// Everything that stacks are chosen by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Mixes that people often have; the page begins with the one that ranks the most stacks.
    pub mixes: Vec<Mix>,
    /// The stacks.
    pub candidates: Vec<Candidate>,
    /// The ratios of those that the run measured in turns.
    #[serde(default)]
    pub pairs: Vec<Pair>,
    /// The run that has their times; empty if no times are recorded.
    pub run: String,
    /// The machine that measured them.
    pub host: String,
}

/// What the page's script ranks by. The number of pairs grows as the square of that of stacks, so they are
/// short: by work, side and the places of both, `0,1`, the ratio, its bounds and its floor to five digits.
#[derive(Serialize)]
struct Embedded<'m> {
    mixes: &'m [Mix],
    candidates: &'m [Candidate],
    pairs: BTreeMap<&'m str, BTreeMap<&'static str, BTreeMap<String, [f64; 4]>>>,
}

impl<'m> Embedded<'m> {
    fn of(model: &'m Choice) -> Self {
        let mut pairs: BTreeMap<&str, BTreeMap<&str, BTreeMap<String, [f64; 4]>>> = BTreeMap::new();
        for Pair { work, side, of: [one, other], ratio } in &model.pairs {
            let all = pairs.entry(work).or_default().entry(side.name()).or_default();
            let figures = [ratio.ratio, ratio.lower, ratio.upper, ratio.floor];
            all.insert(format!("{one},{other}"), figures.map(to_five_digits));
        }
        Self { mixes: &model.mixes, candidates: &model.candidates, pairs }
    }
}

fn to_five_digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

#[derive(Template)]
#[template(path = "site/choose.html")]
struct Body<'m> {
    model: &'m Choice,
    begins_with: String,
    answer: String,
    evidence: String,
    keys: Vec<&'m str>,
    rows: Vec<Row>,
    excluded: Vec<(Link, String)>,
    run: Link,
}

struct Row {
    stack: Link,
    total: String,
    bounds: String,
    over: String,
    bar: Html,
}

/// Works that are no full handshake.
const PARTS: [&str; 4] = ["resumed", "send", "receive", "idle"];

pub(crate) const SCRIPT: Asset = Asset { name: "choose.js", text: include_str!("../../assets/choose.js") };

/// The page. Without a script it has one mix alone.
#[must_use]
pub fn choose(model: &Choice, links: &dyn Links) -> Page {
    let places = |mix: &&Mix| {
        model.candidates.iter().filter(|candidate| matches!(candidate.total(mix), Total::Known(_))).count()
    };
    // Of several with as many, the last in reverse order is the first.
    let first = model.mixes.iter().rev().max_by_key(places).cloned();
    let mix = first.unwrap_or_else(|| profiles().remove(0));
    let body = match Ranking::of(&mix, &model.candidates, &model.pairs) {
        Ok(ranking) if !model.candidates.is_empty() => body(model, &mix, &ranking, links),
        Ok(_) => no_times(model, links),
        Err(several) => Body { answer: several.to_string(), ..no_times(model, links) },
    };
    Page {
        title: "Choose a stack".to_owned(),
        section: Some(Section::Choose),
        crumbs: vec![Link::new(links, &Target::Overview, "Overview"), Link::none("Choose")],
        body: Html::of(&body),
        data: vec![Data::new("choice", &Embedded::of(model))],
        assets: vec![SCRIPT],
        ..Page::default()
    }
}

fn body<'m>(model: &'m Choice, mix: &Mix, ranking: &Ranking, links: &dyn Links) -> Body<'m> {
    let link = |name: &str| {
        let of = model.candidates.iter().find(|candidate| candidate.name() == name);
        match of {
            Some(candidate) => Link::new(links, &Target::Stack(candidate.stack.clone()), name),
            None => Link::none(name),
        }
    };
    let end = |figure: &Figure| figure.upper.unwrap_or(figure.value);
    let longest = ranking.ranked.iter().map(|one| end(&one.total)).fold(0.0, f64::max);
    let works = model.candidates.iter().flat_map(|candidate| &candidate.costs).map(|cost| &*cost.work);
    let mut keys: BTreeSet<&str> = works.collect();
    keys.extend(model.mixes.iter().map(|mix| mix.key.as_str()));
    let row = |one: &Ranked| Row {
        stack: link(&one.stack),
        total: one.total.text(),
        bounds: one.total.range(),
        over: one.first_over.map_or_else(|| "–".to_owned(), |over| over.text()),
        bar: bar(one.total.value, one.total.lower.zip(one.total.upper), Axis::Linear(longest)),
    };
    Body {
        model,
        begins_with: mix.name.clone(),
        answer: ranking.answer(),
        evidence: format!("{}: {}.", mix.title, mix.assumes),
        keys: keys.into_iter().filter(|key| !PARTS.contains(key)).collect(),
        rows: ranking.ranked.iter().map(row).collect(),
        excluded: ranking.excluded.iter().map(|one| (link(&one.stack), one.why.clone())).collect(),
        run: Link::new(links, &Target::Run(model.run.clone()), &model.run),
    }
}

/// Without times there is no ranking.
fn no_times<'m>(model: &'m Choice, links: &dyn Links) -> Body<'m> {
    Body {
        model,
        begins_with: String::new(),
        answer: "Not ranked: no times are recorded".to_owned(),
        evidence: format!("Stacks are ranked by time; {}.", SeveralLibraries::WHY),
        keys: Vec::new(),
        rows: Vec::new(),
        excluded: Vec::new(),
        run: Link::new(links, &Target::Runs, "the runs"),
    }
}

#[cfg(test)]
mod tests {
    use tlslab_choice::{Cost, profiles};
    use tlslab_protocol::Side;

    use super::*;

    fn candidate(stack: &str, full: f64) -> Candidate {
        let cost = |work: &str, value: f64| Cost {
            work: work.to_owned(),
            side: Side::Server,
            metric: "time".to_owned(),
            figure: Some(Figure {
                value,
                lower: Some(value * 0.9),
                upper: Some(value * 1.1),
                unit: "ns".to_owned(),
            }),
            hole: String::new(),
            source: None,
        };
        let costs = vec![cost("ecdsa-p256 x25519", full), cost("resumed", full / 2.0), cost("send", 4_000.0)];
        Candidate { stack: stack.to_owned(), label: String::new(), costs }
    }

    #[test]
    fn the_first_is_named_only_if_its_bounds_are_clear() {
        let [a, b] = [candidate("a", 100_000.0), candidate("b", 300_000.0)];
        let choice =
            Choice { mixes: profiles(), candidates: vec![b.clone(), a.clone()], ..Choice::default() };
        let page = choose(&choice, &crate::Alone).body;
        assert!(
            page.as_str()
                .contains("a is cheapest: 100.0 µs per connection, the next one, b, costs 2.5 times as much"),
            "{page}"
        );
        let level = Choice { candidates: vec![candidate("c", 101_000.0), a], ..choice };
        assert!(choose(&level, &crate::Alone).body.as_str().contains("a and c are level"));
        // A stack that cannot resume is ranked in a mix without resumption alone.
        let mut cannot = level.candidates[0].clone();
        cannot.costs.retain(|cost| cost.work != "resumed");
        let more = Choice { candidates: [level.candidates.clone(), vec![cannot]].concat(), ..level };
        assert!(choose(&more, &crate::Alone).body.as_str().contains("data-mix=\"bulk\""));
    }

    #[test]
    fn without_times_the_page_says_why_counts_do_not_rank() {
        let page = choose(&Choice { mixes: profiles(), ..Choice::default() }, &crate::Alone).body;
        let text = page.as_str();
        assert!(text.contains("<h1>Not ranked: no times are recorded</h1>"), "{text}");
        assert!(text.contains("do not rank libraries") && !text.contains("<form"), "{text}");
    }
}
