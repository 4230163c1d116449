//! A step with its output in a log.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::ended::Ended;
use crate::error::ProcessError;
use crate::program::{Input, Output, Program};

impl Program {
    /// Runs the program to its end. It reads nothing, and both its outputs are appended to the log, whatever
    /// [`Program::stdin`], [`Program::stdout`] and [`Program::stderr`] are. Its orphans are killed.
    ///
    /// # Errors
    /// As [`Program::spawn`] and [`Supervised::wait`](crate::Supervised::wait). Also fails if it exceeds
    /// `timeout` or if `cancel` is set; it has then been killed.
    pub fn run_to_log(
        &self,
        log: &Path,
        timeout: Option<Duration>,
        cancel: &AtomicBool,
    ) -> Result<Ended, ProcessError> {
        let cancelled = || cancel.load(Ordering::Relaxed);
        if cancelled() {
            return Err(ProcessError::Cancelled { program: self.path.clone() });
        }
        let output = Output::File(log.to_owned());
        let program = self.clone().stdin(Input::Null).stdout(output.clone()).stderr(output);
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut running = program.spawn()?;
        loop {
            let left = deadline.map_or(Duration::MAX, |d| d.saturating_duration_since(Instant::now()));
            if let Some(ended) = running.wait_timeout(left.min(POLL))? {
                return Ok(ended);
            }
            if cancelled() {
                running.kill()?;
                return Err(ProcessError::Cancelled { program: self.path.clone() });
            }
            if let (Some(after), Duration::ZERO) = (timeout, left) {
                running.kill()?;
                return Err(ProcessError::TimedOut {
                    program: self.path.clone(),
                    after,
                    log: log.to_owned(),
                });
            }
        }
    }
}

const POLL: Duration = Duration::from_millis(50);
