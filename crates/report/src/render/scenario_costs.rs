//! The extra cost of one scenario over another, as an answer and a table: each stack is compared with itself.

use serde::Serialize;
use tlslab_estimate::{Estimated, ExactCell, ExactOutcome, Report, ScenarioRatio, Whose};
use tlslab_text::number::{figure, significant};
use tlslab_text::{ListFormat, Listing, clean};

use super::further::with_version;
use super::words::Relative;

/// The extra cost of the second of two scenarios over the first.
#[derive(Clone, Debug, Serialize)]
pub struct ScenarioCosts {
    /// The first scenario.
    pub over: String,
    /// The second one.
    pub scenario: String,
    /// Where their names differ, as part of a sentence: `x25519mlkem768 instead of x25519`.
    pub difference: String,
    /// A sentence for each metric and side.
    pub answer: Vec<String>,
    /// The costs of each stack's sides, times first.
    pub costs: Vec<ScenarioCost>,
    /// The identifier of the run, which has every sample.
    pub run: String,
}

/// The costs of a stack's side in both scenarios.
#[derive(Clone, Debug, Serialize)]
pub struct ScenarioCost {
    /// The stack's name.
    pub stack: String,
    /// The name with its library's version.
    pub named: String,
    /// `client`, `server`, or `both` by the wall.
    pub side: Whose,
    /// `time`, `wall`, or a metric of memory, counts or contention, such as `heap.peak`.
    pub metric: String,
    /// The unit of both figures.
    pub unit: String,
    /// The first scenario's figure.
    pub over: Option<f64>,
    /// The second scenario's figure.
    pub scenario: Option<f64>,
    /// The second over the first. For times it is the mean of ratios within the same visits, not the ratio of
    /// the two figures.
    pub ratio: Option<Estimated>,
    /// The reason for a missing ratio.
    pub no_ratio: Option<String>,
}

/// A metric in the table and in a sentence; a metric without a sentence is only in the table.
struct Noun {
    metric: &'static str,
    title: &'static str,
    noun: &'static str,
    is_in_answer: bool,
}

const fn noun(metric: &'static str, title: &'static str, noun: &'static str) -> Noun {
    Noun { metric, title, noun, is_in_answer: true }
}

const fn row(metric: &'static str, title: &'static str) -> Noun {
    Noun { metric, title, noun: title, is_in_answer: false }
}

/// The unit of times.
const MICROSECONDS: &str = "µs";

/// The metrics in their order.
const NOUNS: [Noun; 24] = [
    noun("time", "time", "time"),
    noun("wall", "time of both sides at once", "time"),
    noun("count.instructions", "instructions", "instructions"),
    noun("heap.peak", "peak heap", "peak heap"),
    row("heap.allocations", "allocations"),
    row("heap.allocated", "allocated in all"),
    row("heap.held", "heap held when the work is done"),
    row("heap.context", "heap of a context"),
    row("stack", "peak stack"),
    noun("idle.room", "heap of an idle connection", "heap of an idle connection"),
    row("idle.resident", "resident memory of an idle connection"),
    noun("contention.atomics", "contended atomic operations", "contended atomic operations"),
    row("contention.stores", "other contended writes"),
    row("contention.hottest", "writes to the hottest line"),
    row("contention.serial", "serial instructions"),
    noun("wire.handshake", "bytes of the handshake", "bytes of the handshake"),
    row("wire.flight.1", "bytes of the first flight"),
    row("wire.round_trips", "round trips"),
    noun("wire.data", "bytes of a write on the wire", "bytes of a write on the wire"),
    noun("wire.total", "bytes of a short connection on the wire", "bytes of a short connection on the wire"),
    noun("kernel.calls", "system calls", "system calls"),
    row("kernel.faults", "page faults"),
    row("kernel.grown", "bytes asked of the kernel"),
    row("kernel.returned", "bytes given back to the kernel"),
];

impl ScenarioCosts {
    /// Of a run that measured both.
    #[must_use]
    pub fn of(report: &Report, over: &str, scenario: &str) -> Self {
        let mut costs: Vec<ScenarioCost> = report
            .together
            .iter()
            .flat_map(|group| &group.ratios)
            .filter(|ratio| (&*ratio.over, &*ratio.scenario) == (over, scenario))
            .map(|ratio| of_time(report, ratio))
            .collect();
        costs.extend(NOUNS.iter().flat_map(|noun| exact(report, noun.metric, over, scenario)));
        let place = |metric: &str| NOUNS.iter().position(|noun| noun.metric == metric);
        let side = |side: Whose| usize::from(side == Whose::Client);
        let ratio = |cost: &ScenarioCost| cost.ratio.as_ref().map_or(f64::INFINITY, |ratio| ratio.value);
        costs.sort_by(|one, other| {
            let key = |cost: &ScenarioCost| (place(&cost.metric), side(cost.side));
            key(one).cmp(&key(other)).then(ratio(one).total_cmp(&ratio(other)))
        });
        let difference = difference(over, scenario);
        let answer = answer(&difference, &costs);
        let (over, scenario) = (over.to_owned(), scenario.to_owned());
        Self { over, scenario, difference, answer, costs, run: report.run.id.clone() }
    }

    /// The answer, the figures that it follows from, and their description.
    #[must_use]
    pub fn text(&self, format: ListFormat) -> String {
        let mut text = match self.answer.is_empty() {
            true => "No stack has a figure in both scenarios; the table has the reasons.\n\n".to_owned(),
            false => self.answer.join(if format == ListFormat::Markdown { "\n\n" } else { "\n" }) + "\n\n",
        };
        let [over, scenario] = columns(&self.over, &self.scenario);
        for noun in &NOUNS {
            let costs: Vec<&ScenarioCost> =
                self.costs.iter().filter(|cost| cost.metric == noun.metric).collect();
            let Some(unit) = costs.first().map(|cost| &cost.unit) else { continue };
            if !noun.is_in_answer && costs.iter().all(|cost| cost.ratio.is_none()) {
                continue;
            }
            let title = match unit.as_str() {
                "bytes" | MICROSECONDS => format!("{}, {unit}", noun.title),
                _ => noun.title.to_owned(),
            };
            let mut listing = Listing::new([&*title, "side", &over, &scenario, "costs"]);
            for cost in costs {
                listing.add(cost.row());
            }
            text += &listing.text(format);
            text.push('\n');
        }
        text += &format!(
            "{}: {}\n{}: {}\n",
            columns(&self.over, &self.scenario)[0],
            self.over,
            scenario,
            self.scenario
        );
        if self.costs.iter().any(|cost| ["time", "wall"].contains(&&*cost.metric)) {
            text += super::together::NOTE;
            text.push('\n');
        }
        text
    }
}

impl ScenarioCost {
    fn row(&self) -> [String; 5] {
        let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), figure);
        let costs = match (&self.ratio, &self.no_ratio) {
            (Some(ratio), _) if is_open(ratio) => format!("no difference seen (± {} %)", seen(ratio)),
            (Some(ratio), _) if ratio.value == 1.0 => "the same".to_owned(),
            (Some(ratio), _) if self.unit == MICROSECONDS => Relative::of(ratio).cell(),
            (Some(ratio), _) => Relative::of(ratio).bare(),
            (None, why) => why.clone().unwrap_or_else(|| "–".to_owned()),
        };
        [self.named.clone(), whose(self.side).to_owned(), value(self.over), value(self.scenario), costs]
    }
}

/// Whether the interval of a ratio contains 1.
fn is_open(ratio: &Estimated) -> bool {
    ratio.interval.is_some_and(|interval| interval.lower <= 1.0 && interval.upper >= 1.0)
}

/// The difference that would have been seen, %.
fn seen(ratio: &Estimated) -> String {
    let width = ratio.interval.map_or(0.0, |interval| (interval.upper / interval.lower).sqrt() - 1.0);
    significant(100.0 * width, 2)
}

fn whose(side: Whose) -> &'static str {
    match side {
        Whose::Both => "both",
        side => side.name(),
    }
}

fn of_time(report: &Report, one: &ScenarioRatio) -> ScenarioCost {
    let value = |scenario: &str| {
        let cell = report.cell(scenario, &one.stack, one.side, one.metric)?;
        Some(cell.outcome.measured()?.estimated.value)
    };
    ScenarioCost {
        stack: one.stack.clone(),
        named: with_version(report, &clean(&one.stack)),
        side: one.side,
        metric: one.metric.to_string(),
        unit: MICROSECONDS.to_owned(),
        over: value(&one.over),
        scenario: value(&one.scenario),
        ratio: one.ratio.clone(),
        no_ratio: one.no_ratio.as_deref().map(clean),
    }
}

/// A metric of both scenarios that is exact. One value of each is compared: the first seed's or the mean.
fn exact(report: &Report, metric: &str, over: &str, scenario: &str) -> Vec<ScenarioCost> {
    let of = |name: &str| {
        let name = name.to_owned();
        report.exact.iter().filter(move |cell| cell.scenario == name && cell.metric == metric)
    };
    let mut costs = Vec::new();
    for cell in of(scenario) {
        let other = of(over).find(|other| other.stack == cell.stack && other.side == cell.side);
        let value = |cell: &ExactCell| match &cell.outcome {
            ExactOutcome::Measured(seen) => Ok(seen.value),
            other => {
                Err(other.hole().map_or_else(String::new, |(kind, why)| format!("{kind}: {}", clean(why))))
            }
        };
        let (after, before) =
            (value(cell), other.map(value).unwrap_or_else(|| Err("not measured".to_owned())));
        let (ratio, no_ratio) = match (&before, &after) {
            (Err(why), _) => (None, Some(why.clone())),
            (_, Err(why)) => (None, Some(why.clone())),
            (Ok(before), Ok(after)) if before == after => (Some(1.0), None),
            (Ok(before), Ok(after)) if *before == 0.0 => {
                (None, Some(format!("from zero: +{}", figure(*after))))
            }
            (Ok(before), Ok(after)) => (Some(after / before), None),
        };
        costs.push(ScenarioCost {
            stack: cell.stack.clone(),
            named: with_version(report, &clean(&cell.stack)),
            side: cell.side.into(),
            metric: metric.to_owned(),
            unit: cell.unit.symbol().to_owned(),
            over: before.ok(),
            scenario: after.ok(),
            ratio: ratio.map(|value| Estimated { n: 1, value, interval: None, no_interval: None }),
            no_ratio,
        });
    }
    costs
}

/// A sentence for each metric and side with at least one ratio.
fn answer(difference: &str, costs: &[ScenarioCost]) -> Vec<String> {
    let mut sentences = Vec::new();
    for noun in NOUNS.iter().filter(|noun| noun.is_in_answer) {
        for side in [Whose::Server, Whose::Client, Whose::Both] {
            let here = costs.iter().filter(|cost| cost.metric == noun.metric && cost.side == side);
            let here: Vec<&ScenarioCost> = here.collect();
            if here.iter().all(|cost| cost.ratio.is_none()) {
                continue;
            }
            let parts: Vec<String> = here.into_iter().map(|cost| part(cost, noun.noun)).collect();
            let whom = match side {
                Whose::Both => "both sides",
                Whose::Client => "a client",
                Whose::Server => "a server",
            };
            sentences.push(format!("{difference} costs {whom} {}.", parts.join("; ")));
        }
    }
    sentences
}

/// `34 % more time with openssl 3.5.5`, as part of the answer.
fn part(cost: &ScenarioCost, noun: &str) -> String {
    let Some(ratio) = &cost.ratio else { return format!("no figure for both with {}", cost.named) };
    let amount = match ratio.value {
        _ if is_open(ratio) => format!("no {noun} that could be seen (± {} %)", seen(ratio)),
        1.0 => format!("no more {noun}"),
        _ => {
            let relative = Relative::of(ratio);
            match relative.range_with_unit() {
                range if range.is_empty() => relative.of_noun(noun),
                range => format!("{} ({range})", relative.of_noun(noun)),
            }
        }
    };
    format!("{amount} with {}", cost.named)
}

/// Where two names differ, as part of a sentence.
fn difference(over: &str, scenario: &str) -> String {
    let [over, scenario] = columns(over, scenario);
    format!("{scenario} instead of {over}")
}

/// The parts of each name that the other does not have: by position if both have as many parts, and without
/// the family if further parts differ.
fn columns(over: &str, scenario: &str) -> [String; 2] {
    let parts: [Vec<&str>; 2] = [over, scenario].map(|name| name.split('/').collect());
    let [one, other] = &parts;
    if one.len() == other.len() {
        let mut differ: Vec<usize> = (0..one.len()).filter(|at| one[*at] != other[*at]).collect();
        // Families are named after the difference.
        if differ.len() > 1 && differ[0] == 0 {
            differ.remove(0);
        }
        return parts
            .each_ref()
            .map(|parts| differ.iter().map(|at| parts[*at]).collect::<Vec<_>>().join(" "));
    }
    let without = |of: &[&str], parts: &[&str]| {
        let kept: Vec<&str> = of.iter().copied().filter(|part| !parts.contains(part)).collect();
        if kept.is_empty() { of.join("/") } else { kept.join(" ") }
    };
    [without(one, other), without(other, one)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_in_two_names_is_said() {
        let pairs = [
            ("h/1.3/p256/x25519/aes/none", "h/1.3/p256/mlkem/aes/none", "mlkem instead of x25519"),
            ("h/1.3/p256/x25519/aes", "pq/1.3/p256/mlkem/aes", "mlkem instead of x25519"),
            ("h/1.3/p256/x/aes/none", "res/1.3/ticket/p256/x/aes/none", "res ticket instead of h"),
            ("h/1.3/aes", "mutual/1.3/aes", "mutual instead of h"),
            ("a", "b", "b instead of a"),
            ("h/1.3/p256/x/aes/name", "res/1.3/ticket/p256/x/aes/none", "res ticket none instead of h name"),
            ("a/b", "a", "a instead of b"),
        ];
        for (over, scenario, says) in pairs {
            assert_eq!(difference(over, scenario), says);
        }
    }
}
