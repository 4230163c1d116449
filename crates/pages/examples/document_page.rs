//! Writes the page of a made-up document, or with `claims` that of several documents' claims:
//! `cargo run -p tlslab-pages --example document_page -- FILE [claims]`.

#[path = "../../reproduction/tests/synthetic/mod.rs"]
mod synthetic;

use synthetic::document;
use tlslab_pages::Alone;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("name the file to write");
    let page = match arguments.next().as_deref() {
        Some("claims") => tlslab_pages::claims(&[document("one"), document("two")], &Alone),
        _ => tlslab_pages::document(&document("one"), &Alone),
    };
    std::fs::write(file, page.html(&Alone))
}
