//! What each side of both stacks asks of the kernel. Any system call and any page fault is a change.

use std::collections::BTreeSet;

use tlslab_record::{Weighed, WeightKind};

use super::distributions::{Both, Figures, MOST_REASONS, change, differ};
use crate::compared::Compared;
use crate::model::Reason;

/// How it is compared.
pub(super) const FIGURES: Figures<'static> = Figures {
    kind: WeightKind::Kernel,
    metrics: &Compared::KERNEL,
    prefix: "kernel.",
    of: |weighed| match weighed {
        Weighed::Kernel(figures) => Some(&figures.connections),
        _ => None,
    },
    parts,
};

/// The phases in which a figure changed, the largest change first; of system calls, each by its name.
fn parts(both: &Both<'_>, name: &str) -> Vec<Reason> {
    let names: BTreeSet<&String> = [both.baseline, both.candidate]
        .into_iter()
        .flat_map(|figures| figures.side(both.side).keys())
        .collect();
    let mut reasons = Vec::new();
    for part in names {
        let Some(words) = part_words(name, part) else { continue };
        let Some((one, other)) = both.figure(part) else { continue };
        if differ(&one, &other) {
            reasons.push(Reason { function: words, change: change(&one, &other) });
        }
    }
    reasons.sort_by(|one, other| other.change.abs().total_cmp(&one.change.abs()));
    reasons.truncate(MOST_REASONS);
    reasons
}

/// A part of a figure in words; `None` if it is part of another.
fn part_words(name: &str, part: &str) -> Option<String> {
    let mut words = part.split('.');
    match (words.next()?, words.next()?, words.next()) {
        ("call", call, Some(phase)) if name == "calls" => Some(format!("{call} in {phase}")),
        (of, phase, None) if of == name && of != "calls" => Some(phase.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tlslab_protocol::Side;
    use tlslab_record::PerConnection;

    use super::*;
    use crate::verdict::Verdict;

    fn figures(server: &[(&str, u64)]) -> PerConnection {
        let server: BTreeMap<String, u64> =
            server.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let mut figures = PerConnection::default();
        (0..64).for_each(|_| figures.add(&BTreeMap::new(), &server));
        figures
    }

    #[test]
    fn a_call_more_is_a_regression_that_names_call_and_phase() {
        let before =
            figures(&[("calls", 6), ("call.getpid", 6), ("call.getpid.handshake", 6), ("faults", 0)]);
        let after = figures(&[
            ("calls", 8),
            ("call.getpid", 6),
            ("call.getpid.handshake", 6),
            ("call.brk", 2),
            ("call.brk.free", 1),
            ("call.brk.handshake", 1),
            ("faults", 5),
            ("faults.handshake", 5),
        ]);
        let both = Both { baseline: &before, candidate: &after, side: Side::Server };
        let effect = |name: &str| both.effect(name, parts(&both, name), false).unwrap();
        let reasons = |name: &str| -> Vec<(String, f64)> {
            effect(name).reasons.into_iter().map(|reason| (reason.function, reason.change)).collect()
        };
        let calls = effect("calls");
        assert_eq!((calls.verdict, calls.baseline, calls.candidate), (Verdict::Regression, 6.0, 8.0));
        assert!(calls.exact);
        let named = [("brk in free".to_owned(), 1.0), ("brk in handshake".to_owned(), 1.0)];
        assert_eq!(reasons("calls"), named);
        assert_eq!(effect("faults").verdict, Verdict::Regression, "from none to five");
        assert_eq!(reasons("faults"), [("handshake".to_owned(), 5.0)]);
        let same = Both { baseline: &before, candidate: &before, side: Side::Server };
        assert_eq!(same.effect("calls", Vec::new(), false).unwrap().verdict, Verdict::NotSignificant);
    }
}
