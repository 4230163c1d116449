//! The run that a user means by an identifier.

use anyhow::Context;
use tlslab_store::{RunKind, RunSummary, Store};

use crate::problem::{ErrorKind, Problem};

/// The most runs that are named if several match.
const NAMED: usize = 5;

/// The run with this identifier, or the only one whose identifier begins so.
///
/// # Errors
/// Fails if no run matches, or if several match.
pub fn run_id(store: &dyn Store, asked: &str) -> anyhow::Result<String> {
    let runs = store.runs()?;
    let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
    Ok(among(&ids, asked, store.place())?.to_owned())
}

/// The newest run with measurements.
///
/// # Errors
/// Fails if the store has no such run.
pub fn newest_run(store: &dyn Store) -> anyhow::Result<RunSummary> {
    let is_it = |run: &RunSummary| run.kind == RunKind::Measured && !run.has_failed;
    let newest = store.runs()?.into_iter().find(is_it);
    newest.with_context(|| {
        format!(
            "{} contains no runs in which the lab has measured anything; `tlslab runs` lists all",
            store.place()
        )
    })
}

fn among<'r>(ids: &[&'r str], asked: &str, place: &str) -> Result<&'r str, Problem> {
    if let Some(exact) = ids.iter().find(|id| **id == asked) {
        return Ok(exact);
    }
    let begin_so: Vec<&'r str> =
        ids.iter().copied().filter(|id| !asked.is_empty() && id.starts_with(asked)).collect();
    match &begin_so[..] {
        [only] => Ok(only),
        [] => {
            let known = ids.iter().map(|id| (*id).to_owned());
            let next = "`tlslab runs` lists them";
            Err(Problem::not_found(format!("run {asked}"), format!("not found in {place}"), next, known))
        }
        several => {
            let named = several.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
            let more = if several.len() > NAMED { ", …" } else { "" };
            let cause = format!("{} runs begin with it: {named}{more}", several.len());
            Err(Problem::new(
                ErrorKind::Invalid,
                format!("run {asked}"),
                cause,
                "write more of the identifier",
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_an_identifier_is_enough_if_only_one_begins_so() {
        let ids = ["20261124-221014-aa11", "20261124-222020-bb22", "20261125-101010-cc33"];
        let found = |asked: &str| among(&ids, asked, "db").map_err(|problem| problem.to_string());
        assert_eq!(found("20261124-221014-aa11"), Ok(ids[0]));
        assert_eq!(found("20261124-222"), Ok(ids[1]));
        assert_eq!(found("20261125"), Ok(ids[2]));
        let several = found("20261124").unwrap_err();
        assert_eq!(
            several,
            "run 20261124: 2 runs begin with it: 20261124-221014-aa11, 20261124-222020-bb22; write more of the identifier"
        );
        let none = found("2025").unwrap_err();
        assert_eq!(none, "run 2025: not found in db; `tlslab runs` lists them");
        assert!(found("").is_err());
    }
}
