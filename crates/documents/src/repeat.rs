//! Timed parts of a document: they wait for a quiet host, and are measured once more if it was not.

use std::collections::BTreeMap;

use tlslab_lab::results::lease::leased;
use tlslab_reproduction::Measured;

use crate::profiles::stack_of;
use crate::provenance::Noted;
use crate::quiet::{self, Watch};
use crate::run_index::Known;
use crate::task::Task;

/// Whether a part is measured again within one reproduction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    First,
    /// Because the host was busy the first time.
    Second,
}

/// A part that was measured.
pub(crate) struct Timed<T> {
    /// Its run.
    pub run: String,
    /// Its result.
    pub result: T,
    /// The state of the host meanwhile, if recorded.
    pub noted: Option<Noted>,
}

impl Task<'_> {
    /// A part that was measured before.
    pub(crate) fn kept<T>(&self, name: &str, run: String, result: T) -> Timed<T> {
        self.session
            .reporter()
            .note(format!("{name}: already measured (run {run}); `--again` measures it again"));
        Timed { run, result, noted: self.parts.get(name).cloned() }
    }

    /// Waits for other work on the host to end, if the part is timed and the request requires it; this
    /// process keeps the run meanwhile.
    pub(crate) fn wait_for_quiet(&mut self, run: &str, is_timed: bool) -> anyhow::Result<()> {
        if !is_timed || !self.request.quiet {
            return Ok(());
        }
        leased(self.store, run, |_| quiet::wait(self.session.reporter()))
    }

    /// The observations during a part's measurement; recorded at once, except for a second attempt, which may
    /// not be kept.
    pub(crate) fn note_part(
        &mut self,
        name: &str,
        watch: Watch,
        is_timed: bool,
        attempt: Attempt,
    ) -> anyhow::Result<Noted> {
        let mut noted = Noted::new(name, &watch.end(), self.parts.commit.clone());
        // Other work changes times, but no counts.
        noted.disturbed = noted.disturbed.filter(|_| is_timed);
        if attempt == Attempt::First {
            self.parts.add(name, noted.clone())?;
        }
        Ok(noted)
    }

    /// A part, measured once more if the host was busy the first time: the quieter of the two is kept.
    pub(crate) fn repeated<T>(
        &mut self,
        name: &str,
        definition: String,
        first: Timed<T>,
        measure: impl FnOnce(&mut Self) -> anyhow::Result<Timed<T>>,
    ) -> anyhow::Result<T> {
        let (Some(noted), true) = (&first.noted, self.request.quiet) else { return Ok(first.result) };
        let Some(why) = noted.disturbed.as_ref().filter(|_| !noted.of.repeated) else {
            return Ok(first.result);
        };
        self.session.reporter().note(format!("{name}: measured once more, as the host was busy: {why}"));
        let second = measure(self)?;
        let is_quieter = second.noted.as_ref().is_some_and(|second| second.is_quieter_than(noted));
        let kept = if is_quieter { &second } else { &first };
        self.session
            .reporter()
            .note(format!("{name}: run {} is kept, as the host was quieter in it", kept.run));
        if let Some(mut noted) = kept.noted.clone() {
            noted.of.repeated = true;
            self.parts.add(name, noted)?;
        }
        if is_quieter {
            self.made.add(name, Known { run: second.run, definition })?;
            return Ok(second.result);
        }
        Ok(first.result)
    }

    /// The versions of stacks that are in no run, as only their functions were counted.
    pub(crate) fn profiled_versions(&self, measured: &Measured) -> anyhow::Result<BTreeMap<String, String>> {
        let reports = measured.reports.values().flatten();
        let measured_stacks: Vec<&str> =
            reports.flat_map(|report| &report.stacks).map(|stack| stack.name.as_str()).collect();
        let mut versions = BTreeMap::new();
        let wanted = self.document.profiles.iter().filter(|of| measured.profiles.contains_key(&of.cell()));
        for of in wanted.filter(|of| !measured_stacks.contains(&of.shown().as_str())) {
            let stack = stack_of(self.session.environment(), self.document, of)?;
            let recipe = self.session.environment().recipe_index()?.named(&stack)?;
            for (_, built) in self.session.workshop.made(&[recipe])? {
                versions.extend(built.ok().map(|built| (of.shown(), built.identity.source)));
            }
        }
        Ok(versions)
    }
}
