//! Stacks in the order of their costs for a mix.

use serde::Serialize;
use tlslab_estimate::{PairRatio, Quantity};
use tlslab_text::number::significant;
use tlslab_text::{ListFormat, Listing};

use crate::candidate::{Candidate, Total};
use crate::cores::{self, Cores, OnCores};
use crate::library::SeveralLibraries;
use crate::mix::Mix;
use crate::pairs::{Pair, ratio_of_totals};
use crate::work::Work;

/// Stacks in order, the cheapest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// The mix.
    pub mix: Mix,
    /// Those with all costs of it.
    pub ranked: Vec<Ranked>,
    /// Those that are not ranked.
    pub excluded: Vec<Excluded>,
    /// Its processors, if more than one core was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<Cores>,
}

/// A stack that is ranked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// The stack with its version.
    pub stack: String,
    /// The cost of a connection.
    pub total: Quantity,
    /// The cost of the first over that of this one; none for the first itself.
    pub first_over: Option<FirstOver>,
    /// Connections per second of one core that does nothing else.
    pub connections_per_s: Option<Quantity>,
    /// Bytes that such a core carries in that time, MB/s.
    pub mb_per_s: Option<Quantity>,
    /// The cost of a full handshake: how long its side keeps the other waiting.
    pub handshake: Option<Quantity>,
    /// Heap of an idle connection.
    pub memory: Option<Quantity>,
    /// Why that is not known.
    pub no_memory: String,
    /// The throughput on many processors, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_cores: Option<OnCores>,
}

/// The cost of the first over that of another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FirstOver {
    /// The ratio with its bounds.
    #[serde(flatten)]
    pub ratio: PairRatio,
    /// Whether it is from turns of one run; else its bounds come from those of both totals.
    pub is_of_one_run: bool,
    /// Whether the first is cheaper, beyond the bounds and the possible effect of code layout.
    pub is_clear: bool,
}

/// A stack that is not ranked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Excluded {
    /// The stack with its version.
    pub stack: String,
    /// The first cost that is missing, and why.
    pub why: String,
}

impl Ranking {
    /// Of these stacks, with the ratios of those that one run measured.
    ///
    /// # Errors
    /// Fails if counts are to rank stacks of several libraries.
    pub fn of(mix: &Mix, candidates: &[Candidate], pairs: &[Pair]) -> Result<Self, SeveralLibraries> {
        let names = candidates.iter().map(|candidate| candidate.stack.as_str());
        if let Some(several) = SeveralLibraries::among(names).filter(|_| mix.is_counted()) {
            return Err(several);
        }
        let (mut ranked, mut excluded) = (Vec::new(), Vec::new());
        for (at, candidate) in candidates.iter().enumerate() {
            match candidate.total(mix) {
                Total::Known(total) => ranked.push((at, place(candidate, mix, total))),
                Total::Missing(why) => excluded.push(Excluded { stack: candidate.name(), why }),
            }
        }
        ranked.sort_by(|(_, one), (_, other)| one.total.value.total_cmp(&other.total.value));
        if let [(first_at, first), others @ ..] = &mut ranked[..] {
            for (at, other) in others {
                let ratio = ratio_of_totals(mix, candidates, pairs, [*first_at, *at]);
                let of_bounds = || FirstOver::of_bounds(&first.total, &other.total);
                other.first_over = Some(ratio.map_or_else(of_bounds, FirstOver::of_one_run));
            }
        }
        let ranked = ranked.into_iter().map(|(_, one)| one).collect();
        Ok(Self { mix: mix.clone(), ranked, excluded, cores: None })
    }

    /// The throughput on so many processors, the highest first; those without a known limit come last.
    #[must_use]
    pub fn on_cores(mut self, candidates: &[Candidate], cores: Cores) -> Self {
        for one in &mut self.ranked {
            // The first of one core need not be that of many.
            one.first_over = None;
            let candidate = candidates.iter().find(|candidate| candidate.name() == one.stack);
            one.on_cores = candidate.zip(one.connections_per_s.as_ref()).map(|(candidate, each)| {
                OnCores::of(candidate.ceilings(&self.mix, cores.move_ns), each.value, cores.number)
            });
        }
        let rate = |one: &Ranked| one.on_cores.as_ref().and_then(|on| on.connections_per_s).unwrap_or(0.0);
        self.ranked.sort_by(|one, other| rate(other).total_cmp(&rate(one)));
        self.cores = Some(cores);
        self
    }

    /// The answer in a sentence.
    #[must_use]
    pub fn answer(&self) -> String {
        if let Some(cores) = self.cores {
            let known =
                self.ranked.iter().filter_map(|one| Some((one.stack.as_str(), one.on_cores.as_ref()?)));
            return cores::answer(known, cores);
        }
        let [first, others @ ..] = &self.ranked[..] else {
            return "No stack has all the costs of this mix".to_owned();
        };
        let total = first.total.rounded();
        let Some((second, over)) = others.first().and_then(|second| Some((second, second.first_over?)))
        else {
            return format!("Only {} has all costs: {total} per connection", first.stack);
        };
        let (name, next) = (&first.stack, &second.stack);
        let is_counted = self.mix.is_counted();
        // Counts are exact, whichever runs they are of.
        let alone = if over.is_of_one_run || is_counted { "" } else { "; no run measured both in turns" };
        if !over.is_clear {
            return match over.is_of_one_run {
                true => {
                    format!("No significant difference between {name} and {next}: {}", over.ratio.apart())
                }
                false => format!("{name} and {next} are level: their bounds overlap{alone}"),
            };
        }
        let ratio = over.ratio.ratio;
        // A share of more than half is read more easily as a multiple.
        let text = match (ratio <= 0.5, over.is_of_one_run) {
            (true, _) => format!("the next one, {next}, costs {} times as much", significant(1.0 / ratio, 2)),
            (false, true) => format!("{} than the next one, {next}", over.ratio.less()),
            (false, false) => {
                let less = if is_counted { "fewer" } else { "less" };
                format!("{} % {less} than the next one, {next}", significant(100.0 * (1.0 - ratio), 2))
            }
        };
        format!("{name} is cheapest: {total} per connection, {text}{alone}")
    }

    /// The cost of a million connections for each stack, in units of a bill: CPU-seconds of the side, and
    /// memory while they are idle.
    #[must_use]
    pub fn per_million(&self) -> Option<String> {
        let total = |one: &Ranked| match &*one.total.unit {
            "µs" => Some(one.total.value),
            "ns" => Some(one.total.value / 1e3),
            _ => None,
        };
        let part = |one: &Ranked| {
            // A microsecond each is a second for a million.
            let seconds = significant(total(one)?, 3);
            let gigabytes = one.memory.as_ref().map(|memory| significant(memory.value * 1e6 / 1e9, 2));
            let memory = gigabytes.map_or_else(String::new, |size| format!(" and, idle, {size} GB"));
            Some(format!("{} {seconds} CPU-seconds{memory}", one.stack))
        };
        let parts: Option<Vec<String>> = self.ranked.iter().map(part).collect();
        let parts = parts.filter(|parts| !parts.is_empty())?;
        Some(format!("A million connections take: {}.", parts.join("; ")))
    }

    /// As a table of text, Markdown or JSON.
    #[must_use]
    pub fn text(&self, format: ListFormat) -> String {
        let is_time = self.mix.metric == "time";
        let mut columns = ["stack", "per connection", "bounds"].map(str::to_owned).to_vec();
        // On several cores the first is another one.
        columns.extend(self.cores.is_none().then(|| "over the first".to_owned()));
        if is_time {
            columns.extend(["connections/s and core", "MB/s and core"].map(str::to_owned));
        }
        if let Some(cores) = self.cores {
            columns.extend([format!("connections/s of {} cores", cores.number), "limited by".to_owned()]);
        }
        columns.extend(["full handshake", "heap of an idle connection"].map(str::to_owned));
        let mut listing = Listing::new(columns);
        for one in &self.ranked {
            let more = one.first_over.map_or_else(|| "–".to_owned(), |over| over.text());
            let mut row = vec![one.stack.clone(), one.total.text(), one.total.range()];
            row.extend(self.cores.is_none().then_some(more));
            if is_time {
                let rate = |rate: &Option<Quantity>| {
                    rate.as_ref()
                        .map(|rate| format!("{} {}", rate.number(), rate.range()))
                        .unwrap_or_default()
                };
                row.extend([rate(&one.connections_per_s), rate(&one.mb_per_s)]);
            }
            row.extend(one.on_cores.iter().flat_map(OnCores::cells));
            row.push(one.handshake.as_ref().map(Quantity::text).unwrap_or_default());
            row.push(one.memory.as_ref().map_or_else(|| one.no_memory.clone(), Quantity::text));
            listing.add(row);
        }
        listing.text(format)
    }
}

impl FirstOver {
    /// From the totals' own bounds.
    fn of_bounds(first: &Quantity, other: &Quantity) -> Self {
        let ratio = PairRatio {
            ratio: first.value / other.value,
            lower: first.lower.unwrap_or(first.value) / other.upper.unwrap_or(other.value),
            upper: first.upper.unwrap_or(first.value) / other.lower.unwrap_or(other.value),
            floor: 0.0,
        };
        Self { ratio, is_of_one_run: false, is_clear: ratio.is_less() }
    }

    fn of_one_run(ratio: PairRatio) -> Self {
        Self { ratio, is_of_one_run: true, is_clear: ratio.is_less() }
    }

    /// The extra cost over the first: `+57 %`, with bounds if one run measured both.
    #[must_use]
    pub fn text(&self) -> String {
        match self.is_of_one_run {
            true => self.ratio.more(),
            false => self.ratio.more_without_bounds(),
        }
    }
}

fn place(candidate: &Candidate, mix: &Mix, total: Quantity) -> Ranked {
    // A mix in which all connections resume may not have any.
    let handshake = candidate.cost(&Work::Full(mix.key.clone()), mix.side, &mix.metric).ok().cloned();
    let second = if total.unit == "µs" { 1e6 } else { 1e9 };
    let per_second = (mix.metric == "time").then(|| rate(&total, second, ""));
    let memory = candidate.idle(mix.side);
    Ranked {
        stack: candidate.name(),
        first_over: None,
        mb_per_s: per_second
            .as_ref()
            .filter(|_| mix.bytes > 0.0)
            .map(|_| rate(&total, second * mix.bytes / 1e6, "MB/s")),
        connections_per_s: per_second,
        handshake,
        no_memory: memory.as_ref().err().cloned().unwrap_or_default(),
        memory: memory.ok().cloned(),
        on_cores: None,
        total,
    }
}

/// How much of something fits into a time: its bounds change places.
fn rate(time: &Quantity, of: f64, unit: &str) -> Quantity {
    let inverse = |bound: f64| of / bound;
    Quantity {
        value: inverse(time.value),
        lower: time.upper.map(inverse),
        upper: time.lower.map(inverse),
        unit: unit.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::Side;

    use super::*;
    use crate::candidate::Cost;
    use crate::mix::profiles;

    fn candidate(stack: &str, full: f64, memory: Option<f64>) -> Candidate {
        let cost = |work: &str, metric: &str, value: f64, unit: &str| Cost {
            work: work.to_owned(),
            side: Side::Server,
            metric: metric.to_owned(),
            figure: Some(Quantity {
                value,
                lower: Some(value * 0.99),
                upper: Some(value * 1.01),
                unit: unit.to_owned(),
            }),
            hole: String::new(),
            source: None,
        };
        let mut costs = vec![
            cost("ecdsa-p256 x25519", "time", full, "ns"),
            cost("resumed", "time", full / 2.0, "ns"),
            cost("send", "time", 4_000.0, "ns"),
        ];
        costs.extend(memory.map(|memory| cost("idle", "idle.heap", memory, "bytes")));
        Candidate { stack: stack.to_owned(), label: "1.2".to_owned(), costs }
    }

    fn ranking(mix: &Mix, candidates: &[Candidate]) -> Ranking {
        Ranking::of(mix, candidates, &[]).unwrap()
    }

    #[test]
    fn the_first_is_named_only_if_its_bounds_are_clear() {
        let mix = &profiles()[0];
        let [a, b] = [candidate("a", 100_000.0, Some(20_480.0)), candidate("b", 300_000.0, None)];
        let both = ranking(mix, &[b.clone(), a.clone()]);
        assert_eq!(
            both.answer(),
            "a 1.2 is cheapest: 100.0 µs per connection, the next one, b 1.2, costs 2.5 times as much; no run measured both in turns"
        );
        insta::assert_snapshot!(both.text(ListFormat::Table));
        let near = ranking(mix, &[candidate("c", 120_000.0, None), a.clone()]);
        assert_eq!(
            near.answer(),
            "a 1.2 is cheapest: 100.0 µs per connection, 13 % less than the next one, c 1.2; no run measured both in turns"
        );
        let level = ranking(mix, &[candidate("c", 100_500.0, None), a.clone()]);
        assert_eq!(
            level.answer(),
            "a 1.2 and c 1.2 are level: their bounds overlap; no run measured both in turns"
        );
        assert_eq!(ranking(mix, &[]).answer(), "No stack has all the costs of this mix");
        let none = Candidate { costs: Vec::new(), ..b };
        let alone = ranking(mix, &[none, a]);
        assert_eq!(alone.answer(), "Only a 1.2 has all costs: 100.0 µs per connection");
        assert_eq!(alone.excluded[0].why, "ecdsa-p256 x25519: not measured");
    }

    #[test]
    fn candidates_of_one_run_are_ranked_by_their_ratio() {
        // Bounds of 1 % each overlap; the ratio, measured in turns, is known to 0.2 %.
        let all = [candidate("a", 100_000.0, None), candidate("b", 101_000.0, None)];
        let pair = |work: &str, ratio: f64| {
            let ratio = PairRatio { ratio, lower: ratio - 0.002, upper: ratio + 0.002, floor: 0.0025 };
            Pair { work: work.to_owned(), side: Side::Server, of: [1, 0], ratio }
        };
        let pairs =
            |full: f64| vec![pair("ecdsa-p256 x25519", full), pair("resumed", full), pair("send", 1.0)];
        let by = |pairs: &[Pair]| Ranking::of(&profiles()[0], &all, pairs).unwrap().answer();
        assert_eq!(by(&[]), "a 1.2 and b 1.2 are level: their bounds overlap; no run measured both in turns");
        assert_eq!(
            by(&pairs(1.02)),
            "a 1.2 is cheapest: 100.0 µs per connection, 1.5 % less (1.3 to 1.7 %) than the next one, b 1.2"
        );
        assert_eq!(
            by(&pairs(1.003)),
            "No significant difference between a 1.2 and b 1.2: 0.22 % (0.024 to 0.42 %), which code layout alone can cause"
        );
    }

    #[test]
    fn counts_rank_versions_and_builds_of_one_library_alone() {
        let counted = |stack: &str, value: f64| {
            let mut candidate = candidate(stack, value, None);
            for cost in &mut candidate.costs {
                cost.metric = "count.instructions".to_owned();
                let value = cost.figure.as_ref().unwrap().value;
                let unit = "instructions".to_owned();
                cost.figure = Some(Quantity { value, lower: Some(value), upper: Some(value), unit });
            }
            candidate
        };
        let mix = Mix { metric: "count.instructions".to_owned(), ..profiles().remove(0) };
        let builds = ranking(&mix, &[counted("ssl", 2_000_000.0), counted("ssl+lto", 1_600_000.0)]);
        assert_eq!(
            builds.answer(),
            "ssl+lto 1.2 is cheapest: 1.23 million instructions per connection, 20 % fewer than the next one, ssl 1.2"
        );
        assert_eq!(builds.ranked[1].first_over.unwrap().text(), "+24 %");
        let several = Ranking::of(&mix, &[counted("ssl", 2.0), counted("tls", 1.0)], &[]).unwrap_err();
        assert_eq!(several.names(), ["ssl", "tls"]);
        let timed = Mix { metric: "time".to_owned(), ..mix };
        assert!(
            Ranking::of(&timed, &[counted("ssl", 2.0), counted("tls", 1.0)], &[]).is_ok(),
            "times rank libraries"
        );
    }

    #[test]
    fn rates_are_the_inverse_and_their_bounds_change_places() {
        let ranked = ranking(&profiles()[0], &[candidate("a", 100_000.0, None)]).ranked.remove(0);
        let rate = ranked.connections_per_s.unwrap();
        // 0.5 · 100 µs + 0.5 · 50 µs + 6.25 · 4 µs
        assert!((rate.value - 10_000.0).abs() < 1e-6);
        assert!(rate.lower.unwrap() < rate.value && rate.value < rate.upper.unwrap());
        assert!((ranked.mb_per_s.unwrap().value - 1024.0).abs() < 1e-6);
    }
}
