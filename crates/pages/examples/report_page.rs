//! Writes the page of a made-up run: `cargo run -p tlslab-pages --example report_page -- OUT.html [cross|many]`.

#[path = "../../report/tests/synthetic/mod.rs"]
mod synthetic;

use tlslab_estimate::Report;
use tlslab_pages::{Alone, run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "usage: report_page OUT.html [cross|many]";
    let out = std::env::args().nth(1).ok_or(usage)?;
    let record = synthetic::run(7, 16, 8);
    let report = match std::env::args().nth(2).as_deref() {
        None => Report::of(&record),
        Some("cross") => Report::of(&synthetic::crossed(record)),
        Some("many") => many(Report::of(&record)),
        Some(_) => return Err(usage.into()),
    };
    std::fs::write(&out, run(&report, &Alone).html(&Alone))?;
    Ok(())
}

/// More cells than a page has as text.
fn many(mut report: Report) -> Report {
    let cells = report.cells.clone();
    while report.cells.len() < 10_000 {
        report.cells.extend_from_slice(&cells);
    }
    report
}
