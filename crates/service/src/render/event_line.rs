//! Events of the engine as lines of a log.

use serde_json::Value;
use tlslab_job::EventLine;
use tlslab_lab::{BuildStep, ComparisonStarted, Event, Resource, RunStarted, Step};
use tlslab_pages::service::LogLine;
use tlslab_text::number::{counted, duration};

use super::failure::without_folders;
use super::words::{line, lines, moment};

/// An event as a line; none for an event that is not for people, or of a newer lab.
pub(crate) fn event_line(body: &Value) -> Option<LogLine> {
    let event: EventLine = serde_json::from_value(body.clone()).ok()?;
    let text = text(&event.event)?;
    let kind = match &event.event {
        Event::Warning { .. } | Event::Waiting { .. } => "warning",
        Event::Build { what: BuildStep::Failed(_), .. } => "error",
        Event::Step(_) => "step",
        _ => "note",
    };
    let text = without_folders(&if kind == "error" { lines(&text) } else { line(&text) });
    let time = moment(event.unix_ms).and_then(|moment| Some(moment.text.get(11..19)?.to_owned()));
    Some(LogLine { time: time.unwrap_or_default(), kind, text })
}

fn text(event: &Event) -> Option<String> {
    Some(match event {
        Event::BuildPlanned { products, .. } if products.is_empty() => {
            "everything is in the build cache".to_owned()
        }
        Event::BuildPlanned { products, about_s } => {
            format!("to build: {}, about {}", counted(products.len(), "product"), duration(*about_s))
        }
        Event::Planned { phases } => {
            let phases = phases.iter().filter(|phase| !phase.if_flagged);
            let each = phases.map(|phase| format!("{} {}", phase.name, duration(phase.about_s)));
            format!("about: {}", each.collect::<Vec<_>>().join(", "))
        }
        Event::Build { product, what } => {
            build(&format!("{} ({})", product.stage, product.stacks.join(", ")), what)
        }
        Event::RunStarted(run) => run_line(run),
        Event::ComparisonStarted(comparison) => comparison_line(comparison),
        Event::Step(step) => step_line(step),
        Event::Written(export) => {
            format!("{}: {} written on the runner", export.what, counted(export.files.len(), "file"))
        }
        Event::Waiting { resource: Resource::Host, holder } => {
            format!("{holder} is measuring on this host; waiting for it to end")
        }
        Event::Warning { text } => format!("warning: {text}"),
        Event::Note { text } => text.clone(),
        _ => return None,
    })
}

fn build(name: &str, what: &BuildStep) -> String {
    match what {
        BuildStep::Cached => format!("build: {name} is in the cache"),
        BuildStep::Again(why) => format!("build: {name} is built again: {why}"),
        BuildStep::Waiting => format!("build: {name} waits for another build that uses the same folder"),
        BuildStep::Started => format!("build: {name} started"),
        BuildStep::Line(line) => format!("build: {name}: {line}"),
        BuildStep::Finished { took_s } => format!("build: {name} done in {took_s:.1} s"),
        BuildStep::Failed(failure) => {
            let last = failure.last_lines.iter().map(|line| format!("\n{line}")).collect::<String>();
            format!("build: {name} failed: {}: {}{last}", failure.stage, failure.reason)
        }
    }
}

fn run_line(run: &RunStarted) -> String {
    let timing = timing(run.timing, "");
    let (scenarios, stacks) = (counted(run.scenarios, "scenario"), counted(run.stacks.len(), "stack"));
    let names = run.stacks.join(", ");
    format!("run {}: {scenarios} × {stacks} ({names}), {timing}, seed {}", run.run, run.seed)
}

fn comparison_line(comparison: &ComparisonStarted) -> String {
    let pairs = comparison.pairs.iter().map(|pair| {
        let same = if pair.identical { " (identical code)" } else { "" };
        format!("{} against {}{same}", pair.candidate, pair.baseline)
    });
    let pairs: Vec<String> = pairs.collect();
    let timing = timing(comparison.timing, "at most ");
    let (scenarios, seed) = (counted(comparison.scenarios, "scenario"), comparison.seed);
    format!("comparison {}: {}; {scenarios}, {timing}, seed {seed}", comparison.run, pairs.join("; "))
}

fn timing(timing: Option<(u32, f64)>, at_most: &str) -> String {
    match timing {
        Some((rounds, budget_s)) => {
            format!("{at_most}{}, about {}", counted(rounds, "round"), duration(budget_s))
        }
        None => "nothing timed".to_owned(),
    }
}

fn step_line(step: &Step) -> String {
    let left = step.left_s.map(|left_s| format!("about {} left; ", duration(left_s))).unwrap_or_default();
    format!("{}: {}/{} {left}{}", step.stage.name(), step.done, step.total, step.what)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(event: Value) -> Option<LogLine> {
        let mut whole = json!({"format": 1, "job": "j", "number": 1, "unix_ms": 1_795_575_661_000_u64});
        whole.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        event_line(&whole)
    }

    #[test]
    fn every_event_has_a_line() {
        let product = json!({"stage": "driver", "stacks": ["a", "b"]});
        let build = |what: Value| json!({"event": "build", "product": product, "what": what});
        let failed = json!({"failed": {"stage": "driver", "reason": "cargo ended with 101", "log": null, "last_lines": ["error[E0433]"]}});
        for (event, kind, expected) in [
            (json!({"event": "build-planned", "products": []}), "note", "everything is in the build cache"),
            (
                json!({"event": "build-planned", "products": [product], "about_s": 90.2}),
                "note",
                "to build: 1 product, about 1 min 30 s",
            ),
            (
                json!({"event": "planned", "phases": [{"name": "prove", "about_s": 2, "steps": 9, "is_from_here": true, "if_flagged": false}]}),
                "note",
                "about: prove 2 s",
            ),
            (build(json!("cached")), "note", "build: driver (a, b) is in the cache"),
            (
                build(json!("waiting")),
                "note",
                "build: driver (a, b) waits for another build that uses the same folder",
            ),
            (build(json!("started")), "note", "build: driver (a, b) started"),
            (build(json!({"line": "Compiling x"})), "note", "build: driver (a, b): Compiling x"),
            (build(json!({"finished": {"took_s": 1.25}})), "note", "build: driver (a, b) done in 1.2 s"),
            (build(failed), "error", "build: driver (a, b) failed: "),
            (
                json!({"event": "run-started", "run": "r", "scenarios": 2, "stacks": ["a"], "timing": [3, 4.2], "seed": 5}),
                "note",
                "run r: 2 scenarios × 1 stack (a), 3 rounds, about 4 s, seed 5",
            ),
            (
                json!({"event": "comparison-started", "run": "r", "scenarios": 2, "timing": null, "seed": 5,
                    "pairs": [{"baseline": "a", "candidate": "b", "fixed_layout": [], "identical": true}]}),
                "note",
                "comparison r: b against a (identical code); 2 scenarios, nothing timed, seed 5",
            ),
            (
                json!({"event": "step", "stage": "measure", "done": 4, "total": 8, "left_s": 61.2, "what": "round 4"}),
                "step",
                "measure: 4/8 about 1 min 1 s left; round 4",
            ),
            (
                json!({"event": "written", "what": "report", "folder": "r", "files": []}),
                "note",
                "report: 0 files written on the runner",
            ),
            (
                json!({"event": "waiting", "resource": "host", "holder": "run x"}),
                "warning",
                "run x is measuring on this host; waiting for it to end",
            ),
            (json!({"event": "warning", "text": "load 2.1"}), "warning", "warning: load 2.1"),
            (json!({"event": "note", "text": "two\nlines"}), "note", "two lines"),
        ] {
            let line = shown(event).unwrap();
            assert_eq!((line.time.as_str(), line.kind), ("03:01:01", kind), "{}", line.text);
            assert!(line.text.starts_with(expected), "{}", line.text);
        }
    }

    #[test]
    fn what_says_nothing_to_people_has_none() {
        for event in [
            json!({"event": "slice", "block": 0, "place": 1, "total": 2}),
            json!({"event": "of-tomorrow", "colour": "green"}),
        ] {
            assert_eq!(shown(event), None);
        }
        for strange in [json!(null), json!([]), json!({"event": "note"}), json!("note")] {
            assert_eq!(event_line(&strange), None);
        }
    }

    #[test]
    fn a_line_is_one_line_of_limited_length_that_steers_nothing() {
        let text = format!("a\u{1b}[2J\n{}", "x".repeat(1 << 20));
        let line = shown(json!({"event": "note", "text": text})).unwrap();
        assert!(line.text.starts_with("a\u{fffd}[2J x") && line.text.chars().count() <= 2_001);
    }
}
