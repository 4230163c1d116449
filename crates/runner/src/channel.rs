//! The channel by which git's questions reach the supervisor.

use serde_json::Value;
use tlslab_process::{Channel, ChannelEnd};

use crate::error::RunnerError;
use crate::folders::JobFolder;
use crate::work::{Step, Work};

/// The two ends of a channel for a step that builds from private repositories. A job of trust owner runs
/// without a sandbox, in which a build could look into git.
pub(crate) fn channel_for(
    step: &Step,
    work: &Work,
    folder: &JobFolder,
) -> Result<Option<(Channel, ChannelEnd)>, RunnerError> {
    let is_candidate = step.job.get("trust").and_then(Value::as_str) == Some("candidate");
    if work.private.is_empty() || step.is_canary || !is_candidate {
        return Ok(None);
    }
    let made = Channel::pair().map_err(|cause| RunnerError::File { path: folder.log(), cause });
    made.map(Some)
}
