//! How long products take to build, from a host that built all stacks once.

use std::time::Duration;

use serde_json::{Map, Value};
use tlslab_artifact::Stage;

/// The output of `tlslab build --all-stacks --format json`, without paths.
const RECORDED: &str = include_str!("../../../docs/recorded/build-times.json");

/// How long a stack's product took there; if it is not in the table, the mean of the same library's versions,
/// else of all.
pub(crate) fn recorded(stage: Stage, stack: &str) -> Duration {
    let column = match stage {
        Stage::Source => "source s",
        Stage::Prefix => "prefix s",
        Stage::Kit => "kit s",
        Stage::Driver => "driver s",
        _ => return Duration::ZERO,
    };
    // The file is compiled in, and a test reads it.
    let table: Vec<Map<String, Value>> =
        serde_json::from_str(RECORDED).expect("the file is a list of objects");
    let time = |row: &'_ Map<String, Value>| {
        Some((row.get("stack")?.as_str()?.to_owned(), row.get(column)?.as_f64()?))
    };
    let rows: Vec<(String, f64)> = table.iter().filter_map(time).collect();
    let mean = |is_like: &dyn Fn(&str) -> bool| {
        let like: Vec<f64> = rows.iter().filter(|(name, _)| is_like(name)).map(|(_, took)| *took).collect();
        (!like.is_empty()).then(|| like.iter().sum::<f64>() / like.len() as f64)
    };
    let library = library(stack);
    let found = mean(&|name| name == stack).or_else(|| mean(&|name| self::library(name) == library));
    Duration::from_secs_f64(found.or_else(|| mean(&|_| true)).unwrap_or_default())
}

/// A stack without version, source and variants.
fn library(stack: &str) -> &str {
    stack.split(['@', '+', ',']).next().unwrap_or_default()
}

/// How long tasks take, `workers` at a time: a free worker takes the first task whose needs are met.
pub(crate) fn elapsed(tasks: &[(Duration, Vec<usize>)], workers: usize) -> Duration {
    let mut free = vec![Duration::ZERO; workers.max(1)];
    let mut ends: Vec<Option<Duration>> = vec![None; tasks.len()];
    loop {
        free.sort();
        let ready = |at: usize| -> Option<(Duration, usize)> {
            let needed = tasks[at].1.iter().map(|need| ends[*need]).collect::<Option<Vec<_>>>()?;
            let needed = needed.into_iter().max().unwrap_or_default();
            // Existing products occupy no worker.
            Some((if tasks[at].0.is_zero() { needed } else { needed.max(free[0]) }, at))
        };
        let waiting = (0..tasks.len()).filter(|at| ends[*at].is_none());
        let Some((starts, at)) = waiting.filter_map(ready).min() else { break };
        let end = starts + tasks[at].0;
        ends[at] = Some(end);
        if !tasks[at].0.is_zero() {
            free[0] = end;
        }
    }
    ends.into_iter().flatten().max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_stage_and_unknown_stacks_take_a_mean() {
        let seconds = |stage, stack| recorded(stage, stack).as_secs_f64();
        assert_eq!(seconds(Stage::Prefix, "wolfssl@5.9.4"), 54.2);
        assert_eq!(seconds(Stage::Driver, "rustls/ring@path:../x"), 40.0);
        assert!((70.0..130.0).contains(&seconds(Stage::Prefix, "openssl")));
        assert!(seconds(Stage::Kit, "new") > 0.0 && seconds(Stage::Driver, "new") > 0.0);
    }

    #[test]
    fn tasks_wait_for_what_they_need_and_for_a_worker() {
        let seconds = Duration::from_secs;
        let chain =
            [(seconds(2), vec![]), (seconds(100), vec![0]), (seconds(10), vec![]), (seconds(1), vec![1, 2])];
        assert_eq!(elapsed(&chain, 2), seconds(103));
        assert_eq!(
            elapsed(&[(seconds(5), vec![]), (seconds(5), vec![]), (seconds(5), vec![])], 2),
            seconds(10)
        );
        // A driver that waits for its library blocks no worker.
        let library = [
            (seconds(2), vec![]),
            (seconds(106), vec![0]),
            (seconds(1), vec![1]),
            (seconds(80), vec![]),
            (seconds(66), vec![]),
        ];
        assert_eq!(elapsed(&library, 2), seconds(146));
        assert_eq!(elapsed(&[(seconds(0), vec![]), (seconds(7), vec![0])], 1), seconds(7));
        assert_eq!(elapsed(&[], 2), seconds(0));
    }
}
