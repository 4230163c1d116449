//! `tlslab import`: results of another program, kept beside the lab's own runs.

use crate::cli::{ImportArgs, Invocation};
use crate::results::open_store;
use tlslab_lab::{Kept, Status, keep_imported};

/// Imports the files, and says what was kept.
pub(crate) fn import(args: &ImportArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let imports = tlslab_lab::import(&args.request())?;
    let mut store = open_store(&args.kept)?;
    let kept = keep_imported(&mut *store, &imports)?;
    let place = store.place();
    match (&kept.new[..], imports.first()) {
        ([(id, figures)], Some(only)) if imports.len() == 1 => {
            outln!("{id}: {figures} figures of {} at {}, kept in {place}", only.run.format, only.run.label);
        }
        (new, _) => {
            let figures: usize = new.iter().map(|(_, figures)| figures).sum();
            let known = match kept.known {
                0 => String::new(),
                known => format!("; {known} runs were there already"),
            };
            outln!("{} runs with {figures} figures, kept in {place}{known}", new.len());
        }
    }
    warn_unknown(&kept, invocation);
    Ok(Status::Done)
}

/// Reports which series get no verdict.
fn warn_unknown(kept: &Kept, invocation: &Invocation) {
    let Some(first) = kept.unknown.iter().next() else { return };
    let unit = if first.unit.is_empty() { "no unit".to_owned() } else { format!("unit {}", first.unit) };
    let text = format!(
        "import: {} series have no direction, such as {} of {} ({unit}): their changes are neither regressions nor improvements; --better says which values are better",
        kept.unknown.len(),
        first.metric,
        first.scenario,
    );
    errln!("{}", invocation.complete(&text));
}
