//! Sends the runs of a job for the service's history: in pieces, so that a broken connection costs one piece,
//! and received pieces are not sent again.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::error::RunnerError;
use crate::wire::Received;

/// The size of a piece, bytes.
const PIECE: u64 = 8 << 20;
/// The pause between two attempts.
const AGAIN: Duration = Duration::from_secs(1);

/// The file's lease and destination.
pub(crate) struct Upload<'u> {
    /// The service.
    pub client: &'u Client,
    /// The job.
    pub job: &'u str,
    /// The number of its lease.
    pub token: u64,
    /// Whether it is to stop early.
    pub is_over: &'u dyn Fn() -> bool,
}

impl Upload<'_> {
    /// Sends a file without pieces that were received before. Returns whether all of it was sent: it may have
    /// to stop early. It gives up after `patience` without progress.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if the service rejects it or is unreachable for too long.
    pub(crate) fn send(
        &self,
        file: &Path,
        patience: Duration,
        report: &dyn Fn(&str),
    ) -> Result<bool, RunnerError> {
        let failed = |cause| RunnerError::File { path: file.to_owned(), cause };
        let mut opened = File::open(file).map_err(failed)?;
        let length = opened.metadata().map_err(failed)?.len();
        // The service's present size, if known, and its largest so far.
        let (mut received, mut most) = (None, None);
        let mut progressed = Instant::now();
        while !(self.is_over)() {
            let answer = match received {
                None => self.client.get::<Received>(&self.address("")),
                Some(at) => {
                    let mut piece = Vec::new();
                    opened.seek(SeekFrom::Start(at)).map_err(failed)?;
                    opened.by_ref().take(PIECE).read_to_end(&mut piece).map_err(failed)?;
                    self.client.put::<Received>(&self.address(&format!("&from={at}&length={length}")), &piece)
                }
            };
            match answer {
                Ok(Some(Received { is_kept: true, .. })) => return Ok(true),
                Ok(Some(Received { bytes, .. })) if received.is_none() || received < Some(bytes) => {
                    if most < Some(bytes) {
                        (most, progressed) = (Some(bytes), Instant::now());
                    }
                    received = Some(bytes.min(length));
                }
                // There was no progress.
                Ok(_) => {
                    received = None;
                    std::thread::sleep(AGAIN);
                }
                Err(error) if !error.may_pass() => return Err(error),
                Err(error) => {
                    report(&format!("the runs are not sent yet: {error}"));
                    received = None;
                    std::thread::sleep(AGAIN);
                }
            }
            if progressed.elapsed() > patience {
                let (url, cause) = (self.address(""), "the runs could not be sent".to_owned());
                return Err(RunnerError::Unreachable { url, cause });
            }
        }
        Ok(false)
    }

    fn address(&self, more: &str) -> String {
        format!("/runner/v1/runs?job={}&token={}{more}", self.job, self.token)
    }
}
