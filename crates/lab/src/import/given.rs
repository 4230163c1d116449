//! A user's statements about values whose file lacks them: metric, unit, and which values are better.

use anyhow::{bail, ensure};
use serde::{Deserialize, Serialize};
use tlslab_foreign::{ForeignBetter, ForeignValue};
use tlslab_record::Better;

use super::ForeignFormat;

/// The metric of values whose format has none.
const NO_METRIC: &str = "value";
/// Criterion's metrics begin so, as it measures time unless a user's own measurement is set.
const CRITERION_TIME: &str = "time.";

/// A user's statements about the values of an import.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// The metric, if the format has none.
    #[serde(default)]
    pub metric: Option<String>,
    /// The unit, if the format has none.
    #[serde(default)]
    pub unit: Option<String>,
    /// Which values are better, if neither format nor unit determines it.
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
    /// Applies the statements to the values.
    ///
    /// # Errors
    /// Fails if the format already determines it for every value.
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
            ensure!(is_new, "every value of the {} format has a unit already; omit --unit", format.name());
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
        // Criterion's estimates may be of any measurement.
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

/// Which values of a series are better, by a user's statement about one of them and by its unit.
pub(super) fn better_of(value: &ForeignValue) -> Better {
    match value.better {
        Some(ForeignBetter::Smaller) => Better::Smaller,
        Some(ForeignBetter::Larger) => Better::Larger,
        None => Better::of_unit(&value.unit),
    }
}

/// Criterion writes ns unless a user's own measurement is set, and its files do not show which.
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
