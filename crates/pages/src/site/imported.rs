//! Imported results of other programs: their series by stack, and their runs.

use askama::Template;
use serde::{Deserialize, Serialize};

use super::change_line::ChangeLine;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::target::Target;

/// A stack with imported series alone: the name under which they were imported.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImportedLine {
    /// The name.
    pub name: String,
    /// The formats of its runs.
    pub formats: Vec<String>,
    /// Its newest version or revision.
    pub label: String,
    /// When that was measured, RFC 3339.
    pub measured: String,
    /// How many runs have its series.
    pub runs: usize,
    /// How many series there are.
    pub series: usize,
    /// The state of its newest version, in a word or two.
    pub state: String,
    /// The class of the word's mark.
    pub mark: String,
    /// Why, if it is not good.
    pub why: String,
    /// The changes of the newest version that are not negligible, the largest first.
    pub changes: Vec<ChangeLine>,
}

/// A run that another program made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportedRunLine {
    /// Its identifier.
    pub id: String,
    /// When it was measured, RFC 3339.
    pub started: String,
    /// The format that it came in.
    pub format: String,
    /// The names under which its series were imported.
    pub stacks: Vec<String>,
    /// The version or revision.
    pub label: String,
    /// How many values it has.
    pub values: usize,
}

impl ImportedRunLine {
    /// When it was measured, to the minute.
    fn date(&self) -> String {
        self.started.get(..16).unwrap_or(&self.started).replace('T', " ")
    }
}

#[derive(Template)]
#[template(path = "site/imported.html")]
struct Section<'m> {
    rows: Vec<(Link, &'m ImportedLine)>,
    json: Option<String>,
}

/// The part of the overview with the imported series; empty without any.
pub(super) fn section(lines: &[ImportedLine], links: &dyn Links) -> Html {
    if lines.is_empty() {
        return Html::default();
    }
    let link =
        |line: &ImportedLine| Link::new(links, &Target::HistoryOf(line.name.clone()), line.name.clone());
    let rows = lines.iter().map(|line| (link(line), line)).collect();
    Html::of(&Section { rows, json: links.to(&Target::File("data/imported.json".to_owned())) })
}

#[derive(Template)]
#[template(path = "site/imported_runs.html")]
struct Runs<'m> {
    rows: Vec<(Vec<Link>, &'m ImportedRunLine)>,
}

/// The part of the list of runs with the imported ones; empty without any.
pub(super) fn runs(lines: &[ImportedRunLine], links: &dyn Links) -> Html {
    if lines.is_empty() {
        return Html::default();
    }
    let stacks = |line: &ImportedRunLine| -> Vec<Link> {
        let link = |name: &String| Link::new(links, &Target::HistoryOf(name.clone()), name.clone());
        line.stacks.iter().map(link).collect()
    };
    Html::of(&Runs { rows: lines.iter().map(|line| (stacks(line), line)).collect() })
}
