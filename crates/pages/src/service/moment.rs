//! A moment, for programs and for people.

/// A moment, for programs and for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// `2026-11-25T03:00:00Z`.
    pub iso: String,
    /// `2026-11-25 03:00:00 UTC`.
    pub text: String,
}
