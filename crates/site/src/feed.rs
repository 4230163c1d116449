//! The feed of changes, and badges.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use tlslab_pages::site::{Badge, ChangeLine, Feed, FeedEntry, StackPage, metric_words};
use tlslab_pages::{Files, Target};

use crate::imported::Imported;

/// The most entries of the feed.
const MOST: usize = 100;

/// The changes of all stacks' versions, one entry for each version, the last measured first.
pub(crate) fn feed(
    stacks: &BTreeMap<String, StackPage>,
    imported: &BTreeMap<String, Imported>,
    base: &str,
) -> Feed {
    let mut entries = Vec::new();
    let of_stacks = stacks.iter().map(|(name, page)| (name, &page.changes, Target::Stack(name.clone())));
    let of_imported =
        imported.iter().map(|(name, page)| (name, &page.changes, Target::HistoryOf(name.clone())));
    for (name, changes, target) in of_stacks.chain(of_imported) {
        let mut versions: Vec<(&str, Vec<&ChangeLine>)> = Vec::new();
        for change in changes.iter().filter(|change| !change.is_negligible) {
            match versions.last_mut() {
                Some((label, changes)) if *label == change.label => changes.push(change),
                _ => versions.push((&change.label, vec![change])),
            }
        }
        entries.extend(versions.into_iter().map(|(label, changes)| entry(name, label, &changes, &target)));
    }
    entries.sort_by(|one, other| other.updated.cmp(&one.updated).then(one.id.cmp(&other.id)));
    entries.truncate(MOST);
    Feed { title: "tlslab: changes".to_owned(), id: urn("feed"), base: base.to_owned(), entries }
}

fn entry(stack: &str, label: &str, changes: &[&ChangeLine], target: &Target) -> FeedEntry {
    let count = |class: &str| changes.iter().filter(|change| change.class() == class).count();
    let (worse, better) = (count("regression"), count("improvement"));
    let unjudged = changes.iter().filter(|change| change.is_without_verdict()).count();
    let unjudged = if unjudged == 0 { String::new() } else { format!("{unjudged} without a verdict, ") };
    let lines = changes.iter().take(10).map(|change| {
        format!("{} {} {} {}", change.text(), metric_words(&change.metric), change.scenario, change.side)
    });
    FeedEntry {
        id: urn(&format!("{stack} {label}")),
        title: format!(
            "{stack} {label}: {worse} worse, {better} better, {unjudged}the largest {}",
            changes.first().map(|change| change.text()).unwrap_or_default()
        ),
        updated: changes.iter().map(|change| change.at.clone()).max().unwrap_or_default(),
        href: Files::file(target),
        summary: lines.collect::<Vec<_>>().join("; "),
    }
}

/// A name that never changes, from a digest: RFC 4151 would need a domain of the site's own.
fn urn(text: &str) -> String {
    let digest = hex::encode(Sha256::digest(format!("tlslab {text}")));
    // A UUID of version 8, RFC 9562, whose bits are our own.
    format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        &digest[..8],
        &digest[8..12],
        &digest[13..16],
        &digest[17..20],
        &digest[20..32]
    )
}

/// The badge of a stack.
pub(crate) fn badge(page: &StackPage) -> Badge {
    let line = &page.line;
    let mark = line.class();
    let message = match (&line.change, mark) {
        (Some(change), "regression") => format!("{} {}", line.label, change.text()),
        _ => format!("{} {}", line.label, line.state),
    };
    Badge { label: line.name.clone(), message, mark: mark.to_owned() }
}

/// The badge of imported results.
pub(crate) fn badge_of_imported(imported: &Imported) -> Badge {
    let line = &imported.line;
    let message = match line.changes.first() {
        Some(change) if line.mark == "regression" => format!("{} {}", line.label, change.text()),
        _ => format!("{} {}", line.label, line.state),
    };
    Badge { label: line.name.clone(), message, mark: line.mark.clone() }
}
