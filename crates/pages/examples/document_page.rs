//! Writes the page of a made-up document, or with `claims` that of several documents' claims:
//! `cargo run -p tlslab-reproduction --example document_page -- FILE [claims]`.

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use synthetic::document;
use tlslab_reproduction::{claims_html, html};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("name the file to write");
    let page = match arguments.next().as_deref() {
        Some("claims") => claims_html(&[document("one"), document("two")]),
        _ => html(&document("one")),
    };
    std::fs::write(file, page)
}
