//! A family: one file whose axes multiply out to scenarios.

mod axis;
mod check;
mod draft;
mod name;
mod written;

use tlslab_protocol::Scenario;

use crate::ScenarioError;
use draft::{Draft, Setting};
use written::Written;

/// The most scenarios that one file may resolve to: far above any sensible matrix, far below what fills the memory.
const MOST_SCENARIOS: usize = 10_000;

/// A scenario file.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// A few words.
    pub title: String,
    /// What is done, in sentences.
    pub description: String,
    /// Everything that the axes multiply out to, in the file's order.
    pub scenarios: Vec<Scenario>,
}

impl Family {
    /// Resolves a file. `file` is its name for errors.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScenarioError> {
        let error = |cause: String| ScenarioError::File { file: file.to_owned(), cause };
        let written: Written = toml::from_str(text).map_err(|cause| error(cause.to_string()))?;
        check::axes(written.work, &written.axes).map_err(error)?;
        let axes = written.axes.settings();
        let count = count(&axes).map_err(error)?;
        let scenario = |index| combination(&axes, index).finish(written.work, &written.name).map_err(error);
        let scenarios = (0..count).map(scenario).collect::<Result<_, _>>()?;
        Ok(Self { title: written.title, description: written.description.trim().to_owned(), scenarios })
    }
}

/// Counted before anything is multiplied out: a small file can ask for very many.
fn count(axes: &[Vec<Setting>]) -> Result<usize, String> {
    match axes.iter().try_fold(1_usize, |product, axis| product.checked_mul(axis.len())) {
        Some(0) => Err("an axis has no values; give it one, or leave it out".to_owned()),
        Some(count) if count <= MOST_SCENARIOS => Ok(count),
        _ => Err(format!("more than {MOST_SCENARIOS} scenarios; split the file")),
    }
}

/// One value of every axis; the last axis varies fastest.
fn combination(axes: &[Vec<Setting>], index: usize) -> Draft {
    let mut draft = Draft::blank();
    let mut rest = index;
    for axis in axes.iter().rev() {
        axis[rest % axis.len()](&mut draft);
        rest /= axis.len();
    }
    draft
}
