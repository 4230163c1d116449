//! `tlslab prune`: deletes samples of old runs.

use indicatif::HumanBytes;
use jiff::Timestamp;
use tlslab_lab::{Keep, Pruned, Status, prune as delete};
use tlslab_record::HistoryPolicy;
use tlslab_store::Deleted;

use crate::cli::PruneArgs;
use crate::results::open_store;

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
            outln!("{id}: {} samples, {} packed", freed.samples, HumanBytes(freed.bytes));
            total.samples += freed.samples;
            total.bytes += freed.bytes;
            gone += 1;
        }
    };
    delete(&mut *store, keep, args.dry_run, policy, &mut report)?;
    let what = format!("{} samples of {gone} runs, {} packed", total.samples, HumanBytes(total.bytes));
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
