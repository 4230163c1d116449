//! Memory of connections: that of many connections for each stack, and other memory of a side.

use std::collections::BTreeSet;

use serde::Serialize;
use tlslab_estimate::{PairRatio, Quantity};
use tlslab_protocol::Side;
use tlslab_text::number::{significant, whole};
use tlslab_text::{ListFormat, Listing};

use crate::candidate::Candidate;
use crate::mix::Mix;
use crate::ranking::Excluded;
use crate::work::Work;

/// The memory that the system has given a process for one more idle connection: the cost.
const RESIDENT: &str = "idle.resident";

/// Stacks by the memory of an idle connection, the least first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryRanking {
    /// The side.
    pub side: Side,
    /// The connections that totals are of.
    pub connections: u64,
    /// Stacks with known memory.
    pub ranked: Vec<MemoryOf>,
    /// Those that are not ranked.
    pub excluded: Vec<Excluded>,
}

/// The memory of a stack. All figures are bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryOf {
    /// The stack with its version.
    pub stack: String,
    /// All the connections, idle.
    pub total: f64,
    /// Growth of the process's resident set with one more idle connection: the bill.
    pub resident: f64,
    /// The memory that the library requested from the allocator, for the same.
    pub requested: Option<f64>,
    /// The most that a full handshake holds at once.
    pub handshake_peak: Option<f64>,
    /// The additional memory of a connection that has written or read a record of the largest size.
    pub after_traffic: Option<f64>,
    /// A further context of this side: certificates, keys, roots and settings.
    pub context: Option<f64>,
}

impl MemoryRanking {
    /// Of these stacks, for a mix's side, key and direction.
    #[must_use]
    pub fn of(mix: &Mix, candidates: &[Candidate], connections: u64) -> Self {
        let (mut ranked, mut excluded) = (Vec::new(), Vec::new());
        for candidate in candidates {
            let value =
                |work: &Work, metric: &str| candidate.cost(work, mix.side, metric).map(|figure| figure.value);
            let full = Work::Full(mix.key.clone());
            let traffic = if mix.sends { Work::Send } else { Work::Receive };
            match value(&Work::Idle, RESIDENT) {
                Err(why) => excluded.push(Excluded { stack: candidate.name(), why }),
                Ok(resident) => ranked.push(MemoryOf {
                    stack: candidate.name(),
                    total: resident * connections as f64,
                    resident,
                    requested: value(&Work::Idle, "idle.heap").ok(),
                    handshake_peak: value(&full, "heap.peak").ok(),
                    after_traffic: value(&traffic, "heap.held").ok(),
                    context: value(&full, "heap.context").ok(),
                }),
            }
        }
        ranked.sort_by(|one: &MemoryOf, other| one.total.total_cmp(&other.total));
        Self { side: mix.side, connections, ranked, excluded }
    }

    /// The runs that measured the memory of a mix's side.
    #[must_use]
    pub fn runs(mix: &Mix, candidates: &[Candidate]) -> BTreeSet<String> {
        let is_memory = |metric: &str| metric.starts_with("idle.") || metric.starts_with("heap.");
        let costs = candidates.iter().flat_map(|candidate| &candidate.costs);
        let of_it = costs.filter(|cost| cost.side == mix.side && is_memory(&cost.metric));
        of_it.filter_map(|cost| Some(cost.source.as_ref()?.run.clone())).collect()
    }

    /// The answer in a sentence.
    #[must_use]
    pub fn answer(&self) -> String {
        let what = format!("{} idle connections of a {}", whole(self.connections), self.side.name());
        if self.ranked.is_empty() {
            return format!("No stack has a figure for {what}");
        }
        format!("{what} take {}", in_order(self.ranked.iter().map(|one| (&*one.stack, one.total))))
    }

    /// The table, and the meaning of its columns.
    #[must_use]
    pub fn text(&self, format: ListFormat) -> String {
        let total = format!("{} idle", whole(self.connections));
        let mut listing = Listing::new([
            "stack",
            &*total,
            "one idle, KiB",
            "of it requested, KiB",
            "peak of a handshake, KiB",
            "more after traffic, KiB",
            "a context, KiB",
        ]);
        let kib = |bytes: Option<f64>| bytes.map_or_else(|| "–".to_owned(), in_kib);
        for one in &self.ranked {
            listing.add([
                one.stack.clone(),
                size(one.total),
                in_kib(one.resident),
                kib(one.requested),
                kib(one.handshake_peak),
                kib(one.after_traffic),
                kib(one.context),
            ]);
        }
        format!("{}\n{NOTE}\n", listing.text(format))
    }
}

/// The meaning of the columns.
const NOTE: &str = "The bill is \"idle\": growth of the resident set, with the allocator's reserves, per connection held open after its handshake. \
     \"Requested\" is what the library asked the allocator for. A handshake's peak is held for its duration only. Not included: \
     sockets and buffers of the program and the kernel, and sessions in a cache.";

/// Stacks with their bytes, the least first: each with what it takes more than the first.
pub(crate) fn in_order<'s>(ranked: impl Iterator<Item = (&'s str, f64)>) -> String {
    let mut least = None;
    let words = ranked.map(|(stack, bytes)| {
        let taken = format!("{stack} {}", size(bytes));
        let ratio = *least.get_or_insert(bytes) / bytes;
        let ratio = PairRatio { ratio, lower: ratio, upper: ratio, floor: 0.0 };
        if ratio.ratio < 1.0 { format!("{taken} ({})", ratio.more_without_bounds()) } else { taken }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Bytes in a unit that reads well: `2.04 GB`, `734 MB`.
fn size(bytes: f64) -> String {
    let (factor, unit) = match bytes {
        1e9.. => (1e9, "GB"),
        1e6.. => (1e6, "MB"),
        _ => (1e3, "kB"),
    };
    format!("{} {unit}", significant(bytes / factor, 3))
}

fn in_kib(bytes: f64) -> String {
    Quantity { value: bytes / 1024.0, lower: None, upper: None, unit: String::new() }.number()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::Cost;
    use crate::mix::profiles;

    fn candidate(stack: &str, resident: Option<f64>) -> Candidate {
        let cost = |work: &str, metric: &str, value: Option<f64>| Cost {
            work: work.to_owned(),
            side: Side::Server,
            metric: metric.to_owned(),
            figure: value.map(|value| Quantity { value, lower: None, upper: None, unit: "bytes".to_owned() }),
            hole: if value.is_none() { "unsupported: no".to_owned() } else { String::new() },
            source: None,
        };
        let costs = vec![
            cost("idle", "idle.resident", resident),
            cost("ecdsa-p256 x25519", "heap.peak", Some(20_480.0)),
        ];
        Candidate { stack: stack.to_owned(), label: "1".to_owned(), costs }
    }

    #[test]
    fn totals_are_the_number_times_one_and_the_least_is_first() {
        let all = [candidate("a", Some(20_000.0)), candidate("b", Some(8_000.0)), candidate("c", None)];
        let ranking = MemoryRanking::of(&profiles()[0], &all, 100_000);
        let names: Vec<&str> = ranking.ranked.iter().map(|one| one.stack.as_str()).collect();
        assert_eq!(names, ["b 1", "a 1"]);
        assert_eq!(
            ranking.answer(),
            "100,000 idle connections of a server take b 1 800 MB, a 1 2.00 GB (2.5 times)"
        );
        assert_eq!(ranking.excluded[0].why, "idle: unsupported: no");
        let text = ranking.text(ListFormat::Markdown);
        assert!(text.contains("| b 1 | 800 MB | 7.812 | – | 20.00 | – | – |"), "{text}");
    }
}
