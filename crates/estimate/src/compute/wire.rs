//! What each side sends, from all connections of all processes that read it.

use std::collections::BTreeSet;

use tlslab_protocol::{Measure, Side, Work};
use tlslab_record::{Lengths, PerConnection, RunRecord, Weighed, WeightKind};

use super::exact::{Figure, Place};
use crate::model::{ExactCell, ExactOutcome, ExactUnit};

/// All cells, in the plan's order; none where what is sent was not asked for.
pub(super) fn wire(record: &RunRecord) -> Vec<ExactCell> {
    if !record.plan.has(Measure::Wire) {
        return Vec::new();
    }
    let cells = |place: Place<'_>| {
        let sides = place.record.plan.scenarios[place.scenario].work.sides();
        sides.iter().flat_map(|side| place.wire_cells(*side)).collect::<Vec<_>>()
    };
    Place::all(record).flat_map(cells).collect()
}

/// What holds wherever it is shown.
pub(super) fn note() -> String {
    "What each side sends was read from the bytes of TLS on the wire: record headers are included, headers of TCP and IP are not. \
     Each process makes many connections with new randomness; a figure that varies is shown with its lowest and highest usual \
     value. Packets: bytes of the flight over the segment size."
        .to_owned()
}

impl<'r> Place<'r> {
    fn wire_cells(&self, side: Side) -> Vec<ExactCell> {
        match self.sizes() {
            Ok(sizes) => figures(&sizes, side).into_iter().map(|figure| self.figure(side, figure)).collect(),
            Err(hole) => {
                let metric = first_metric(&self.record.plan.scenarios[self.scenario].work);
                vec![self.cell(side, metric, ExactUnit::Bytes, hole)]
            }
        }
    }

    fn sizes(&self) -> Result<Vec<&'r PerConnection>, ExactOutcome> {
        self.weighed(WeightKind::Wire, |weighed| match weighed {
            Weighed::Wire(sizes) => Some(&**sizes),
            _ => None,
        })
    }
}

/// The figure that stands for a cell that has none.
fn first_metric(work: &Work) -> &'static str {
    match work {
        Work::Transfer { .. } | Work::Exchange { .. } => "wire.data",
        Work::Request { .. } => "wire.total",
        Work::Handshake | Work::Idle { .. } | Work::Primitive(_) => "wire.handshake",
    }
}

/// Every figure of one side. A figure that one process has and another lacks is 0 there.
fn figures(sizes: &[&PerConnection], side: Side) -> Vec<Figure> {
    let names: BTreeSet<&String> = sizes.iter().flat_map(|sizes| sizes.side(side).keys()).collect();
    let values = |name: &str| -> Vec<Vec<f64>> {
        usual(sizes, side, name)
            .into_iter()
            .map(|all| all.into_iter().map(|value| value as f64).collect())
            .collect()
    };
    let is_shown = |name: &&&String| name.as_str() != PLAINTEXT;
    let mut all: Vec<Figure> = names
        .iter()
        .filter(is_shown)
        .map(|name| Figure { metric: format!("wire.{name}"), unit: unit(name), processes: values(name) })
        .collect();
    all.extend(overhead(sizes, side));
    all
}

/// A figure's values in each process, as often as they occurred. What is rare counts as the nearest usual
/// value, so that figures repeat.
fn usual(sizes: &[&PerConnection], side: Side, name: &str) -> Vec<Vec<u64>> {
    let all = PerConnection::together(sizes.iter().copied());
    let Some((lowest, highest)) = all.side(side).get(name).and_then(Lengths::usual_range) else {
        return Vec::new();
    };
    let of = |sizes: &&PerConnection| match sizes.side(side).get(name) {
        Some(lengths) => lengths.values().map(|value| value.clamp(lowest, highest)).collect(),
        None => vec![0_u64.clamp(lowest, highest); sizes.connections as usize],
    };
    sizes.iter().map(of).collect()
}

/// Bytes on the wire beyond the plaintext, per KiB of it.
fn overhead(sizes: &[&PerConnection], side: Side) -> Option<Figure> {
    let plaintext = sizes.first()?.side(side).get(PLAINTEXT)?.median().filter(|bytes| *bytes > 0)? as f64;
    let more = |bytes: u64| (bytes as f64 - plaintext) * 1024.0 / plaintext;
    let processes = usual(sizes, side, "data");
    let processes = processes.into_iter().map(|all| all.into_iter().map(more).collect()).collect();
    Some(Figure { metric: "wire.data.overhead".to_owned(), unit: ExactUnit::BytesPerKibibyte, processes })
}

/// The scenario's own number, which is no figure.
const PLAINTEXT: &str = "data.plaintext";

/// The unit that a figure's name implies.
fn unit(name: &str) -> ExactUnit {
    match name {
        "round_trips" => ExactUnit::RoundTrips,
        "tickets" => ExactUnit::Tickets,
        _ if name.ends_with(".records") => ExactUnit::Records,
        _ if name.ends_with(".messages") => ExactUnit::Messages,
        _ if name.contains(".packets_") => ExactUnit::Packets,
        _ => ExactUnit::Bytes,
    }
}
