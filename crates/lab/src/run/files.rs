//! The files of a run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tlslab_estimate::Report;

use crate::event::Event;
use crate::session::Session;

/// The files of a run.
#[derive(Clone, Debug)]
pub struct Files {
    /// Their folder.
    pub folder: PathBuf,
    /// The names of those beside `report.html`.
    pub beside: Vec<String>,
}

impl Files {
    /// The page.
    pub fn page(&self) -> PathBuf {
        let page = self.folder.join("report.html");
        page.canonicalize().unwrap_or(page)
    }

    /// Reports that they were written.
    pub fn announce(&self, session: &Session<'_>) {
        session.emit(&Event::Written { what: "report", page: self.page(), beside: self.beside.clone() });
    }
}

/// Writes a run in all formats.
///
/// # Errors
/// A folder or file that cannot be written.
pub fn write_files(out: &Path, report: &Report) -> anyhow::Result<Files> {
    let folder = out.join(&report.run.id);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let mut texts: Vec<(String, String)> = vec![
        ("report.html".to_owned(), tlslab_report::html(report)),
        ("report.md".to_owned(), tlslab_report::markdown(report)),
        ("results.json".to_owned(), tlslab_report::json(report)),
        ("results.csv".to_owned(), tlslab_report::csv(report)),
    ];
    texts.extend(tlslab_report::cross_csv(report).map(|text| ("cross.csv".to_owned(), text)));
    texts.extend(report.rows.iter().map(|file| (file.name.clone(), tlslab_report::rows_csv(file))));
    for (name, text) in &texts {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let beside = texts.into_iter().skip(1).map(|(name, _)| name).collect();
    Ok(Files { folder, beside })
}
