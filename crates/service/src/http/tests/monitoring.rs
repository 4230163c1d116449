//! The alerts and the board in `packaging/monitoring` name metrics that there are.

use std::collections::BTreeSet;

use super::{Lab, new_runner};

const ALERTS: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/monitoring/alerts.yml"));
const BOARD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/monitoring/board.json"));

/// The names of metrics in expressions.
fn metrics(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = text.split(|letter: char| !is_part(letter));
    let is_metric = |word: &&str| word.starts_with("tlslab_") || word.starts_with("process_");
    words.filter(is_metric).map(str::to_owned).collect()
}

fn expressions() -> Vec<String> {
    let rules = ALERTS.lines().filter_map(|line| line.trim().strip_prefix("expr: ")).map(str::to_owned);
    let board: serde_json::Value = serde_json::from_str(BOARD).unwrap();
    let panels = board["panels"].as_array().unwrap().clone();
    let targets = panels.into_iter().flat_map(|panel| panel["targets"].as_array().unwrap().clone());
    rules.chain(targets.map(|target| target["expr"].as_str().unwrap().to_owned())).collect()
}

#[tokio::test]
async fn every_metric_of_an_alert_or_a_panel_is_there() {
    let lab = Lab::new();
    lab.queue(|queue| queue.register_runner(&new_runner("r", &[])).unwrap());
    let text = lab.get("/metrics").await.text;
    let there: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .map(str::to_owned)
        .collect();
    let named: BTreeSet<String> = expressions().iter().flat_map(|text| metrics(text)).collect();
    let missing: Vec<_> = named.difference(&there).collect();
    assert!(named.len() > 15 && missing.is_empty(), "{missing:?} are not in /metrics: {there:?}");
    // The guide's table names the metrics to watch.
    let guide = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/deploy.md"));
    let guide: BTreeSet<String> = metrics(guide).into_iter().collect();
    let missing: Vec<_> =
        guide.difference(&there).filter(|name| name.ends_with(char::is_alphabetic)).collect();
    assert!(missing.is_empty(), "docs/guides/deploy.md names {missing:?}, which are not in /metrics");
}

#[test]
fn every_alert_has_what_prometheus_needs() {
    let rules: Vec<&str> = ALERTS.split("- alert: ").skip(1).collect();
    assert!(rules.len() > 10);
    let mut names = BTreeSet::new();
    for rule in rules {
        assert!(names.insert(rule.lines().next().unwrap()), "{rule}");
        for part in ["expr: ", "labels: { severity: ", "annotations: { summary: \""] {
            assert_eq!(rule.matches(part).count(), 1, "{part}: {rule}");
        }
        let expression = rule.lines().find_map(|line| line.trim().strip_prefix("expr: ")).unwrap();
        for (open, close) in [('(', ')'), ('[', ']'), ('{', '}')] {
            assert_eq!(expression.matches(open).count(), expression.matches(close).count(), "{expression}");
        }
    }
}
