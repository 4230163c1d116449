//! The page of what each library does if nothing is configured: clients, servers, and changes by release.

use askama::Template;
use serde::{Deserialize, Serialize};
use tlslab_record::Defaults;
use tlslab_report::tables::defaults::{NOTES, OFFERED, TAKEN, offered, taken};

use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Page, Part};
use crate::target::{Section, Target};

/// The defaults of every stack that was measured so.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DefaultsPage {
    /// The newest version of each stack.
    pub lines: Vec<DefaultsLine>,
    /// Versions whose defaults differ from the version before, by stack, the newest first.
    pub changes: Vec<DefaultsChange>,
}

/// The defaults of one version of a stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DefaultsLine {
    /// The stack without its version.
    pub stack: String,
    /// The version.
    pub label: String,
    /// The newest run that has it.
    pub run: String,
    /// What it offers and picks.
    pub defaults: Defaults,
}

/// A version with other defaults than the one before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DefaultsChange {
    /// The stack without its version.
    pub stack: String,
    /// The version before that was measured.
    pub before: String,
    /// The version.
    pub label: String,
    /// What changed: `offers group X25519MLKEM768 now`.
    pub changes: Vec<String>,
}

/// Columns and rows of one side.
struct Table {
    id: &'static str,
    title: &'static str,
    note: &'static str,
    columns: Vec<&'static str>,
    rows: Vec<(Link, String, Vec<String>)>,
}

#[derive(Template)]
#[template(path = "site/defaults.html")]
struct Body<'m> {
    count: usize,
    tables: [Table; 2],
    changes: Vec<(Link, &'m DefaultsChange)>,
    json: Option<String>,
}

/// The page.
#[must_use]
pub fn defaults(model: &DefaultsPage, links: &dyn Links) -> Page {
    let table = |id, title, note, columns: &[&'static str], row: fn(&Defaults) -> Vec<String>| Table {
        id,
        title,
        note,
        columns: columns.to_vec(),
        rows: model
            .lines
            .iter()
            .map(|line| {
                let stack = Link::new(links, &Target::Stack(line.stack.clone()), &line.stack);
                (stack, line.label.clone(), row(&line.defaults))
            })
            .collect(),
    };
    let body = Body {
        count: model.lines.len(),
        tables: [
            table("clients", "What clients offer", NOTES[0], &OFFERED, |one| offered(&one.offered)),
            table("servers", "What servers pick from their own client", NOTES[1], &TAKEN, |one| {
                taken(&one.taken)
            }),
        ],
        changes: model
            .changes
            .iter()
            .map(|change| (Link::new(links, &Target::HistoryOf(change.stack.clone()), &change.stack), change))
            .collect(),
        json: links.to(&Target::File("data/defaults.json".to_owned())),
    };
    Page {
        title: TITLE.to_owned(),
        section: Some(Section::Stacks),
        crumbs: vec![
            Link::new(links, &Target::Overview, "Overview"),
            Link::new(links, &Target::Stacks, "Stacks"),
            Link::none("Defaults"),
        ],
        parts: vec![
            Part { id: "clients", title: "Clients", needs_script: false },
            Part { id: "servers", title: "Servers", needs_script: false },
            Part { id: "changes", title: "Changes", needs_script: false },
        ],
        body: Html::of(&body),
        ..Page::default()
    }
}

/// The page's title, and the text of links to it.
pub(super) const TITLE: &str = "What each library does by default";
