//! What each side of both stacks sends. Any byte is a change.

use std::collections::BTreeSet;

use tlslab_record::{Weighed, WeightKind};

use super::distributions::{Both, Figures, MOST_REASONS, change, differ};
use crate::compared::Compared;
use crate::model::Reason;

/// How it is compared.
pub(super) const FIGURES: Figures<'static> = Figures {
    kind: WeightKind::Wire,
    metrics: &Compared::WIRE,
    prefix: "wire.",
    of: |weighed| match weighed {
        Weighed::Wire(sizes) => Some(&**sizes),
        _ => None,
    },
    parts,
};

/// The parts of the first message that changed, and the rest of its flight, the largest change first; nothing
/// of other figures.
fn parts(both: &Both<'_>, name: &str) -> Vec<Reason> {
    if name != FIRST_FLIGHT {
        return Vec::new();
    }
    let names: BTreeSet<&String> = [both.baseline, both.candidate]
        .into_iter()
        .flat_map(|sizes| sizes.side(both.side).keys())
        .filter(|name| name.starts_with(PARTS))
        .collect();
    let mut reasons = Vec::new();
    let mut of_parts = 0.0;
    for name in names {
        let Some((one, other)) = both.figure(name) else { continue };
        let change = change(&one, &other);
        of_parts += change;
        if differ(&one, &other) {
            reasons.push(Reason { function: part_words(&name[PARTS.len()..]), change });
        }
    }
    let flight = both.figure(FIRST_FLIGHT).map_or(0.0, |(one, other)| change(&one, &other));
    // Lengths that vary in the rest of a flight move its median by chance.
    let is_flight_changed = both.figure(FIRST_FLIGHT).is_some_and(|(one, other)| differ(&one, &other));
    if is_flight_changed && flight != of_parts {
        reasons.push(Reason { function: "rest of the flight".to_owned(), change: flight - of_parts });
    }
    reasons.sort_by(|one, other| other.change.abs().total_cmp(&one.change.abs()));
    reasons.truncate(MOST_REASONS);
    reasons
}

/// The flight whose parts are known.
const FIRST_FLIGHT: &str = "flight.1";
/// Parts of the first message.
const PARTS: &str = "hello.";

fn part_words(part: &str) -> String {
    match (part, part.strip_prefix("extension.")) {
        (_, Some(name)) => format!("extension {name}"),
        ("session_id", _) => "session id".to_owned(),
        ("cipher_suites", _) => "cipher suites".to_owned(),
        _ => "fixed fields of the hello".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tlslab_protocol::Side;
    use tlslab_record::PerConnection;

    use super::super::defaults;
    use super::*;
    use crate::model::Effect;
    use crate::verdict::Verdict;

    fn sizes(extensions: &[(&str, u64)], more: u64) -> PerConnection {
        let mut sent: BTreeMap<String, u64> =
            extensions.iter().map(|(name, bytes)| (format!("hello.extension.{name}"), *bytes)).collect();
        sent.insert("flight.1".to_owned(), sent.values().sum::<u64>() + more);
        let mut sizes = PerConnection::default();
        (0..16).for_each(|_| sizes.add(&sent, &BTreeMap::new()));
        sizes
    }

    fn effect(baseline: &PerConnection, candidate: &PerConnection) -> Effect {
        let both = Both { baseline, candidate, side: Side::Client };
        both.effect(FIRST_FLIGHT, parts(&both, FIRST_FLIGHT), false).unwrap()
    }

    #[test]
    fn other_defaults_are_a_change_even_if_they_take_as_many_bytes() {
        let words = ["offers group x448 now".to_owned()];
        let before = sizes(&[("supported_groups", 10)], 9);
        let mut same = effect(&before, &before);
        defaults::name(&mut same, &[]);
        assert_eq!(same.verdict, Verdict::NotSignificant);
        defaults::name(&mut same, &words);
        assert_eq!((same.verdict, same.note.as_deref()), (Verdict::Changed, Some(&*words[0])));
        let mut larger = effect(&before, &sizes(&[("supported_groups", 12)], 9));
        defaults::name(&mut larger, &words);
        assert_eq!((larger.verdict, larger.note.as_deref()), (Verdict::Regression, Some(&*words[0])));
    }

    #[test]
    fn extensions_that_changed_are_named_even_where_the_sum_is_the_same() {
        let before = sizes(&[("key_share", 42), ("padding", 100), ("server_name", 20)], 9);
        let after = sizes(&[("key_share", 1_222), ("padding", 50), ("server_name", 20)], 10);
        let found = effect(&before, &after);
        let reasons: Vec<(&str, f64)> =
            found.reasons.iter().map(|reason| (&*reason.function, reason.change)).collect();
        assert_eq!(
            reasons,
            [("extension key_share", 1_180.0), ("extension padding", -50.0), ("rest of the flight", 1.0)]
        );
        assert_eq!((found.verdict, found.baseline, found.candidate), (Verdict::Regression, 171.0, 1_302.0));
        let moved = effect(&before, &sizes(&[("key_share", 52), ("padding", 90), ("server_name", 20)], 9));
        assert_eq!((moved.verdict, moved.ratio, moved.reasons.len()), (Verdict::Changed, 1.0, 2));
        let same = effect(&before, &before);
        assert_eq!((same.verdict, same.note.as_deref()), (Verdict::NotSignificant, Some("exactly the same")));
        assert!(same.exact && same.reasons.is_empty());
    }
}
