//! What a user says of values whose file does not: metric, unit, and which of them are better.

use anyhow::{bail, ensure};
use serde::{Deserialize, Serialize};
use tlslab_foreign::{ForeignBetter, ForeignValue};
use tlslab_record::Better;

use super::ForeignFormat;

/// The metric of values of which a format says no metric.
const NO_METRIC: &str = "value";
/// The metrics of criterion begin so, as it measures time unless a measurement of the user's own is set.
const CRITERION_TIME: &str = "time.";

/// What is said of the values of an import.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// The metric, where the format says none.
    #[serde(default)]
    pub metric: Option<String>,
    /// The unit, where the format says none.
    #[serde(default)]
    pub unit: Option<String>,
    /// Which values are better, where neither format nor unit says it.
    #[serde(default)]
    pub better: Option<ForeignBetterAsked>,
}

/// Which values are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ForeignBetterAsked {
    /// Smaller ones.
    Smaller,
    /// Larger ones.
    Larger,
}

impl Given {
    /// Says it of the values.
    ///
    /// # Errors
    /// Something that the format already says of every value.
    pub fn apply(&self, format: ForeignFormat, values: &mut [ForeignValue]) -> anyhow::Result<()> {
        if let Some(unit) = &self.unit {
            ensure!(
                is_text(unit, 100),
                "the unit is empty, longer than 100 bytes, or has control characters"
            );
            let mut is_new = false;
            for value in values.iter_mut().filter(|value| has_no_unit(format, value)) {
                value.unit.clone_from(unit);
                is_new = true;
            }
            ensure!(
                is_new,
                "every value of the {} format has a unit already; omit --unit",
                format.name()
            );
        }
        self.name(format, values)?;
        if let Some(better) = self.better {
            let mut is_new = false;
            for value in values.iter_mut().filter(|value| better_of(value) == Better::Unknown) {
                value.better = Some(match better {
                    ForeignBetterAsked::Smaller => ForeignBetter::Smaller,
                    ForeignBetterAsked::Larger => ForeignBetter::Larger,
                });
                is_new = true;
            }
            ensure!(
                is_new,
                "format or unit of every value already say which values are better; omit --better"
            );
        }
        Ok(())
    }

    fn name(&self, format: ForeignFormat, values: &mut [ForeignValue]) -> anyhow::Result<()> {
        let is_time = self.unit.as_deref().is_none_or(is_unit_of_time);
        // Criterion's estimates are of whatever was measured.
        let criterion = self.metric.as_deref().or((!is_time).then_some(NO_METRIC));
        if format == ForeignFormat::Criterion {
            for value in values.iter_mut() {
                if let (Some(named), Some(estimate)) = (criterion, value.metric.strip_prefix(CRITERION_TIME))
                {
                    value.metric = format!("{named}.{estimate}");
                }
            }
            return Ok(());
        }
        let Some(metric) = &self.metric else { return Ok(()) };
        let mut is_new = false;
        for value in values.iter_mut().filter(|value| value.metric == NO_METRIC) {
            value.metric.clone_from(metric);
            is_new = true;
        }
        if !is_new {
            bail!("every value of the {} format has a metric already; omit --metric", format.name());
        }
        Ok(())
    }
}

/// Which values of a series are better, by what is said of one of them and by its unit.
pub(super) fn better_of(value: &ForeignValue) -> Better {
    match value.better {
        Some(ForeignBetter::Smaller) => Better::Smaller,
        Some(ForeignBetter::Larger) => Better::Larger,
        None => Better::of_unit(&value.unit),
    }
}

/// Criterion writes ns unless a measurement of the user's own is set, and its files do not say so.
fn has_no_unit(format: ForeignFormat, value: &ForeignValue) -> bool {
    value.unit.is_empty() || format == ForeignFormat::Criterion
}

fn is_unit_of_time(unit: &str) -> bool {
    ["ps", "ns", "us", "µs", "ms", "s"].contains(&unit)
}

/// Whether a text is short and can be printed.
pub(super) fn is_text(text: &str, longest: usize) -> bool {
    !text.trim().is_empty() && text.len() <= longest && !text.chars().any(char::is_control)
}
