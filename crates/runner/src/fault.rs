//! The cause of a failed step: candidate, runner or lab.

use std::path::Path;

use serde_json::Value;
use tlslab_queue::Fault;

use crate::work::Step;

/// Why a job cannot continue after a step, and whose fault that is.
pub(crate) fn fault_of(
    step: &Step,
    ending: Option<&Value>,
    is_last: bool,
    log: &Path,
) -> Option<(Fault, String)> {
    let Some(ending) = ending else {
        return Some((Fault::Runner, format!("the job's process ended without an outcome{}", tail(log))));
    };
    if let Some(error) = ending.get("error").filter(|error| !error.is_null()) {
        let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let fault = match text("kind").as_str() {
            "unavailable" | "interrupted" => Fault::Runner,
            "failed" => step.fault,
            _ => Fault::Lab,
        };
        return Some((fault, format!("{}: {}", text("thing"), text("cause"))));
    }
    let builds = ending.pointer("/outcome/value/stacks").and_then(Value::as_array);
    let failure = builds.into_iter().flatten().find_map(|stack| stack.pointer("/outcome/failed"));
    if let Some(failure) = failure {
        let text = |name: &str| failure.get(name).and_then(Value::as_str).unwrap_or_default();
        let fault = match text("stage") {
            "prefix" | "driver" => step.fault,
            // The author controls what a source fetches: another attempt has the same outcome.
            "source" if is_of_source(text("reason")) => step.fault,
            "plan" | "source" | "versions" => Fault::Runner,
            _ => Fault::Lab,
        };
        let lines = failure.get("last_lines").and_then(Value::as_array).cloned().unwrap_or_default();
        let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
        return Some((
            fault,
            format!("{}: {}\n{}", text("stage"), text("reason"), lines.join("\n")).trim().to_owned(),
        ));
    }
    match ending.get("status").and_then(Value::as_str) {
        Some("done" | "changed") => None,
        Some("with-failures") if is_last => None,
        status => Some((step.fault, format!("a step ended as {}", status.unwrap_or("nothing")))),
    }
}

/// Whether fetching failed because of the source itself: it fetches from a host or an origin that is not
/// allowed.
fn is_of_source(reason: &str) -> bool {
    reason.contains("is not an allowed")
}

/// A failure on a full disk is the runner's fault, regardless of the work. The lab refuses to build on a disk
/// that is nearly full.
pub(crate) fn on_disk(fault: Fault, reason: String, was_full: bool) -> (Fault, String) {
    match was_full || reason.contains("not enough room in `") {
        true if !fault.may_pass() => (Fault::Runner, format!("the runner's disk is full: {reason}")),
        _ => (fault, reason),
    }
}

/// The end of the log, for a message.
fn tail(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text[text.len().saturating_sub(2_000)..]).into_owned();
    let lines: Vec<&str> = text.lines().rev().take(5).collect();
    if lines.is_empty() {
        return String::new();
    }
    format!(": {}", lines.into_iter().rev().collect::<Vec<_>>().join(" / "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use tlslab_queue::State;

    use crate::work::Cache;

    #[test]
    fn whose_fault_a_failure_is() {
        let step = Step {
            job: Value::Null,
            cache: Cache::Own,
            state: State::BuildingCandidate,
            fault: Fault::Candidate,
            is_canary: false,
        };
        let log = Path::new("/nowhere");
        let of =
            |ending: Value, is_last| fault_of(&step, Some(&ending), is_last, log).map(|(fault, _)| fault);
        let build = |stage: &str| {
            json!({"status": "with-failures", "outcome": {"kind": "builds", "value": {"stacks": [
                {"outcome": {"built": {}}}, {"outcome": {"failed": {"stage": stage, "reason": "r", "last_lines": ["e"]}}}]}}})
        };
        assert_eq!(of(build("driver"), false), Some(Fault::Candidate));
        assert_eq!(of(build("source"), false), Some(Fault::Runner));
        let mut foreign = build("source");
        foreign["outcome"]["value"]["stacks"][1]["outcome"]["failed"]["reason"] = json!(
            "the submodule sub fetches from \"https://evil.example/x\": evil.example is not an allowed host"
        );
        assert_eq!(of(foreign, false), Some(Fault::Candidate));
        assert_eq!(of(build("counter"), false), Some(Fault::Lab));
        let error =
            |kind: &str| json!({"status": "failed", "error": {"kind": kind, "thing": "t", "cause": "c"}});
        assert_eq!(of(error("unavailable"), true), Some(Fault::Runner));
        assert_eq!(of(error("invalid"), true), Some(Fault::Lab));
        assert_eq!(of(error("failed"), true), Some(Fault::Candidate));
        assert_eq!(of(json!({"status": "done", "outcome": {}}), false), None);
        assert_eq!(of(json!({"status": "with-failures", "outcome": {}}), true), None);
        assert_eq!(fault_of(&step, None, true, log).unwrap().0, Fault::Runner);
    }

    #[test]
    fn a_full_disk_is_never_the_candidates_fault() {
        let of = |fault, reason: &str, was_full| on_disk(fault, reason.to_owned(), was_full).0;
        assert_eq!(of(Fault::Candidate, "driver: cc: No space left on device", true), Fault::Runner);
        assert_eq!(of(Fault::Baseline, "driver: the build failed", true), Fault::Runner);
        assert_eq!(
            of(Fault::Candidate, "driver: not enough room in `/c`: 12 MiB are free", false),
            Fault::Runner
        );
        // A sandbox limits what a build may write outside of its own folder.
        assert_eq!(of(Fault::Candidate, "driver: cc: No space left on device", false), Fault::Candidate);
        assert_eq!(of(Fault::Lab, "a step ended as nothing", true), Fault::Lab);
    }
}
