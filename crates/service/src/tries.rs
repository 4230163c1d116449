//! Retries: how often, and after which time.

use std::time::Duration;

use tlslab_forge::ForgeError;

use crate::service::Service;

/// How often a delivery is tried before it is given up: for about two days.
pub(crate) const TRIES: u32 = 100;

/// The number of retries of a request that will hardly succeed: a proxy may answer in the code host's place.
pub(crate) const UNLIKELY: u32 = 8;

/// Whether the same may go well later: the code host is away or has a limit, or rights, a token or a name are
/// missing that somebody may give back.
pub(crate) fn may_pass(error: &ForgeError) -> bool {
    use ForgeError::{Forbidden, NotFound, NotInstalled, OtherHead, Renamed, Suspended, Unauthorised};
    let is_of_rights = matches!(
        error,
        Unauthorised { .. } | Forbidden { .. } | NotFound { .. } | NotInstalled { .. } | Suspended { .. }
    );
    error.retry_after_s().is_some() || is_of_rights || matches!(error, OtherHead { .. } | Renamed { .. })
}

/// How long to wait after so many tries. A code host that did not answer is left alone.
pub(crate) fn wait(service: &Service, forge: &str, error: &ForgeError, tries: u32) -> Duration {
    if matches!(error, ForgeError::Unreachable { .. }) {
        service.leave_alone(forge);
    }
    let own = own_wait(tries);
    error.retry_after_s().map_or(own, |asked| Duration::from_secs(asked).max(own))
}

/// The time to wait after so many tries, if none is given.
pub(crate) fn own_wait(tries: u32) -> Duration {
    Duration::from_secs(1 << tries.min(11))
}
