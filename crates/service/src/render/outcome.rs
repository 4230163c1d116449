//! The outcome of a job, for a page.

use serde_json::Value;
use tlslab_comparison::Comparison;
use tlslab_pages::service::{ErrorView, OutcomeView};

use super::comparison::comparison_view;
use super::failure::without_folders;
use super::words::{line, lines};

/// The view of the last line of `tlslab work`. Unreadable parts are reported, never shown raw.
pub(crate) fn outcome_view(ending: &Value) -> OutcomeView {
    let mut view = OutcomeView::default();
    if let Some(error) = ending.get("error").filter(|error| !error.is_null()) {
        let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
        let cause = without_folders(&lines(&format!("{}: {}", text("thing"), text("cause"))));
        view.error = Some(ErrorView { cause, next_step: line(text("next_step")) });
    }
    let kind = ending.pointer("/outcome/kind").and_then(Value::as_str);
    let value = ending.pointer("/outcome/value");
    match (kind, value) {
        (Some("comparison"), Some(value)) => match comparison(value) {
            Ok(comparison) => view.comparison = Some(comparison_view(&comparison)),
            Err(cause) => view.summary.push(line(&format!("The comparison cannot be shown: {cause}."))),
        },
        (Some(kind), Some(value)) => {
            view.summary = summary(kind, value).iter().map(|text| without_folders(text)).collect();
        }
        _ => {}
    }
    view
}

fn comparison(value: &Value) -> Result<Comparison, String> {
    tlslab_comparison::read(&value.to_string()).map_err(|cause| cause.to_string())
}

/// A few sentences; the whole is in the JSON.
fn summary(kind: &str, value: &Value) -> Vec<String> {
    match kind {
        "run" => run(value),
        "builds" => builds(value),
        _ => vec![format!("The outcome is of the kind {}.", line(kind))],
    }
}

fn run(value: &Value) -> Vec<String> {
    let count = |name: &str| value.pointer(name).and_then(Value::as_array).map_or(0, Vec::len);
    let mut summary = vec![format!(
        "A run of {} scenarios with {} stacks.",
        count("/report/scenarios"),
        count("/report/stacks")
    )];
    let warnings = value.pointer("/report/warnings").and_then(Value::as_array);
    let warnings = warnings.into_iter().flatten().filter_map(Value::as_str).take(20);
    summary.extend(warnings.map(|text| line(&format!("Warning: {text}"))));
    summary
}

fn builds(value: &Value) -> Vec<String> {
    let stacks = value.get("stacks").and_then(Value::as_array);
    let each = stacks.into_iter().flatten().take(100).map(|stack| {
        let name = stack.get("name").and_then(Value::as_str).unwrap_or_default();
        match stack.pointer("/outcome/failed") {
            None => line(&format!("{name}: built.")),
            Some(failed) => {
                let text = |name: &str| failed.get(name).and_then(Value::as_str).unwrap_or_default();
                line(&format!("{name}: failed in {}: {}", text("stage"), text("reason")))
            }
        }
    });
    each.collect()
}
