//! Reports on standard output.

use std::io::IsTerminal;
use std::path::Path;

use tlslab_estimate::Report;
use tlslab_lab::Export;
use tlslab_pages::Alone;
use tlslab_store::Store;

use crate::cli::{Format, Invocation, KeptArgs};
use tlslab_lab::Status;

/// The database that is named; the results folder's own if none is.
pub fn open_store(kept: &KeptArgs) -> anyhow::Result<Box<dyn Store>> {
    kept.results().open()
}

/// The same to read alone: nothing is made or written.
pub fn open_to_read(kept: &KeptArgs) -> anyhow::Result<Box<dyn Store>> {
    Ok(kept.results().open_to_read()?)
}

/// Prints a run to standard output. What is not part of the format goes to standard error.
pub fn print_report(report: &Report, format: Format, invocation: &Invocation) {
    let text = match format {
        Format::Table => invocation.complete(&tlslab_report::terminal(report, width(), colour())),
        Format::Json => tlslab_report::json(report),
        Format::Csv => tlslab_report::csv(report),
        Format::Markdown => tlslab_report::markdown(report),
        Format::Html => tlslab_pages::run(report, &Alone).html(&Alone),
    };
    match format {
        // Its names are clean already, and its colours are the lab's own.
        Format::Table => crate::output::coloured(&text),
        _ => out!("{text}"),
    }
    for line in report.rows.iter().flat_map(tlslab_report::rows_summary) {
        errln!("{line}");
    }
}

/// Where files are and what they are, in a line.
pub fn export_line(out: &Path, export: &Export) -> String {
    let Some(page) = export.page() else { return format!("{}: no file", export.what) };
    let page = out.join(page);
    let page = page.canonicalize().unwrap_or(page);
    // Of a folder with many files its name is enough.
    let place =
        |name: &str| name.split_once('/').map_or_else(|| name.to_owned(), |(folder, _)| format!("{folder}/"));
    let mut beside: Vec<String> = export.files.iter().skip(1).map(|file| place(&file.name)).collect();
    beside.dedup();
    format!("{}: {} (in the same folder: {})", export.what, page.display(), beside.join(", "))
}

/// A run with a failed cell does not end well.
pub fn ended(report: &Report) -> Status {
    if report.has_failures() { Status::WithFailures } else { Status::Done }
}

fn width() -> usize {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the call writes to a winsize of our own, or fails.
    let known = unsafe { libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &raw mut size) } == 0;
    if known && size.ws_col > 0 { usize::from(size.ws_col) } else { 120 }
}

fn colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}
