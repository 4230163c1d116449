//! How a verb ends; the exit status shows it.

/// How a verb ended, when it did not end with an error.
pub enum Ended {
    /// All is well.
    Well,
    /// Done, but something in the result failed.
    WithFailures,
    /// Done, and what was to be looked out for was found.
    Changed,
    /// Stopped on request.
    Interrupted,
}
