//! Durations of the parts of documents.

use std::time::Instant;

use tlslab_lab::Results;
use tlslab_lab::results::notes::Notes;
use tlslab_reproduction::Took;

use crate::files::TIMES;
use crate::run_index::document_notes;

/// How long every part took when it was measured, and which parts a document has.
pub(crate) struct Durations {
    took: Notes<Took>,
    parts: Vec<String>,
}

impl Durations {
    pub(crate) fn load(results: &Results, folder: &str) -> anyhow::Result<Self> {
        Ok(Self { took: document_notes(results, "document-duration", folder, TIMES)?, parts: vec![] })
    }

    /// The document has this part, whenever it was measured.
    pub(crate) fn has(&mut self, part: &str) {
        self.parts.push(part.to_owned());
    }

    /// A part was built since then, and not measured yet.
    pub(crate) fn built(&mut self, part: &str, since: Instant) -> anyhow::Result<()> {
        let builds_s = since.elapsed().as_secs_f64();
        self.took.add(part, Took { builds_s, measuring_s: 0.0 })
    }

    /// A part was measured since then. Time before an interruption counts too.
    pub(crate) fn measured(&mut self, part: &str, since: Instant) -> anyhow::Result<()> {
        let mut took = self.took.get(part).copied().unwrap_or_default();
        took.measuring_s += since.elapsed().as_secs_f64();
        self.took.add(part, took)
    }

    /// All parts together; `None` if one was measured before durations were recorded.
    pub(crate) fn sum(&self) -> Option<Took> {
        let parts: Option<Vec<Took>> = self.parts.iter().map(|part| self.took.get(part).copied()).collect();
        Some(parts?.into_iter().fold(Took::default(), |sum, took| Took {
            builds_s: sum.builds_s + took.builds_s,
            measuring_s: sum.measuring_s + took.measuring_s,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_part_that_is_gone_on_with_adds_up_and_one_that_is_unknown_leaves_no_sum() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::of(folder.path().to_owned());
        let earlier = Instant::now().checked_sub(Duration::from_secs(100)).unwrap();
        let mut times = Durations::load(&results, "documents").unwrap();
        times.has("it/run");
        assert_eq!(times.sum(), None);
        times.measured("it/run", earlier).unwrap();
        times.built("it/run", earlier).unwrap();
        times.measured("it/run", earlier).unwrap();
        let mut times = Durations::load(&results, "documents").unwrap();
        times.has("it/run");
        times.measured("it/run", earlier).unwrap();
        let sum = times.sum().unwrap();
        assert_eq!((sum.builds_s.round(), sum.measuring_s.round()), (100.0, 200.0));
        times.has("it/older");
        assert_eq!(times.sum(), None);
    }
}
