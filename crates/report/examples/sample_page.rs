//! Writes the page of a made-up run: `cargo run -p tlslab-report --example sample_page -- OUT.html`.

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use tlslab_report::{Report, html};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args().nth(1).ok_or("usage: sample_page OUT.html")?;
    std::fs::write(&out, html(&Report::of(&synthetic::run(7, 16, 8))))?;
    Ok(())
}
