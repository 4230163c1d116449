//! The result of scaling, for a terminal.

use tlslab_text::number::{counted, figure, significant};
use tlslab_text::{ListFormat, Listing};

use tlslab_stats::Estimate;

use super::scaling::{Scaled, ScaledSide, ScaledStack, Scaling, ScalingTable};

impl ScalingTable {
    /// The answer in a sentence: the rate of threads as a share of that of as many processes, the largest
    /// loss first.
    #[must_use]
    pub fn answer(&self) -> String {
        let found = |stack: &ScaledStack| match &stack.outcome {
            Scaling::Found(found) => Some((stack.stack.clone(), found.threads_over_processes)),
            Scaling::Failed(_) => None,
        };
        let mut ratios: Vec<(String, Estimate)> = self.stacks.iter().filter_map(found).collect();
        ratios.sort_by(|(_, one), (_, other)| one.value.total_cmp(&other.value));
        if ratios.is_empty() {
            return "No stack has a figure.".to_owned();
        }
        let part = |(stack, ratio): &(String, Estimate)| {
            let [value, lower, upper] = [ratio.value, ratio.lower, ratio.upper].map(|share| 100.0 * share);
            let loses = if ratio.upper < 1.0 { "" } else { ", no loss seen" };
            format!("{stack} {value:.0} % ({lower:.0} to {upper:.0} %{loses})")
        };
        let parts: Vec<String> = ratios.iter().map(part).collect();
        let (threads, processes) = (counted(self.threads, "thread"), counted(self.threads, "process"));
        format!("{threads} of one process reach, of what {processes} reach: {}.", parts.join("; "))
    }

    /// A table as text or Markdown, with a description of its columns.
    #[must_use]
    pub fn text(&self, format: ListFormat) -> String {
        let columns = [
            "stack",
            "threads ÷ processes",
            "lost, both sides",
            "side",
            "contended writes",
            "hottest line",
            "serial instructions",
            "contended share",
            "ceiling, connections/s",
        ];
        let mut listing = Listing::new(columns);
        for stack in &self.stacks {
            match &stack.outcome {
                Scaling::Found(found) => {
                    rows(&stack.stack, found).into_iter().for_each(|row| listing.add(row))
                }
                Scaling::Failed(why) => listing.add([stack.stack.clone(), why.clone()]),
            }
        }
        let head = format!(
            "{}\n\n{}: {} of one process against {}, each on a processor of its own\n\n",
            self.answer(),
            self.scenario,
            counted(self.threads, "thread"),
            counted(self.threads, "process"),
        );
        let mut notes = vec![
            "\nthreads ÷ processes: connections per second of all threads, over those of as many processes; 95 % interval."
                .to_owned(),
        ];
        notes.push(match self.move_ns {
            None => "One processor: there are no ceilings.".to_owned(),
            Some(ns) => format!(
                "A write that moves a cache line takes {ns:.0} ns here. Ceilings hold for any number of processors, if each write \
                 to the hottest line moves it and serial work is never interrupted: bounds, not forecasts."
            ),
        });
        notes.extend(self.warnings.iter().map(|warning| format!("- {warning}")));
        format!("{head}{}{}\n", listing.text(format), notes.join("\n"))
    }
}

fn rows(stack: &str, found: &Scaled) -> Vec<Vec<String>> {
    let ratio = &found.threads_over_processes;
    let lost = match (ratio.upper < 1.0, found.lost_ns_per_write) {
        (false, _) => "none seen".to_owned(),
        (true, None) => format!("{} µs", significant(found.lost_ns / 1e3, 2)),
        (true, Some(each)) => {
            format!("{} µs, {} ns a write", significant(found.lost_ns / 1e3, 2), significant(each, 2))
        }
    };
    let mut first = vec![
        stack.to_owned(),
        format!("{:.3} ({:.3} to {:.3})", ratio.value, ratio.lower, ratio.upper),
        lost,
    ];
    found
        .sides
        .iter()
        .map(|side| {
            let before = std::mem::replace(&mut first, vec![String::new(); 3]);
            before.into_iter().chain(of_side(side)).collect()
        })
        .collect()
}

fn of_side(side: &ScaledSide) -> Vec<String> {
    let (share, ceiling) = match &side.ceilings {
        None => ("–".to_owned(), "–".to_owned()),
        Some(ceilings) => (
            format!("{} %", significant(100.0 * ceilings.contended_share, 2)),
            ceilings.lowest().map_or_else(
                || "none".to_owned(),
                |(limit, rate)| format!("{} by {}", figure(rate), limit.words()),
            ),
        ),
    };
    vec![
        side.side.name().to_owned(),
        figure(side.limits.contended_writes),
        figure(side.limits.hottest_writes),
        figure(side.serial_instructions),
        share,
        ceiling,
    ]
}
