//! The identity of each stack.

use tlslab_estimate::Report;
use tlslab_text::clean;

use super::colour::colour;
use crate::links::{Link, Links};
use crate::target::Target;
use tlslab_report::tables::leaves;

/// One stack.
pub(super) struct StackDetails {
    pub colour: usize,
    pub name: Link,
    /// The series of the same stack over versions.
    pub history: Option<String>,
    pub title: String,
    /// The library's own name and version.
    pub library: String,
    pub failure: Option<String>,
    pub lines: Vec<(String, String)>,
    pub notes: Vec<String>,
    /// Its limits: axis, value and reason.
    pub limits: Vec<(String, String, String)>,
}

pub(super) fn all(report: &Report, links: &dyn Links) -> Vec<StackDetails> {
    report.stacks.iter().map(|stack| details(report, stack, links)).collect()
}

fn details(report: &Report, stack: &tlslab_estimate::Stack, links: &dyn Links) -> StackDetails {
    let library = stack.library().map(|library| {
        let components = library.components.iter().map(|(name, version)| format!("{name} {version}"));
        let components = components.collect::<Vec<_>>().join(", ");
        let with = if components.is_empty() { String::new() } else { format!(", with {components}") };
        clean(&format!("{} {}{with}", library.name, library.version))
    });
    let mut lines = vec![
        ("licence".to_owned(), clean(&stack.licence)),
        ("driver".to_owned(), clean(&stack.driver)),
        ("driver SHA-256".to_owned(), clean(&stack.driver_digest)),
    ];
    let identity = leaves(&serde_json::to_value(&stack.identity).unwrap_or_default())
        .into_iter()
        .filter(|(path, _)| path != "licence");
    lines.extend(identity.map(|(path, value)| (path.replace('_', " "), value)));
    lines.retain(|(_, value)| !value.is_empty());
    let (limits, details) = match &stack.state {
        tlslab_estimate::StackState::Ready { capabilities, .. } => {
            (capabilities.limits.as_slice(), capabilities.details.as_slice())
        }
        tlslab_estimate::StackState::Failed { .. } => (&[][..], &[][..]),
    };
    StackDetails {
        colour: colour(report, &stack.name),
        name: Link::new(links, &Target::Stack(stack.name.clone()), clean(&stack.name)),
        history: links.to(&Target::HistoryOf(without_version(&stack.name).to_owned())),
        title: clean(&stack.title),
        library: library.unwrap_or_else(|| "unknown: its driver did not answer".to_owned()),
        failure: stack.failure().map(clean),
        lines,
        notes: stack.notes.iter().chain(details).map(|note| clean(note)).collect(),
        limits: limits
            .iter()
            .map(|limit| (clean(&limit.axis), clean(&limit.value), clean(&limit.reason)))
            .collect(),
    }
}

/// A stack without its version, as histories name it.
pub(super) fn without_version(name: &str) -> &str {
    name.split_once('@').map_or(name, |(name, _)| name)
}
