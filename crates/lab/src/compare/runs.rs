//! Two recorded runs, compared.

use anyhow::{bail, ensure};
use tlslab_comparison::{Comparison, judge_runs};
use tlslab_record::{RunRecord, StackRecord};
use tlslab_store::StoreError;

use super::files::write_files;
use crate::error::Error;
use crate::request::{CompareRunsRequest, Results, RunPlace};
use crate::session::Session;

/// Judges what changed between two recorded runs.
///
/// # Errors
/// A run that there is not, and two runs without a stack in common.
pub fn compare_runs(session: &Session<'_>, request: &CompareRunsRequest) -> Result<Comparison, Error> {
    let base = load(&request.baseline, &request.results)?;
    let new = load(&request.candidate, &request.results)?;
    let pairs = same_names(&base, &new)?;
    let comparison = judge_runs(&base, &new, &pairs);
    let name = format!("{}..{}", base.plan.id, new.plan.id);
    write_files(session, &request.results.out, &name, &comparison)?;
    Ok(comparison)
}

fn load(place: &RunPlace, results: &Results) -> anyhow::Result<RunRecord> {
    let Some(folder) = &place.folder else { return Ok(results.open()?.load(&place.run)?) };
    let database = folder.join("tlslab.sqlite");
    ensure!(
        database.is_file(),
        "run {}: there is no database in {}; name the folder that has tlslab.sqlite",
        place.run,
        folder.display()
    );
    match (Results { out: folder.clone(), store: None }).open()?.load(&place.run) {
        Err(StoreError::NoSuchRun { id, place }) => {
            let path = tlslab_artifact::quoted(&database.display().to_string());
            bail!("there is no run {id} in {place}; `tlslab runs --store sqlite:{path}` lists them")
        }
        loaded => Ok(loaded?),
    }
}

/// Stacks of one name; the only ones if there is one on each side.
fn same_names(base: &RunRecord, new: &RunRecord) -> anyhow::Result<Vec<(usize, usize)>> {
    let (old, young) = (&base.plan.stacks, &new.plan.stacks);
    if let ([_], [_]) = (&old[..], &young[..]) {
        return Ok(vec![(0, 0)]);
    }
    let same = |(at, stack): (usize, &StackRecord)| {
        Some((old.iter().position(|known| known.name == stack.name)?, at))
    };
    let pairs: Vec<(usize, usize)> = young.iter().enumerate().filter_map(same).collect();
    ensure!(
        !pairs.is_empty(),
        "runs {} and {} have no stack of one name; measure them with --stack NAME=STACK under names of your own",
        base.plan.id,
        new.plan.id
    );
    Ok(pairs)
}
