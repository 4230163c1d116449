//! Reports events, and stops cancelled work.

use super::cancel::{Cancel, Interrupted};
use crate::error::Error;
use crate::progress::event::{Event, Stage, Step};
use crate::results::exports::Export;

/// Reports events to the observer, and knows whether the work is cancelled.
pub struct Reporter<'s> {
    report: &'s (dyn Fn(&Event) + Sync),
    cancel: Cancel,
}

impl<'s> Reporter<'s> {
    /// Reports to a function, which several threads may call at once.
    pub fn new(report: &'s (dyn Fn(&Event) + Sync), cancel: &Cancel) -> Self {
        Self { report, cancel: cancel.clone() }
    }

    /// Whether the work is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_requested()
    }

    /// Stops here if the work is cancelled.
    ///
    /// # Errors
    /// Returns [`Interrupted`] if it is.
    pub fn check(&self) -> Result<(), Interrupted> {
        self.cancel.check()
    }

    /// The result of work on a run, if a run had begun. Cancelled work was interrupted, whatever its result.
    ///
    /// # Errors
    /// Returns [`Error::Interrupted`] if it is cancelled, else the work's own error.
    pub fn finished<T>(&self, run: Option<&str>, result: anyhow::Result<T>) -> Result<T, Error> {
        match result {
            Ok(value) => Ok(value),
            Err(_) if self.is_cancelled() => Err(Error::Interrupted { run: run.map(str::to_owned) }),
            Err(cause) => Err(Error::Failed(cause)),
        }
    }

    /// Cancellation.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Reports an event.
    pub fn emit(&self, event: &Event) {
        (self.report)(event);
    }

    /// Reports files that have been written.
    pub fn announce(&self, export: &Export) {
        self.emit(&Event::Written(export.clone()));
    }

    /// Reports an explanation of what is happening.
    pub fn note(&self, text: impl Into<String>) {
        self.emit(&Event::Note { text: text.into() });
    }

    /// Reports a warning.
    pub fn warn(&self, text: impl Into<String>) {
        self.emit(&Event::Warning { text: text.into() });
    }

    /// Reports a step of a stage.
    pub fn step(&self, stage: Stage, (done, total): (usize, usize), what: impl Into<String>) {
        self.emit(&Event::Step(Step { stage, done, total, left_s: None, what: what.into() }));
    }
}
