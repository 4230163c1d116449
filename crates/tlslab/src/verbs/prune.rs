//! `tlslab prune`: deletes samples of old runs.

use clap::Args;
use indicatif::HumanBytes;
use jiff::Timestamp;
use tlslab_job::Status;
use tlslab_lab::{Keep, Pruned, prune as delete};
use tlslab_record::HistoryPolicy;
use tlslab_store::Deleted;
use tlslab_text::number::counted;

use crate::cli::KeptArgs;
use crate::results::open_store;

/// Arguments of `prune`.
#[derive(Args)]
#[command(group = clap::ArgGroup::new("which").args(["samples_of", "days"]).required(true).multiple(true))]
pub(crate) struct PruneArgs {
    /// Keep the samples of the N newest runs; this or --days must be given.
    #[arg(long, value_name = "N")]
    pub samples_of: Option<usize>,
    /// Keep the samples of runs up to D days old; with --samples-of, either is enough.
    #[arg(long, value_name = "D")]
    pub days: Option<u64>,
    /// Print the samples that would be deleted, and delete nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Where runs are kept.
    #[command(flatten)]
    pub kept: KeptArgs,
}

/// Deletes samples, and prints what was freed.
pub(crate) fn prune(policy: &HistoryPolicy, args: &PruneArgs) -> anyhow::Result<Status> {
    let mut store = open_store(&args.kept)?;
    let before = store.bytes()?;
    let now_unix_ms = Timestamp::now().as_millisecond().unsigned_abs();
    let keep = Keep { newest: args.samples_of, days: args.days, now_unix_ms };
    let (mut total, mut gone) = (Deleted::default(), 0);
    let mut report = |id: &str, pruned| match pruned {
        Pruned::AtAnEnd => outln!("{id}: kept: it is at the beginning, the end or a change of a history"),
        Pruned::Bare => outln!("{id}: kept: the database contains only its samples, no figures"),
        Pruned::Deleted(freed) => {
            outln!("{id}: {}, {} packed", counted(freed.samples, "sample"), HumanBytes(freed.bytes));
            total.samples += freed.samples;
            total.bytes += freed.bytes;
            gone += 1;
        }
    };
    delete(&mut *store, keep, args.dry_run, policy, &mut report)?;
    let what = format!(
        "{} of {}, {} packed",
        counted(total.samples, "sample"),
        counted(gone, "run"),
        HumanBytes(total.bytes)
    );
    match args.dry_run {
        true => outln!("would delete: {what}"),
        false => outln!(
            "deleted: {what}; {} takes {}, before {}",
            store.place(),
            HumanBytes(store.bytes()?),
            HumanBytes(before)
        ),
    }
    Ok(Status::Done)
}
