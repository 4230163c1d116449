//! Ctrl-C and its kin.

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tlslab_lab::Cancel;

/// Requests cancellation when the lab is asked to stop. A second signal ends it at once; what it started is
/// killed all the same, because each process has a keeper.
pub(crate) fn cancel_on_signals(cancel: &Cancel) -> anyhow::Result<()> {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, cancel.flag().clone())
            .and_then(|_| signal_hook::flag::register(signal, cancel.flag().clone()))
            .context("cannot listen for signals")?;
    }
    Ok(())
}
