//! `tlslab recompute`: the figures of kept runs, computed from their samples again.

use tlslab_lab::{Recomputed, Status, recompute as compute};

use crate::cli::{Invocation, RecomputeArgs};
use crate::results::{open_store, open_to_read};

/// How many differences of a run are reported one by one.
const MOST_SHOWN: usize = 20;

/// Computes, says what differs, and keeps what was computed.
pub(crate) fn recompute(args: &RecomputeArgs, invocation: &Invocation) -> anyhow::Result<Status> {
    let mut store = if args.check { open_to_read(&args.kept)? } else { open_store(&args.kept)? };
    let mut differ = false;
    compute(&mut *store, &args.runs, args.check, &mut |id, recomputed| {
        differ |= matches!(recomputed, Recomputed::New(_) | Recomputed::Different { .. });
        print(id, recomputed, invocation);
    })?;
    Ok(if differ && args.check { Status::WithFailures } else { Status::Done })
}

fn print(id: &str, recomputed: &Recomputed, invocation: &Invocation) {
    match recomputed {
        Recomputed::Imported => outln!("{id}: imported; its figures are stored as they were imported"),
        Recomputed::WithoutSamples => outln!("{id}: its samples were deleted; its figures stay as they are"),
        Recomputed::Interrupted { is_comparison } => {
            let resume = invocation.resume(id, *is_comparison);
            outln!("{id}: interrupted; it has figures when {resume} has ended");
        }
        Recomputed::New(figures) => outln!("{id}: {figures} figures, not stored before"),
        Recomputed::Same { figures, samples } => {
            outln!("{id}: {figures} figures from {samples} samples, all equal to the stored ones");
        }
        Recomputed::Different { differences, figures } => {
            outln!("{id}: {} of {figures} figures differ", differences.len());
            for one in differences.iter().take(MOST_SHOWN) {
                let described = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
                outln!(
                    "  {}\n    stored:   {}\n    computed: {}",
                    one.what,
                    described(&one.kept),
                    described(&one.computed)
                );
            }
            if differences.len() > MOST_SHOWN {
                outln!("  and {} more", differences.len() - MOST_SHOWN);
            }
        }
    }
}
