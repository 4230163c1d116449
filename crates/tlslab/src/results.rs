//! Reports on standard output.

use std::io::{self, IsTerminal};
use std::path::Path;

use terminal_size::{Width, terminal_size_of};
use tlslab_estimate::Report;
use tlslab_lab::Export;
use tlslab_pages::Alone;
use tlslab_store::Store;

use crate::cli::{Format, Invocation, KeptArgs};
use tlslab_lab::Status;

/// The database that is named; the results folder's own if none is.
pub(crate) fn open_store(kept: &KeptArgs) -> anyhow::Result<Box<dyn Store>> {
    kept.results().open()
}

/// The same to read alone: nothing is made or written.
pub(crate) fn open_to_read(kept: &KeptArgs) -> anyhow::Result<Box<dyn Store>> {
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
pub(crate) fn export_line(out: &Path, export: &Export) -> String {
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
pub(crate) fn ended(report: &Report) -> Status {
    if report.has_failures() { Status::WithFailures } else { Status::Done }
}

fn width() -> usize {
    terminal_size_of(io::stdout()).map_or(120, |(Width(columns), _)| usize::from(columns))
}

fn colour() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}
