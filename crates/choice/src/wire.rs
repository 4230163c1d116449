//! Bytes on the wire: what connections of a mix send beyond their payload.

use std::collections::BTreeSet;

use serde::Serialize;
use tlslab_protocol::Side;
use tlslab_text::number::whole;
use tlslab_text::{ListFormat, Listing};

use crate::candidate::Candidate;
use crate::memory::in_order;
use crate::mix::Mix;
use crate::ranking::Excluded;
use crate::work::{RECORD_BYTES, Work};

/// Bytes that a side sends in a handshake.
const HANDSHAKE: &str = "wire.handshake";
/// Bytes of a write of [`RECORD_BYTES`].
const DATA: &str = "wire.data";

/// Stacks by the bytes that a connection of a mix sends beyond its payload, the least first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireRanking {
    /// The mix's title.
    pub mix: String,
    /// Bytes of payload of a connection.
    pub payload: f64,
    /// Stacks with known sizes.
    pub ranked: Vec<WireOf>,
    /// Those that are not ranked.
    pub excluded: Vec<Excluded>,
}

/// What a stack sends, as client and as server. All figures are bytes of TLS with the headers of records.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireOf {
    /// The stack with its version.
    pub stack: String,
    /// A connection of the mix, both ways, without its payload.
    pub overhead: f64,
    /// A full handshake: the client's bytes.
    pub full_client: f64,
    /// The server's.
    pub full_server: f64,
    /// A resumed handshake: the client's bytes; nothing if no connection of the mix resumes.
    pub resumed_client: Option<f64>,
    /// The server's.
    pub resumed_server: Option<f64>,
    /// A write of 16 KiB, beyond its payload; nothing if the mix has no payload.
    pub write: Option<f64>,
}

impl WireRanking {
    /// Of these stacks.
    #[must_use]
    pub fn of(mix: &Mix, candidates: &[Candidate]) -> Self {
        let (mut ranked, mut excluded) = (Vec::new(), Vec::new());
        for candidate in candidates {
            match WireOf::of(mix, candidate) {
                Ok(found) => ranked.push(found),
                Err(why) => excluded.push(Excluded { stack: candidate.name(), why }),
            }
        }
        ranked.sort_by(|one: &WireOf, other| one.overhead.total_cmp(&other.overhead));
        Self { mix: mix.title.clone(), payload: mix.bytes, ranked, excluded }
    }

    /// The runs that measured it.
    #[must_use]
    pub fn runs(candidates: &[Candidate]) -> BTreeSet<String> {
        let costs = candidates.iter().flat_map(|candidate| &candidate.costs);
        let of_it = costs.filter(|cost| cost.metric.starts_with("wire."));
        of_it.filter_map(|cost| Some(cost.source.as_ref()?.run.clone())).collect()
    }

    /// The answer in a sentence.
    #[must_use]
    pub fn answer(&self) -> String {
        if self.ranked.is_empty() {
            return "No stack has sizes for this mix".to_owned();
        }
        let ranked = self.ranked.iter().map(|one| (&*one.stack, 1e6 * one.overhead));
        format!("TLS adds to a million connections: {}", in_order(ranked))
    }

    /// The table, and the meaning of its columns.
    #[must_use]
    pub fn text(&self, format: ListFormat) -> String {
        let mut listing = Listing::new([
            "stack",
            "a connection",
            "full: client",
            "server",
            "resumed: client",
            "server",
            "write of 16 KiB",
        ]);
        let bytes = |bytes: f64| whole(bytes.round());
        let some = |of: Option<f64>| of.map_or_else(|| "–".to_owned(), bytes);
        for one in &self.ranked {
            listing.add([
                one.stack.clone(),
                bytes(one.overhead),
                bytes(one.full_client),
                bytes(one.full_server),
                some(one.resumed_client),
                some(one.resumed_server),
                some(one.write),
            ]);
        }
        format!(
            "{}\nBytes of TLS that both sides send beyond the {} bytes of payload, with headers of records and without those of \
             TCP and IP; records of 16 KiB, of which the last may carry less. Not included: tickets and closing alerts. A client offers \
             one group.\n",
            listing.text(format),
            whole(self.payload.round())
        )
    }
}

impl WireOf {
    fn of(mix: &Mix, candidate: &Candidate) -> Result<Self, String> {
        let value =
            |work: &Work, side: Side, metric: &str| candidate.cost(work, side, metric).map(|cost| cost.value);
        let full = Work::Full(mix.key.clone());
        let (full_client, full_server) =
            (value(&full, Side::Client, HANDSHAKE)?, value(&full, Side::Server, HANDSHAKE)?);
        let mut overhead = (1.0 - mix.resumed) * (full_client + full_server);
        let [mut resumed_client, mut resumed_server, mut write] = [None; 3];
        if mix.resumed > 0.0 {
            let (client, server) = (
                value(&Work::Resumed, Side::Client, HANDSHAKE)?,
                value(&Work::Resumed, Side::Server, HANDSHAKE)?,
            );
            overhead += mix.resumed * (client + server);
            (resumed_client, resumed_server) = (Some(client), Some(server));
        }
        if mix.bytes > 0.0 {
            // What a record adds does not depend on the side.
            let added = value(&Work::Send, mix.side, DATA)? - f64::from(RECORD_BYTES);
            // The last record has the whole overhead, however little it carries.
            overhead += (mix.bytes / f64::from(RECORD_BYTES)).ceil() * added;
            write = Some(added);
        }
        let stack = candidate.name();
        Ok(Self { stack, overhead, full_client, full_server, resumed_client, resumed_server, write })
    }

    /// Whether all of it is known for a stack, or known to be missing.
    #[must_use]
    pub fn is_known(mix: &Mix, candidate: &Candidate) -> bool {
        let both = |work: &Work| Side::BOTH.into_iter().all(|side| candidate.knows(work, side, HANDSHAKE));
        both(&Work::Full(mix.key.clone()))
            && (mix.resumed == 0.0 || both(&Work::Resumed))
            && (mix.bytes == 0.0 || candidate.knows(&Work::Send, mix.side, DATA))
    }
}

#[cfg(test)]
mod tests {
    use tlslab_estimate::Quantity;

    use super::*;
    use crate::candidate::Cost;
    use crate::mix::profiles;

    fn candidate(stack: &str, costs: &[(&str, Side, &str, f64)]) -> Candidate {
        let cost = |(work, side, metric, value): &(&str, Side, &str, f64)| Cost {
            work: (*work).to_owned(),
            side: *side,
            metric: (*metric).to_owned(),
            figure: Some(Quantity { value: *value, lower: None, upper: None, unit: "bytes".to_owned() }),
            hole: String::new(),
            source: None,
        };
        let costs = costs.iter().map(cost).collect();
        Candidate { stack: stack.to_owned(), label: "1".to_owned(), costs }
    }

    #[test]
    fn a_connection_sends_its_handshake_and_what_its_records_add() {
        let (client, server) = (Side::Client, Side::Server);
        let all = [
            ("ecdsa-p256 x25519", client, HANDSHAKE, 300.0),
            ("ecdsa-p256 x25519", server, HANDSHAKE, 1_300.0),
            ("resumed", client, HANDSHAKE, 600.0),
            ("resumed", server, HANDSHAKE, 200.0),
            ("send", server, DATA, 16_406.0),
        ];
        // A record and a byte are two records.
        let mix = Mix { resumed: 0.25, bytes: 16_385.0, ..profiles().remove(0) };
        let mut larger = all;
        larger[0].3 = 1_300.0;
        let candidates = [candidate("b", &larger), candidate("a", &all), candidate("c", &all[..3])];
        let ranking = WireRanking::of(&mix, &candidates);
        // 0.75 · 1,600 + 0.25 · 800 + 2 · 22
        assert_eq!((ranking.ranked[0].stack.as_str(), ranking.ranked[0].overhead), ("a 1", 1_444.0));
        assert_eq!(ranking.ranked[1].overhead, 2_194.0);
        assert_eq!(ranking.excluded[0].why, "resumed: not measured");
        assert_eq!(ranking.answer(), "TLS adds to a million connections: a 1 1.44 GB, b 1 2.19 GB (+52 %)");
        let text = ranking.text(ListFormat::Markdown);
        assert!(text.contains("| a 1 | 1,444 | 300 | 1,300 | 600 | 200 | 22 |"), "{text}");
        assert!(WireOf::is_known(&mix, &candidates[0]) && !WireOf::is_known(&mix, &candidates[2]));
        let full = Mix { resumed: 0.0, bytes: 0.0, ..mix };
        assert!(WireOf::is_known(&full, &candidates[2]));
        assert_eq!(WireRanking::of(&full, &candidates[2..]).ranked[0].overhead, 1_600.0);
    }
}
