//! The files of a run.

use std::path::Path;

use tlslab_estimate::Report;

use crate::results::exports::Export;
use crate::results::pages::Pages;

/// Writes a run in all formats, as a page too if there is a renderer.
///
/// # Errors
/// Fails if a folder or file cannot be written.
pub fn write_files(out: &Path, report: &Report, pages: Option<&dyn Pages>) -> anyhow::Result<Export> {
    let page = pages.map(|pages| ("report.html".to_owned(), pages.run(report)));
    let mut texts: Vec<(String, String)> = page.into_iter().collect();
    texts.extend([
        ("report.md".to_owned(), tlslab_report::markdown(report)),
        ("results.json".to_owned(), tlslab_report::json(report)),
        ("results.csv".to_owned(), tlslab_report::csv(report)),
    ]);
    texts.extend(tlslab_report::cross_csv(report).map(|text| ("cross.csv".to_owned(), text)));
    texts.extend(tlslab_report::together_csv(report).map(|text| ("together.csv".to_owned(), text)));
    texts.extend(report.rows.iter().map(|file| (file.name.clone(), tlslab_report::rows_csv(file))));
    Export::write(out, "report", &report.run.id, &texts)
}
