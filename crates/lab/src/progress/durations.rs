//! Durations of a run's steps on this host, stored in the cache; for steps that never ran here, recorded ones
//! of another host.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tlslab_artifact::read_plain_text;

/// Recorded on one host, in the format of the cache's file.
const RECORDED: &str = include_str!("../../../../docs/recorded/durations.json");

/// The longest file that is read, bytes.
const LONGEST: u64 = 16 << 20;

/// Seconds of a step by the stage, the stack's recipe and the scenario.
type Table = BTreeMap<String, BTreeMap<String, BTreeMap<String, f64>>>;

/// Known durations of steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Durations {
    file: PathBuf,
    here: Table,
    /// Those of this host in place of the recorded ones.
    all: Table,
}

/// How long a step takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Expected {
    /// Seconds.
    pub s: f64,
    /// Whether this step has run on this host before.
    pub is_from_here: bool,
}

impl Durations {
    /// The durations in a cache.
    pub(crate) fn of(cache: &Path) -> Self {
        Self::read(cache.join("durations.json"), RECORDED)
    }

    fn read(file: PathBuf, recorded: &str) -> Self {
        // A file that cannot be read is written again.
        let here: Table = read_plain_text(&file, LONGEST)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let mut all: Table = serde_json::from_str(recorded).unwrap_or_default();
        for (stage, stacks) in &here {
            for (stack, scenarios) in stacks {
                let known = all.entry(stage.clone()).or_default().entry(stack.clone()).or_default();
                known.extend(scenarios.iter().map(|(scenario, s)| (scenario.clone(), *s)));
            }
        }
        Self { file, here, all }
    }

    /// How long a step takes: as last time; else as the scenario takes with other stacks; else as other
    /// scenarios take with the stack.
    pub(crate) fn expected(&self, stage: &str, stack: &str, scenario: &str) -> Expected {
        let find = |table: &Table| table.get(stage)?.get(stack)?.get(scenario).copied();
        if let Some(s) = find(&self.here) {
            return Expected { s, is_from_here: true };
        }
        let stacks = self.all.get(stage);
        let of_scenario = || mean(stacks?.values().filter_map(|scenarios| scenarios.get(scenario)));
        let of_stack = || mean(stacks?.get(stack)?.values());
        let of_stage = || mean(stacks?.values().flat_map(BTreeMap::values));
        let s = find(&self.all).or_else(of_scenario).or_else(of_stack).or_else(of_stage);
        Expected { s: s.unwrap_or(UNKNOWN_S), is_from_here: false }
    }

    /// Adds durations of steps, and stores all. Another process may have added some meanwhile.
    pub(crate) fn keep(&self, took: impl IntoIterator<Item = ([String; 3], f64)>) {
        let mut now = Self::read(self.file.clone(), "{}").here;
        for ([stage, stack, scenario], s) in took {
            now.entry(stage).or_default().entry(stack).or_default().insert(scenario, (s * 1e3).round() / 1e3);
        }
        let unfinished = self.file.with_extension(format!("{}.new", std::process::id()));
        let text = serde_json::to_string_pretty(&now).unwrap_or_default();
        // Without it the next forecast is less exact.
        let _ = fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, &self.file));
    }
}

/// The mean of completed steps: unsupported work takes no time.
fn mean<'s>(all: impl Iterator<Item = &'s f64>) -> Option<f64> {
    let done: Vec<f64> = all.copied().filter(|s| *s > 0.0).collect();
    (!done.is_empty()).then(|| done.iter().sum::<f64>() / done.len() as f64)
}

/// The assumed duration of a step about which nothing is known, s.
const UNKNOWN_S: f64 = 1.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_time_here_goes_before_other_stacks_and_those_before_other_scenarios() {
        let folder = tempfile::tempdir().unwrap();
        let recorded = r#"{"weigh": {"a": {"x": 2.0, "y": 4.0, "z": 0.0}, "b": {"y": 8.0}}}"#;
        let read = || Durations::read(folder.path().join("durations.json"), recorded);
        let expected = |stage: &str, stack: &str, scenario: &str| {
            let Expected { s, is_from_here } = read().expected(stage, stack, scenario);
            (s, is_from_here)
        };
        assert_eq!(expected("weigh", "a", "x"), (2.0, false));
        assert_eq!(expected("weigh", "c", "y"), (6.0, false));
        assert_eq!(expected("weigh", "a", "w"), (3.0, false));
        assert_eq!(expected("weigh", "a", "z"), (0.0, false));
        assert_eq!(expected("prove", "a", "x"), (UNKNOWN_S, false));
        let key = |scenario: &str| ["weigh", "a", scenario].map(str::to_owned);
        read().keep([(key("x"), 5.0)]);
        read().keep([(key("w"), 7.0)]);
        assert_eq!(expected("weigh", "a", "x"), (5.0, true));
        assert_eq!(expected("weigh", "a", "w"), (7.0, true));
        fs::write(folder.path().join("durations.json"), "{").unwrap();
        assert_eq!(expected("weigh", "a", "x"), (2.0, false));
    }

    #[test]
    fn the_recorded_ones_can_be_read() {
        let read: Table = serde_json::from_str(RECORDED).unwrap();
        assert!(read.contains_key("prove"));
    }
}
