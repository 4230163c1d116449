//! What each side of a cell's connections asks of the kernel.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tlslab_protocol::{KernelPhases, KernelUse, KernelWork, Side};

use crate::PerConnection;

/// The figures of one process, each with its value in every connection or context.
///
/// `calls`, `faults`, `major_faults`, `grown` and `returned` are those of a connection in all its phases;
/// with a phase after a dot they are those of that phase, such as `calls.handshake`. `call.NAME` and
/// `call.NAME.PHASE` are the same of one system call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelFigures {
    /// Of connections, writes or operations.
    pub connections: PerConnection,
    /// Of contexts that are made after the first ones, if connections share them.
    #[serde(default)]
    pub contexts: PerConnection,
}

impl KernelFigures {
    /// The figures of a driver's reply.
    #[must_use]
    pub fn of(work: &KernelWork) -> Self {
        let mut figures = Self::default();
        for (into, all) in
            [(&mut figures.connections, &work.iterations), (&mut figures.contexts, &work.contexts)]
        {
            for sides in all {
                into.add(&named(sides.side(Side::Client)), &named(sides.side(Side::Server)));
            }
        }
        figures
    }
}

/// The figures of one side by name.
fn named(phases: &KernelPhases) -> BTreeMap<String, u64> {
    let whole = phases.values().fold(KernelUse::default(), KernelUse::plus);
    let mut all = BTreeMap::new();
    add(&mut all, &whole, "");
    // A connection without any is a figure, too.
    for total in ["calls", "faults", "major_faults", "grown", "returned"] {
        all.entry(total.to_owned()).or_default();
    }
    for (phase, used) in phases {
        add(&mut all, used, &format!(".{phase}"));
    }
    all
}

/// Adds the figures of a phase that are not zero.
fn add(all: &mut BTreeMap<String, u64>, used: &KernelUse, of: &str) {
    let totals = [
        ("calls", used.all_calls()),
        ("faults", used.minor_faults),
        ("major_faults", used.major_faults),
        ("grown", used.grown_bytes),
        ("returned", used.returned_bytes),
    ];
    let totals = totals.map(|(name, value)| (format!("{name}{of}"), value));
    let calls = used.calls.iter().map(|(name, count)| (format!("call.{name}{of}"), *count));
    all.extend(totals.into_iter().chain(calls).filter(|(_, value)| *value > 0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_add_up_to_a_connection() {
        let work: KernelWork = serde_json::from_str(
            r#"{"iterations": [
                {"client": {}, "server": {
                    "handshake": {"calls": {"getpid": 3, "brk": 1}, "minor_faults": 2, "grown_bytes": 135168},
                    "free": {"calls": {"brk": 1}, "returned_bytes": 135168}}},
                {"client": {}, "server": {"handshake": {"calls": {"getpid": 3}}}}]}"#,
        )
        .unwrap();
        let figures = KernelFigures::of(&work);
        assert_eq!((figures.connections.connections, figures.contexts.connections), (2, 0));
        let server = |name: &str| figures.connections.server[name].values().collect::<Vec<_>>();
        assert_eq!(server("calls"), [3, 5]);
        assert_eq!(server("call.brk"), [0, 2]);
        assert_eq!(server("call.brk.free"), [0, 1]);
        assert_eq!(server("call.getpid.handshake"), [3, 3]);
        assert_eq!((server("faults"), server("grown")), (vec![0, 2], vec![0, 135_168]));
        assert_eq!(figures.connections.client["calls"].values().collect::<Vec<_>>(), [0, 0]);
        assert_eq!(figures.connections.client.len(), 5, "nothing but the totals");
    }
}
