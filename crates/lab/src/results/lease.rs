//! Leases of runs that this process measures.

use tlslab_store::{Owner, RunSummary, Store};

/// The newest run of this host that no process measures.
pub fn newest_free<'r>(runs: impl IntoIterator<Item = &'r RunSummary>) -> Option<&'r RunSummary> {
    let me = Owner::this_process();
    let now = jiff::Timestamp::now().as_millisecond().unsigned_abs();
    let is_free = |run: &&RunSummary| {
        let is_here = run.host.is_empty() || run.host == me.host;
        let is_held =
            run.lease_until_unix_ms > now && !run.owner.as_ref().is_some_and(|owner| owner.is_dead(&me));
        !run.complete && is_here && !is_held
    };
    runs.into_iter().find(is_free)
}

/// Works on a run that this process has leased, and renews the lease until the work is done.
///
/// # Errors
/// Returns the errors of the work; another process can then lease the run at once.
pub fn leased<T>(
    store: &mut dyn Store,
    run: &str,
    work: impl FnOnce(&mut dyn Store) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let renewal = store.renewal(run);
    let done = renewal.map_err(anyhow::Error::from).and_then(|_renewal| work(store));
    or_released(store, run, done)
}

/// Releases a run if there is an error.
///
/// # Errors
/// Returns that error.
pub fn or_released<T>(store: &mut dyn Store, run: &str, done: anyhow::Result<T>) -> anyhow::Result<T> {
    if done.is_err() {
        // The original error matters more than one of the release; a lease expires automatically.
        let _ = store.release_run(run);
    }
    done
}
