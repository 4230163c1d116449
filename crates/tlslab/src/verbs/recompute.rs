//! `tlslab recompute`: the figures of recorded runs, computed again from their samples.

use clap::Args;
use tlslab_job::Status;
use tlslab_lab::{Recomputed, recompute as compute};
use tlslab_text::number::counted;

use crate::cli::{Invocation, KeptArgs};
use crate::results::{open_store, open_to_read};

/// Arguments of `recompute`.
#[derive(Args)]
pub(crate) struct RecomputeArgs {
    /// The runs [default: every complete one].
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// Only print differences, with status 3 if there are any; write nothing.
    #[arg(long)]
    pub check: bool,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}

/// How many differences of a run are reported one by one.
const MOST_SHOWN: usize = 20;

/// Recomputes, prints differences, and stores the new figures.
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
        Recomputed::WithoutSamples => outln!("{id}: its samples were deleted; its figures are unchanged"),
        Recomputed::Interrupted { is_comparison } => {
            let resume = invocation.resume(id, *is_comparison);
            outln!("{id}: interrupted; it has no figures until {resume} has ended");
        }
        Recomputed::New(figures) => outln!("{id}: {}, not stored before", counted(figures, "figure")),
        Recomputed::Same { figures, samples } => {
            let (figures, samples) = (counted(figures, "figure"), counted(samples, "sample"));
            outln!("{id}: {figures} from {samples}, all equal to the stored ones");
        }
        Recomputed::Different { differences, figures } => {
            outln!("{id}: {} of {} differ", differences.len(), counted(figures, "figure"));
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
