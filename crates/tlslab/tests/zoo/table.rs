//! `docs/threat-model.md` lists every specimen; the list is generated.

use std::fmt::Write;
use std::path::Path;

use crate::zoo::{KINDS, specimens};

const BEGIN: &str = "<!-- begin: generated from tests/zoo -->\n";
const END: &str = "<!-- end -->\n";

fn table() -> String {
    let mut text = String::new();
    for kind in KINDS {
        let specimens = specimens(kind);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n### {}{} ({})\n", kind[..1].to_uppercase(), &kind[1..], specimens.len());
        text += "| specimen | it | what must happen |\n|---|---|---|\n";
        for specimen in specimens {
            let _ = writeln!(text, "| {} | {} | {} |", specimen.name, specimen.tries, specimen.must);
        }
    }
    text + "\n"
}

#[test]
fn the_page_lists_every_specimen() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/threat-model.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let begin = page.find(BEGIN).expect("the page says where the list begins") + BEGIN.len();
    let end = page.find(END).expect("the page says where the list ends");
    let expected = format!("{}{}{}", &page[..begin], table(), &page[end..]);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &expected).unwrap();
    }
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(
        page == expected,
        "docs/threat-model.md is old; UPDATE=1 cargo test -p tlslab --test zoo writes it"
    );
}

#[test]
fn the_zoo_has_at_least_sixty_specimens() {
    let count: usize = KINDS.iter().map(|kind| specimens(kind).len()).sum();
    assert!(count >= 60, "{count}");
}
