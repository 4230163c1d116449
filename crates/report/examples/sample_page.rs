//! Writes the page of a made-up run: `cargo run -p tlslab-report --example sample_page -- OUT.html [cross]`.

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use tlslab_report::{Report, html};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "usage: sample_page OUT.html [cross]";
    let out = std::env::args().nth(1).ok_or(usage)?;
    let record = match std::env::args().nth(2).as_deref() {
        None => synthetic::run(7, 16, 8),
        Some("cross") => synthetic::crossed(synthetic::run(7, 16, 8)),
        Some(_) => return Err(usage.into()),
    };
    std::fs::write(&out, html(&Report::of(&record)))?;
    Ok(())
}
