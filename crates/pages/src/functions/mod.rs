//! The cost of each function, or the changes between two profiles: a flame graph, and tables with the same
//! data.

mod flame;
mod rows;
mod verdict;

use askama::Template;
use tlslab_profile::{Sheet, Side};
use tlslab_text::clean;

use crate::asset::Asset;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Page, Part};
use crate::target::{Section, Target};
pub(crate) use flame::Graph;
use rows::{FunctionRow, PartRow, Total};
use verdict::Verdict;

pub(crate) const ASSETS: [Asset; 2] = [
    Asset { name: "functions.css", text: include_str!("../../assets/functions.css") },
    Asset { name: "functions.js", text: include_str!("../../assets/functions.js") },
];

#[derive(Template)]
#[template(path = "functions/body.html")]
struct Body {
    verdict: Verdict,
    title: String,
    base: Option<String>,
    totals: Vec<Total>,
    sides: Vec<SideView>,
    notes: Vec<String>,
}

struct SideView {
    /// The prefix of its boxes' names.
    key: String,
    name: String,
    is_compared: bool,
    graph: Option<Graph>,
    functions: Vec<FunctionRow>,
    others: Option<FunctionRow>,
    parts: Vec<PartRow>,
}

/// The page of a sheet of functions: of one profile, or of two if the sheet has a baseline.
#[must_use]
pub fn functions(sheet: &Sheet, links: &dyn Links) -> Page {
    let title = name_of(&sheet.title);
    let base = sheet.baseline.as_deref().map(name_of);
    let window = match &base {
        Some(base) => format!("Functions: {title} against {base}"),
        None => format!("Functions: {title}"),
    };
    let body = Body {
        verdict: Verdict::of(sheet),
        title,
        base,
        totals: sheet.sides.iter().map(Total::of).collect(),
        sides: sheet.sides.iter().map(side_view).collect(),
        notes: sheet.notes.iter().map(|note| clean(note)).collect(),
    };
    let mut parts = vec![Part { id: "totals", title: "Totals", needs_script: false }];
    for (id, title) in [("client", "Client"), ("server", "Server"), ("all", "All")] {
        if sheet.sides.iter().any(|side| side.name == id) {
            parts.push(Part { id, title, needs_script: false });
        }
    }
    Page {
        crumbs: vec![Link::new(links, &Target::Runs, "Runs"), Link::none(window.clone())],
        title: window,
        section: Some(Section::Runs),
        parts,
        body: Html::of(&body),
        assets: ASSETS.to_vec(),
        foot: vec![Html::text(
            "Instructions are counted, not sampled: figures are exact for the run that was counted.",
        )],
        ..Page::default()
    }
}

fn side_view(side: &Side) -> SideView {
    SideView {
        key: clean(&side.name),
        name: clean(&side.name),
        is_compared: side.before.is_some(),
        graph: side.flame.as_ref().map(|flame| Graph::of(flame, side.before.is_some())),
        functions: side.functions.iter().map(|row| FunctionRow::of(row, side)).collect(),
        others: FunctionRow::others(side),
        parts: side.parts.iter().map(|portion| PartRow::of(portion, side)).collect(),
    }
}

/// The counted stack, without its folders: they belong to the machine, not to the profile.
fn name_of(title: &str) -> String {
    let title = clean(title);
    let is_path = title.starts_with(['/', '.', '~']) || title.as_bytes().get(1..3) == Some(b":\\");
    match title.trim_end_matches('/').rsplit(['/', '\\']).next() {
        Some(name) if is_path && !name.is_empty() => name.to_owned(),
        _ => title,
    }
}

#[cfg(test)]
mod tests {
    use crate::links::Alone;

    use super::*;

    #[test]
    fn a_title_has_no_folders_of_the_machine() {
        assert_eq!(name_of("/home/user/profiles/new/"), "new");
        assert_eq!(name_of("../old"), "old");
        assert_eq!(name_of("rustls/ring: handshake/1.3"), "rustls/ring: handshake/1.3");
    }

    #[test]
    fn what_is_counted_ends_no_element() {
        let sheet = Sheet {
            title: "a < b </script>".to_owned(),
            baseline: None,
            notes: vec!["</script><script>alert(1)</script>".to_owned()],
            sides: vec![],
        };
        let page = functions(&sheet, &Alone).html(&Alone);
        assert_eq!(page.matches("<script").count(), page.matches("</script").count());
        assert!(page.contains("a &#60; b &#60;/script&#62;") && !page.contains("alert(1)</script>"));
    }
}
