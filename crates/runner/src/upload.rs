//! The runs of a job, for the service's history: in pieces, so that a connection that breaks costs one piece, and what came is not sent again.

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
pub struct Upload<'u> {
    /// To whom.
    pub client: &'u Client,
    /// The job.
    pub job: &'u str,
    /// The number of its lease.
    pub token: u64,
}

impl Upload<'_> {
    /// Sends a file; whatever was sent before is not sent again. Nothing may arrive for as long as `patience`.
    ///
    /// # Errors
    /// A file that cannot be read, a service that refuses it, or that cannot be reached for too long.
    pub fn send(&self, file: &Path, patience: Duration, report: &dyn Fn(&str)) -> Result<(), RunnerError> {
        let failed = |cause| RunnerError::File { path: file.to_owned(), cause };
        let mut opened = File::open(file).map_err(failed)?;
        let length = opened.metadata().map_err(failed)?.len();
        let (mut heard, mut received) = (Instant::now(), None);
        loop {
            let answer = match received {
                // Nothing is known yet, or what was known may be wrong.
                None => self.client.get::<Received>(&self.address("")),
                Some(at) => {
                    let mut piece = Vec::new();
                    opened.seek(SeekFrom::Start(at)).map_err(failed)?;
                    opened.by_ref().take(PIECE).read_to_end(&mut piece).map_err(failed)?;
                    self.client.put::<Received>(&self.address(&format!("&from={at}&length={length}")), &piece)
                }
            };
            match answer {
                Ok(Some(Received { is_kept: true, .. })) => return Ok(()),
                Ok(Some(Received { bytes, .. })) if received != Some(bytes) => {
                    heard = Instant::now();
                    received = Some(bytes.min(length));
                }
                // It has what it had: another service may answer now than before.
                Ok(_) => received = None,
                Err(error) if !error.may_pass() => return Err(error),
                Err(error) => {
                    report(&format!("the runs are not sent yet: {error}"));
                    received = None;
                    std::thread::sleep(AGAIN);
                }
            }
            if heard.elapsed() > patience {
                let (url, cause) = (self.address(""), "the runs could not be sent".to_owned());
                return Err(RunnerError::Unreachable { url, cause });
            }
        }
    }

    fn address(&self, more: &str) -> String {
        format!("/runner/v1/runs?job={}&token={}{more}", self.job, self.token)
    }
}
