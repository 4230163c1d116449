//! What the chooser ranks by: what pieces of work cost each stack.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_estimate::Family;
use tlslab_pages::site::{Candidate, Choice, Cost, Mix};
use tlslab_protocol::{ConnectionAge, ProtocolVersion, Resumption, Scenario, Side, Work};
use tlslab_record::Figure;

use crate::catalogue::{Catalogue, RunEntry, shown};

/// The metrics that costs are of.
const TIME: &str = "time";
const COUNT: &str = "count.instructions";
/// The bytes that the cost of a transfer is of.
const RECORD: u32 = 16_384;

/// The times of one run, so that they compare; counts of the newest version of each stack, as they do not depend on the run.
pub fn choice(catalogue: &Catalogue) -> Choice {
    let timed = timed(catalogue);
    let mut candidates: BTreeMap<(String, String), Candidate> = BTreeMap::new();
    let mut add = |figure: &Figure| {
        let Some(scenario) = catalogue.scenarios.get(&figure.series.scenario) else { return };
        let (stack, label) = (figure.series.stack.clone(), figure.label.clone());
        let candidate = candidates.entry((stack.clone(), label.clone())).or_insert_with(|| Candidate {
            stack,
            label,
            costs: Vec::new(),
        });
        for cost in costs(scenario, figure) {
            // Several scenarios can be of the same kind; the first by name stands for it.
            let is_it = |known: &Cost| {
                known.work == cost.work && known.side == cost.side && known.metric == cost.metric
            };
            if !candidate.costs.iter().any(is_it) {
                candidate.costs.push(cost);
            }
        }
    };
    let times = timed.into_iter().flat_map(|run| &run.figures).filter(|figure| figure.series.metric == TIME);
    times.for_each(&mut add);
    for (name, entry) in &catalogue.stacks {
        let counts = catalogue.figures_of(name, entry.newest());
        counts.filter(|figure| figure.series.metric == COUNT).for_each(&mut add);
    }
    let candidates: Vec<Candidate> = candidates.into_values().filter(|it| !it.costs.is_empty()).collect();
    let line = timed.map(|run| &run.line);
    Choice {
        mixes: mixes(&candidates, if timed.is_some() { TIME } else { COUNT }),
        candidates,
        run: line.map(|line| line.id.clone()).unwrap_or_default(),
        host: line.map(|line| line.host.clone()).unwrap_or_default(),
    }
}

/// The newest run among those in which the most stacks have a time for a full handshake.
fn timed(catalogue: &Catalogue) -> Option<&RunEntry> {
    let stacks = |run: &RunEntry| {
        let has = |figure: &&Figure| {
            figure.series.metric == TIME
                && figure.outcome.value().is_some()
                && catalogue.scenarios.get(&figure.series.scenario).is_some_and(|it| full(it).is_some())
        };
        let names = run.figures.iter().filter(has).map(|figure| figure.place);
        names.collect::<BTreeSet<_>>().len()
    };
    // Of several with as many, the last in reverse order is the newest.
    let best = catalogue.runs.iter().rev().max_by_key(|run| stacks(run))?;
    (stacks(best) > 0).then_some(best)
}

/// What a figure is the cost of, if the chooser knows that work: several if the side does not matter.
fn costs(scenario: &Scenario, figure: &Figure) -> Vec<Cost> {
    let cost = |work: &str, side: &str| Cost {
        work: work.to_owned(),
        side: side.to_owned(),
        metric: figure.series.metric.clone(),
        figure: shown(figure),
        hole: figure.outcome.hole().map(|(kind, why)| format!("{kind}: {why}")).unwrap_or_default(),
    };
    let side = figure.series.side.as_str();
    if let Some(key) = full(scenario) {
        return vec![cost(&key, side)];
    }
    let is_plain = scenario.version == ProtocolVersion::TLS13;
    match (Family::of(scenario), scenario.work) {
        (Family::Resumption, _) if is_plain && scenario.resumption == Resumption::Ticket => {
            vec![cost("resumed", side)]
        }
        (
            Family::Transfer,
            Work::Transfer { sender, write_bytes: RECORD, connection: ConnectionAge::Warm, .. },
        ) if is_plain && scenario.suite.short_name() == "aes-128-gcm" => {
            let work = if side == sender.name() { "send" } else { "receive" };
            // Protecting a record costs the same whichever side does it.
            Side::BOTH.iter().map(|side| cost(work, side.name())).collect()
        }
        _ => Vec::new(),
    }
}

/// The key and group of a full handshake of TLS 1.3.
fn full(scenario: &Scenario) -> Option<String> {
    let is_full = Family::of(scenario) == Family::Handshake && scenario.version == ProtocolVersion::TLS13;
    is_full.then(|| format!("{} {}", scenario.signature, scenario.group.short_name()))
}

fn mixes(candidates: &[Candidate], metric: &str) -> Vec<Mix> {
    let keys = candidates.iter().flat_map(|candidate| &candidate.costs).map(|cost| cost.work.as_str());
    let keys: BTreeSet<&str> = keys.filter(|work| !["resumed", "send", "receive"].contains(work)).collect();
    let Some(first) = keys.first() else { return Vec::new() };
    let key = |wanted: &str| keys.get(wanted).unwrap_or(first).to_string();
    let mix = |name: &str, title: &str, assumes: &str, side: &str, resumed, kib: f64, sends| Mix {
        name: name.to_owned(),
        title: title.to_owned(),
        assumes: assumes.to_owned(),
        side: side.to_owned(),
        key: key("ecdsa-p256 x25519"),
        resumed,
        bytes: kib * 1024.0,
        sends,
        metric: metric.to_owned(),
    };
    vec![
        mix(
            "web-server",
            "Web server",
            "half of the connections resume, as browsers come back; a page of 100 KiB goes out on each.",
            "server",
            0.5,
            100.0,
            true,
        ),
        mix(
            "api-client",
            "API client",
            "a program keeps few sessions, so one connection in five resumes; each receives 10 KiB.",
            "client",
            0.2,
            10.0,
            false,
        ),
        mix(
            "bulk",
            "Bulk transfer",
            "handshakes hardly count beside 100 MiB that each connection sends.",
            "server",
            0.0,
            102_400.0,
            true,
        ),
        mix(
            "iot",
            "Devices",
            "a device resumes nine times in ten and sends 1 KiB each time.",
            "client",
            0.9,
            1.0,
            true,
        ),
    ]
}
