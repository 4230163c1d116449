//! Cells that say the same, such as one change in every record size, for one line in place of many.

use tlslab_text::number::change as in_words;

use crate::compared::Compared;
use crate::model::{Change, Comparison, Effect};
use crate::verdict::Verdict;

use super::words::{has_no_ratio, pair_of};

/// Fewer cells than this are not folded.
const LEAST: usize = 4;
/// The largest change of a line is at most this many times its smallest, as |ln ratio|.
const WIDEST: f64 = 2.0;

/// Changes that share a line; at least one.
pub(super) struct Line<'c> {
    /// The changes, the largest first.
    pub changes: Vec<&'c Change>,
}

impl<'c> Line<'c> {
    /// Its change, if it is one alone.
    pub(super) fn single(&self) -> Option<&'c Change> {
        match self.changes[..] {
            [change] => Some(change),
            _ => None,
        }
    }

    /// The scenarios, as a pattern: parts that differ are `*`.
    pub(super) fn pattern(&self) -> String {
        let names: Vec<&str> = self.changes.iter().map(|change| change.scenario.as_str()).collect();
        pattern(&names)
    }

    /// The side that all have; `None` if both occur.
    pub(super) fn side_name(&self) -> Option<&'static str> {
        let first = self.changes[0].side_name();
        self.changes.iter().all(|change| change.side_name() == first).then_some(first)
    }

    /// The largest and the smallest change, such as `−2.44 % to −1.70 %`.
    pub(super) fn range(&self) -> String {
        let ends = [self.changes.first(), self.changes.last()];
        let ends = ends.map(|end| end.and_then(|end| end.effect()).map_or(1.0, |effect| effect.ratio));
        let [largest, smallest] = ends.map(in_words);
        if largest == smallest { largest } else { format!("{largest} to {smallest}") }
    }

    /// The function that changed most in each, if it is known and the same.
    pub(super) fn function(&self) -> Option<&'c str> {
        leading(self.changes[0].effect()?)
    }
}

/// Changes in lines, in the order of each line's first. Alike are at least [`LEAST`] changes of one pair,
/// metric, verdict and kind of scenario, whose costs changed most in one function, and which differ by at
/// most [`WIDEST`].
pub(super) fn lines<'c>(changes: &[&'c Change]) -> Vec<Line<'c>> {
    let mut groups: Vec<(Key<'c>, Vec<&'c Change>)> = Vec::new();
    for change in changes {
        let found = key(change);
        let fitting = groups
            .iter_mut()
            .find(|(key, group)| found.is_some() && *key == found && size(group[0]) <= WIDEST * size(change));
        match fitting {
            Some((_, group)) => group.push(change),
            None => groups.push((found, vec![change])),
        }
    }
    // A group that is too small leaves each of its changes where it was.
    let place = |change: &Change| changes.iter().position(|other| std::ptr::eq(*other, change));
    let mut lines: Vec<Line<'c>> = Vec::new();
    for (_, group) in groups {
        if group.len() >= LEAST {
            lines.push(Line { changes: group });
        } else {
            lines.extend(group.into_iter().map(|change| Line { changes: vec![change] }));
        }
    }
    lines.sort_by_key(|line| place(line.changes[0]));
    lines
}

/// The number and the pattern of cells that share a line, with their pair if there are several.
pub(super) fn cells(
    comparison: &Comparison,
    line: &Line<'_>,
    text: fn(&str) -> String,
    name: fn(&str) -> String,
) -> String {
    let side = match line.side_name() {
        Some("") => String::new(),
        Some(side) => format!(", {side}"),
        None => ", both sides".to_owned(),
    };
    let pair = pair_of(comparison, line.changes[0], name);
    format!("{pair}{} cells of {}", line.changes.len(), text(&format!("{}{side}", line.pattern())))
}

/// The verdict of cells that share a line, and whether each was confirmed.
pub(super) fn verdict_of(line: &Line<'_>) -> String {
    let is_confirmed = |change: &&Change| {
        let confirmation = change.effect().and_then(|effect| effect.confirmation.as_ref());
        confirmation.is_some_and(|confirmation| confirmation.agrees)
    };
    let words = line.changes[0].verdict().map_or("", Verdict::words);
    let confirmed = if line.changes.iter().all(is_confirmed) { ", each confirmed" } else { "" };
    format!("{words}{confirmed}")
}

/// Pair, metric, verdict, whether it is highlighted, the kind of scenario, and the function that changed
/// most. `None` of a cell that is never folded.
type Key<'c> = Option<(usize, Compared, Verdict, bool, &'c str, Option<&'c str>)>;

fn key(change: &Change) -> Key<'_> {
    let effect = change.effect().filter(|effect| !has_no_ratio(effect) && effect.acknowledged.is_none())?;
    let kind = change.scenario.split('/').next().unwrap_or_default();
    Some((change.pair, change.metric, effect.verdict, change.is_highlighted(), kind, leading(effect)))
}

fn size(change: &Change) -> f64 {
    change.effect().map_or(0.0, |effect| effect.ratio.ln().abs())
}

fn leading(effect: &Effect) -> Option<&str> {
    let most = effect.reasons.iter().max_by(|one, other| one.change.abs().total_cmp(&other.change.abs()))?;
    Some(&most.function)
}

fn pattern(names: &[&str]) -> String {
    let split: Vec<Vec<&str>> = names.iter().map(|name| name.split('/').collect()).collect();
    let shortest = split.iter().map(Vec::len).min().unwrap_or_default();
    let same_length = split.iter().all(|parts| parts.len() == shortest);
    let mut parts: Vec<String> =
        (0..shortest).map(|at| segment(&split.iter().map(|parts| parts[at]).collect::<Vec<_>>())).collect();
    if !same_length {
        parts.push("*".to_owned());
    }
    // What follows the first `*` of the end is all the same to a reader.
    while parts.len() > 1 && parts[parts.len() - 2..] == ["*", "*"] {
        parts.pop();
    }
    parts.join("/")
}

/// One segment of several names: the part before a `-` that all have, then `*`.
fn segment(texts: &[&str]) -> String {
    let first = texts[0];
    if texts.iter().all(|text| *text == first) {
        return first.to_owned();
    }
    let ends = first.match_indices('-').map(|(at, _)| &first[..=at]);
    let shared = ends.rev().find(|start| texts.iter().all(|text| text.starts_with(start)));
    format!("{}*", shared.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_a_star() {
        let sizes = ["record/aead-seal/aes-128-gcm/16KiB", "record/aead-open/aes-128-gcm/1KiB"];
        assert_eq!(pattern(&sizes), "record/aead-*/aes-128-gcm/*");
        assert_eq!(pattern(&["handshake/1.2/a/b", "handshake/1.3/c/d"]), "handshake/*");
        assert_eq!(pattern(&["handshake/1.2/a/b", "handshake/1.3/c/b"]), "handshake/*/*/b");
        assert_eq!(pattern(&["send/warm", "send/warm/2"]), "send/warm/*");
        assert_eq!(pattern(&["send/warm"]), "send/warm");
    }
}
