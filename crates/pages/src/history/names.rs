//! Names of cells as texts of parts.

use tlslab_report::timeline::Timeline;

/// A scenario's name as a text of parts: `handshake 1.3 · ecdsa-p256 · x25519`.
pub(super) fn in_parts(scenario: &str) -> String {
    let parts: Vec<&str> = scenario.split('/').collect();
    match &parts[..] {
        [family, version, rest @ ..] if version.starts_with(|first: char| first.is_ascii_digit()) => {
            let first = format!("{family} {version}");
            [&[&*first], rest].concat().join(" · ")
        }
        parts => parts.join(" · "),
    }
}

/// The rest of a cell: stack, side, metric.
pub(super) fn cell(timeline: &Timeline) -> String {
    let series = &timeline.series;
    let parts = [&*series.stack, &*series.side, crate::site::metric_words(&series.metric)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}
