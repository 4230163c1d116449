//! The page's first line: who is fastest, by how much, at what.

use tlslab_estimate::{Family, Headline, Report};
use tlslab_report::ScenarioCosts;
use tlslab_report::tables::{
    Relative, all_of, kernel_answer, processor_answers, rests_on_two_speeds, size_answer, verdict,
    wire_answer,
};
use tlslab_text::{clean, first_line};

use super::cards::compared;

/// The answer, its evidence and the class of its sign.
pub(super) struct Verdict {
    pub class: &'static str,
    pub answer: String,
    pub evidence: Vec<String>,
    pub failures: Vec<String>,
}

impl Verdict {
    pub(super) fn of(report: &Report, title: &str) -> Self {
        let failed = report.stacks.iter().filter_map(|stack| {
            let reason = clean(first_line(stack.failure()?));
            Some(format!("Failed: {}: {reason}", all_of(report, &clean(&stack.name))))
        });
        if let Some(costs) = of_two_scenarios(report) {
            let mut answer = costs.answer.into_iter();
            return Self {
                class: "result",
                answer: answer.next().unwrap_or_default(),
                evidence: answer.collect(),
                failures: failed.collect(),
            };
        }
        let headlines: Vec<&Headline> = compared(report).collect();
        let first = headlines.first().map(|headline| headline.family);
        let (of_first, rest): (Vec<&Headline>, Vec<&Headline>) =
            headlines.into_iter().partition(|headline| Some(headline.family) == first);
        let answer = match of_first.as_slice() {
            [] => size_answer(report)
                .or_else(|| wire_answer(report))
                .or_else(|| kernel_answer(report))
                .unwrap_or_else(|| title.to_owned()),
            [one] => sentence(report, one),
            [one, other, ..] => both(report, one, other),
        };
        Self {
            class: if report.participants().next().is_none() && !report.stacks.is_empty() {
                "failed"
            } else {
                "result"
            },
            answer,
            evidence: rest
                .into_iter()
                .map(|headline| format!("{}.", sentence(report, headline)))
                .chain(processor_answers(report))
                .collect(),
            failures: failed.collect(),
        }
    }
}

/// The extra cost of the second of two scenarios over the first, if the run measured only those two,
/// together.
fn of_two_scenarios(report: &Report) -> Option<ScenarioCosts> {
    let [group] = &report.together[..] else { return None };
    let [over, scenario] = &group.scenarios[..] else { return None };
    let costs = (report.scenarios.len() == 2).then(|| ScenarioCosts::of(report, over, scenario))?;
    (!costs.answer.is_empty()).then_some(costs)
}

/// Both sides of a family, with the second in short if the same two stacks lead.
fn both(report: &Report, one: &Headline, other: &Headline) -> String {
    let (Some(first), Some(second)) = (&one.lead, &other.lead) else {
        return format!("{}; {}", sentence(report, one), sentence(report, other));
    };
    let is_same = first.clear
        && second.clear
        && (&first.fastest, &first.next) == (&second.fastest, &second.next)
        && [one, other].iter().all(|headline| headline.reference.as_ref() == Some(&first.next));
    if !is_same {
        return format!("{}; {}", sentence(report, one), sentence(report, other));
    }
    let amount = Relative::of(&second.ratio).amount();
    format!("{} and {amount} ({}){}", sentence(report, one), other.side, mixture(report, other))
}

fn sentence(report: &Report, headline: &Headline) -> String {
    let (lead, _) = verdict(headline);
    let place = format!("in {} ({})", spoken(headline.family), headline.side);
    format!("{lead} {place}{}", mixture(report, headline))
}

fn mixture(report: &Report, headline: &Headline) -> &'static str {
    if rests_on_two_speeds(report, headline) { ", which rests on cells with two speeds" } else { "" }
}

/// A family within a sentence.
fn spoken(family: Family) -> &'static str {
    match family {
        Family::Handshake => "handshakes",
        Family::Defaults => "handshakes with each library's defaults",
        Family::Resumption => "resumed handshakes",
        Family::Contexts => "handshakes with fresh contexts",
        Family::Cold => "the first handshake of a process",
        Family::Request => "short connections",
        Family::Transfer => "application data",
        Family::Exchange => "application data both ways",
        Family::Sockets => "handshakes over loopback TCP",
        Family::SocketRequest => "short connections over loopback TCP",
        Family::SocketTransfer => "application data over loopback TCP",
        Family::Concurrent => "both sides at once",
        Family::OpenLoop => "service time in an open loop",
        Family::Threads => "several threads",
        Family::Primitive => "primitives",
        Family::Idle => "idle connections",
    }
}
