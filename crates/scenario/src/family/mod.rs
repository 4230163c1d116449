//! A family: the scenarios that are the product of a table's axes. A file has one table or several.

mod axis;
mod check;
mod draft;
mod name;
pub(crate) mod written;

use tlslab_protocol::Scenario;

use crate::ScenarioError;
use crate::reading::{read, several};
use draft::{Draft, Setting};
use written::{Several, Written};

/// The most scenarios of one file: far above any sensible matrix, far below the limits of memory.
const MOST_SCENARIOS: usize = 10_000;
/// The most causes of invalid scenarios that are named.
const MOST_CAUSES: usize = 5;

/// A table of a scenario file.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// A short title.
    pub title: String,
    /// A description of the work, in sentences.
    pub description: String,
    /// The product of the axes, in the table's order.
    pub scenarios: Vec<Scenario>,
}

impl Family {
    /// Resolves a file. `file` is its name for errors.
    ///
    /// # Errors
    /// Fails if the text is not a scenario file, or if scenarios are invalid.
    pub fn parse(file: &str, text: &str) -> Result<Vec<Self>, ScenarioError> {
        let is_several = text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("scenarios"));
        if !is_several {
            return Ok(vec![Self::resolved(file, read(file, text)?)?]);
        }
        let several: Several = read(file, text)?;
        several.scenarios.into_iter().map(|written| Self::resolved(file, written)).collect()
    }

    fn resolved(file: &str, written: Written) -> Result<Self, ScenarioError> {
        let error = |cause: String| ScenarioError::File { file: file.to_owned(), cause };
        check::axes(written.work, &written.axes).map_err(error)?;
        let axes = written.axes.settings();
        let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".toml");
        let name = written.name.unwrap_or_else(|| template(stem, &axes));
        let axes: Vec<Vec<Setting>> = axes.into_iter().map(|(_, settings)| settings).collect();
        let count = count(&axes).map_err(error)?;
        let (mut scenarios, mut wrong) = (Vec::new(), Vec::new());
        for index in 0..count {
            match combination(&axes, index).finish(written.work, &name) {
                Ok(scenario) => scenarios.push(scenario),
                Err(cause) if wrong.len() < MOST_CAUSES && !wrong.contains(&cause) => wrong.push(cause),
                Err(_) => {}
            }
        }
        if !wrong.is_empty() {
            return Err(several(file, wrong));
        }
        let title = written.title.unwrap_or_else(|| stem.to_owned());
        Ok(Self { title, description: written.description.trim().to_owned(), scenarios })
    }
}

/// The scenarios' default name: the file's, and each axis with several values.
fn template(stem: &str, axes: &[(&str, Vec<Setting>)]) -> String {
    let several = axes.iter().filter(|(_, settings)| settings.len() > 1);
    several.fold(stem.to_owned(), |name, (axis, _)| format!("{name}/{{{axis}}}"))
}

/// Counted before anything is generated: a small file can define very many.
fn count(axes: &[Vec<Setting>]) -> Result<usize, String> {
    match axes.iter().try_fold(1_usize, |product, axis| product.checked_mul(axis.len())) {
        Some(0) => Err("an axis has no values; give it one, or omit it".to_owned()),
        Some(count) if count <= MOST_SCENARIOS => Ok(count),
        _ => Err(format!("more than {MOST_SCENARIOS} scenarios; split the file")),
    }
}

/// One combination of values; the last axis varies fastest.
fn combination(axes: &[Vec<Setting>], index: usize) -> Draft {
    let mut draft = Draft::blank();
    let mut rest = index;
    for axis in axes.iter().rev() {
        axis[rest % axis.len()](&mut draft);
        rest /= axis.len();
    }
    draft
}
