//! Ctrl-C and other signals that end a program.

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tlslab_lab::Cancel;

/// Requests cancellation when the lab receives such a signal. A second signal ends it at once; its children
/// are killed in any case, because each process has a keeper.
pub(crate) fn cancel_on_signals(cancel: &Cancel) -> anyhow::Result<()> {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, cancel.flag().clone())
            .and_then(|_| signal_hook::flag::register(signal, cancel.flag().clone()))
            .context("cannot listen for signals")?;
    }
    Ok(())
}
