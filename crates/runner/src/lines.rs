//! The lines of a job's process: which are sent, and the progress that they show.

use std::time::{Duration, Instant};

use serde_json::Value;
use tlslab_queue::State;

/// Longer lines are cut before they are parsed.
pub(crate) const LONGEST: u64 = 256 << 20;
/// The most events that are sent of one attempt.
const MOST: u64 = 20_000;
/// The interval of lines of one kind that change quickly.
const BETWEEN: Duration = Duration::from_millis(500);

/// Selects the events to send.
#[derive(Default)]
pub(crate) struct Chosen {
    number: u64,
    last_line: Option<Instant>,
}

impl Chosen {
    /// The event's number, if it is sent.
    pub(crate) fn choose(&mut self, event: &Value) -> Option<u64> {
        let kind = event.get("event").and_then(Value::as_str);
        if kind == Some("slice") || self.number >= MOST {
            return None;
        }
        let is_line = event.pointer("/what/line").is_some();
        if is_line {
            if self.last_line.is_some_and(|last| last.elapsed() < BETWEEN) {
                return None;
            }
            self.last_line = Some(Instant::now());
        }
        self.number += 1;
        Some(self.number)
    }
}

/// The state that an event belongs to; for builds the step's own.
pub(crate) fn state_of(event: &Value, building: State) -> Option<State> {
    let stage = event.get("stage").and_then(Value::as_str);
    match event.get("event").and_then(Value::as_str)? {
        "build-planned" | "build" => Some(building),
        "step" => Some(match stage? {
            "prove" => State::Proving,
            "functions" => State::Explaining,
            _ if event.get("what").and_then(Value::as_str).is_some_and(|what| what.contains("confirm")) => {
                State::Confirming
            }
            _ => State::Measuring,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_changes_quickly_is_thinned_out() {
        let mut chosen = Chosen::default();
        let line = json!({"event": "build", "what": {"line": "cc a.c"}});
        assert_eq!(chosen.choose(&json!({"event": "slice"})), None);
        assert_eq!(chosen.choose(&line), Some(1));
        assert_eq!(chosen.choose(&line), None);
        assert_eq!(chosen.choose(&json!({"event": "build", "what": "started"})), Some(2));
    }

    #[test]
    fn an_event_says_how_far_the_job_is() {
        let of = |event: Value| state_of(&event, State::BuildingBaseline);
        assert_eq!(of(json!({"event": "build-planned"})), Some(State::BuildingBaseline));
        assert_eq!(of(json!({"event": "step", "stage": "prove", "what": "a"})), Some(State::Proving));
        assert_eq!(of(json!({"event": "step", "stage": "count", "what": "a"})), Some(State::Measuring));
        assert_eq!(of(json!({"event": "step", "stage": "functions", "what": "a"})), Some(State::Explaining));
        assert_eq!(of(json!({"event": "note"})), None);
    }
}
