//! Two folders with files of figures, compared.

use anyhow::Context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_record::Share;

use super::profiles_of_rows::changed_functions;
use super::rows::{FileCompared, compared};
use crate::error::Error;
use crate::request::CompareFoldersRequest;
use crate::session::Session;

/// The differences of two folders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FoldersCompared {
    /// The comparisons, by file and figure.
    pub files: Vec<FileCompared>,
    /// Rows that differ by a smaller share are collapsed.
    pub threshold: f64,
    /// The functions of rows that differ, as Markdown.
    pub functions: String,
}

impl FoldersCompared {
    /// For each counted row that differs by at least a share, its difference.
    pub fn above(&self, share: f64) -> Vec<f64> {
        let counted = self.files.iter().map(|file| &file.rows).filter(|rows| rows.decides());
        counted.flat_map(|rows| rows.significant(share)).map(|row| row.share()).collect()
    }
}

/// Compares the rows of two folders.
///
/// # Errors
/// Fails if the folders have no file in common, or if a file cannot be read.
pub fn compare_folders(
    session: &Session<'_>,
    request: &CompareFoldersRequest,
) -> Result<FoldersCompared, Error> {
    Ok(folders(session, request)?)
}

fn folders(session: &Session<'_>, request: &CompareFoldersRequest) -> anyhow::Result<FoldersCompared> {
    let text =
        |path: &std::path::Path| path.to_str().map(str::to_owned).context("the folder's name is not UTF-8");
    let (baseline, candidate) = (text(&request.baseline)?, text(&request.candidate)?);
    let files = compared(&baseline, &candidate)?;
    let threshold = request.threshold.map_or(session.policy().apart.folded_floor, Share::get);
    let functions = match request.functions {
        true => {
            changed_functions(&files, (&baseline, &candidate), threshold, &session.environment().parts()?)?
        }
        false => String::new(),
    };
    Ok(FoldersCompared { files, threshold, functions })
}
