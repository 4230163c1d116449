//! Two recorded runs, compared.

use anyhow::ensure;
use tlslab_comparison::{Comparison, judge_runs};
use tlslab_record::{RunRecord, StackRecord};

use super::files::write_files;
use super::kept_profiles::KeptProfiles;
use crate::error::Error;
use crate::request::CompareRunsRequest;
use crate::session::Session;

/// Judges the changes between two recorded runs.
///
/// # Errors
/// Fails if a run does not exist, or if the runs have no stack in common.
pub fn compare_runs(session: &Session<'_>, request: &CompareRunsRequest) -> Result<Comparison, Error> {
    let store = session.store()?;
    let load = |run: &str| store.load(run).map_err(anyhow::Error::from);
    compare_records(session, &load(&request.baseline)?, &load(&request.candidate)?)
}

/// The same for runs that were read from any place.
///
/// # Errors
/// Fails if the runs have no stack in common.
pub fn compare_records(
    session: &Session<'_>,
    baseline: &RunRecord,
    candidate: &RunRecord,
) -> Result<Comparison, Error> {
    let pairs = same_names(baseline, candidate)?;
    let comparison = judge_runs(baseline, candidate, &pairs);
    let name = format!("{}..{}", baseline.plan.id, candidate.plan.id);
    write_files(session, &name, &comparison, &KeptProfiles::default())?;
    Ok(comparison)
}

/// Stacks of one name; the only ones if there is one on each side.
fn same_names(baseline: &RunRecord, candidate: &RunRecord) -> anyhow::Result<Vec<(usize, usize)>> {
    let (old, young) = (&baseline.plan.stacks, &candidate.plan.stacks);
    if let ([_], [_]) = (&old[..], &young[..]) {
        return Ok(vec![(0, 0)]);
    }
    let same = |(at, stack): (usize, &StackRecord)| {
        Some((old.iter().position(|known| known.name == stack.name)?, at))
    };
    let pairs: Vec<(usize, usize)> = young.iter().enumerate().filter_map(same).collect();
    ensure!(
        !pairs.is_empty(),
        "runs {} and {} have no stack of one name; measure them as NAME=STACK under names of your own",
        baseline.plan.id,
        candidate.plan.id
    );
    Ok(pairs)
}
