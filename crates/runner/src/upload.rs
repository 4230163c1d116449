//! The runs of a job, for the service's history: in pieces, so that a connection that breaks costs one piece,
//! and what came is not sent again.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::error::RunnerError;
use crate::wire::Received;

/// Bytes that are sent at once.
const PIECE: u64 = 8 << 20;
/// Between two tries.
const AGAIN: Duration = Duration::from_secs(1);

/// What is sent with which lease.
pub(crate) struct Upload<'u> {
    /// To whom.
    pub client: &'u Client,
    /// The job.
    pub job: &'u str,
    /// The number of its lease.
    pub token: u64,
    /// Whether it is to stop before its end.
    pub is_over: &'u dyn Fn() -> bool,
}

impl Upload<'_> {
    /// Sends a file; whatever was sent before is not sent again. Whether all of it was: it may have to stop
    /// before. Nothing new may arrive for as long as `patience`.
    ///
    /// # Errors
    /// A file that cannot be read, a service that refuses it, or that cannot be reached for too long.
    pub(crate) fn send(
        &self,
        file: &Path,
        patience: Duration,
        report: &dyn Fn(&str),
    ) -> Result<bool, RunnerError> {
        let failed = |cause| RunnerError::File { path: file.to_owned(), cause };
        let mut opened = File::open(file).map_err(failed)?;
        let length = opened.metadata().map_err(failed)?.len();
        // What the service has, if that is known, and the most that it had.
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
                // It did not get further.
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
