//! What a run leaves behind: the database, and a folder of reports.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tlslab_report::Report;
use tlslab_store::{Address, Store};

use crate::Ended;
use crate::cli::{Format, KeptArgs};

/// The database that was asked for; the results folder's own where none was.
pub fn open_store(kept: &KeptArgs) -> anyhow::Result<Box<dyn Store>> {
    let own = || Address::Sqlite(kept.out.join("tlslab.sqlite"));
    Ok(tlslab_store::open(&kept.store.clone().unwrap_or_else(own))?)
}

/// The files of one run.
pub struct Files {
    folder: PathBuf,
}

impl Files {
    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Writes a run in all formats.
pub fn write_files(out: &Path, report: &Report) -> anyhow::Result<Files> {
    let folder = out.join(&report.run.id);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for (name, text) in [
        ("report.html", tlslab_report::html(report)),
        ("report.md", tlslab_report::markdown(report)),
        ("results.json", tlslab_report::json(report)),
        ("results.csv", tlslab_report::csv(report)),
    ] {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    for file in &report.rows {
        let path = folder.join(&file.name);
        fs::write(&path, tlslab_report::rows_csv(file))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(text) = tlslab_report::cross_csv(report) {
        let path = folder.join("cross.csv");
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(Files { folder })
}

/// Prints a run to standard output. What is not part of the format goes to standard error.
pub fn print_report(report: &Report, format: Format, files: &Files) {
    let text = match format {
        Format::Table => tlslab_report::terminal(report, width(), colour()),
        Format::Json => tlslab_report::json(report),
        Format::Csv => tlslab_report::csv(report),
        Format::Markdown => tlslab_report::markdown(report),
        Format::Html => tlslab_report::html(report),
    };
    print!("{text}");
    let page = files.folder.join("report.html");
    let page = page.canonicalize().unwrap_or(page);
    let cross = if report.cross.is_empty() { "" } else { ", cross.csv" };
    let rows: String = report.rows.iter().map(|file| format!(", {}", file.name)).collect();
    eprintln!("report: {} (beside it: report.md, results.json, results.csv{cross}{rows})", page.display());
    for line in report.rows.iter().flat_map(tlslab_report::rows_summary) {
        eprintln!("{line}");
    }
}

/// A run with a failed cell does not end well.
pub fn ended(report: &Report) -> Ended {
    if report.has_failures() { Ended::WithFailures } else { Ended::Well }
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
