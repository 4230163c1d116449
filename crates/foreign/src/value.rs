//! Imported values, and the errors of those that cannot be read.

use std::fmt;

use tlslab_stats::median;

/// Which values are better, if the format defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignBetter {
    /// Smaller values are better.
    Smaller,
    /// Larger values are better.
    Larger,
}

/// One value of another program.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignValue {
    /// The benchmark's name.
    pub benchmark: String,
    /// `client` or `server` if the name contains it; else empty.
    pub side: String,
    /// The metric.
    pub metric: String,
    /// The unit, if the format or a convention of its program defines one; else empty.
    pub unit: String,
    /// The value, in `unit`.
    pub value: f64,
    /// Its lower bound, in `unit`.
    pub lower: Option<f64>,
    /// Its upper bound, in `unit`.
    pub upper: Option<f64>,
    /// The number of observations.
    pub n: u64,
    /// The observations themselves, if the format has them.
    pub raw: Vec<f64>,
    /// Which values are better, if the format defines it beyond the unit.
    pub better: Option<ForeignBetter>,
}

impl ForeignValue {
    /// A single value, without side, bounds or observations.
    pub(crate) fn one(benchmark: &str, metric: &str, unit: &str, value: f64) -> Self {
        Self {
            benchmark: benchmark.to_owned(),
            side: String::new(),
            metric: metric.to_owned(),
            unit: unit.to_owned(),
            value,
            lower: None,
            upper: None,
            n: 1,
            raw: Vec::new(),
            better: None,
        }
    }

    /// The median of observations.
    ///
    /// # Errors
    /// Fails if there is no observation, or one is not finite.
    pub(crate) fn median_of(
        benchmark: &str,
        metric: &str,
        unit: &str,
        raw: Vec<f64>,
    ) -> Result<Self, String> {
        match median(&raw) {
            Ok(value) => Ok(Self { n: raw.len() as u64, raw, ..Self::one(benchmark, metric, unit, value) }),
            Err(_) if raw.is_empty() => Err("it has no values".to_owned()),
            Err(_) => Err("one of its values is not a finite number".to_owned()),
        }
    }
}

/// A run of another program, as its history identifies it.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignRun {
    /// The measured revision.
    pub label: String,
    /// Its time, milliseconds since 1970.
    pub unix_ms: u64,
    /// Its values.
    pub values: Vec<ForeignValue>,
}

/// A row that is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRow {
    /// The file.
    pub file: String,
    /// Its position: a line, or a benchmark and a measure.
    pub row: String,
    /// The cause.
    pub cause: String,
    /// The next step.
    pub next: String,
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, row, cause, next } = self;
        write!(f, "{file}: {row}: {cause}; {next}")
    }
}

/// A file's text and name.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    /// The file's name, for messages.
    pub file: &'t str,
    /// Its contents.
    pub text: &'t str,
}

impl Text<'_> {
    pub(crate) fn bad(
        &self,
        row: impl Into<String>,
        cause: impl Into<String>,
        next: impl Into<String>,
    ) -> BadRow {
        BadRow { file: self.file.to_owned(), row: row.into(), cause: cause.into(), next: next.into() }
    }
}
