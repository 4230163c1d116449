//! The day as of which a library's dependencies are taken.

use std::fmt;

use jiff::civil::Date;

/// The prefix of the word in a stack specification: `+as-of-release`, `+as-of-2023-08-28`.
const WORD: &str = "as-of-";
/// The word for the release's own day.
const RELEASE: &str = "release";

/// A day as of which dependencies are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsOf {
    /// The day on which the library's release was published.
    Release,
    /// This day.
    Day(Date),
}

impl AsOf {
    /// Reads `release`, or a day as `2023-08-28`. `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text == RELEASE {
            return Some(Self::Release);
        }
        let day: Date = text.parse().ok()?;
        // A date may have other forms; only this one is accepted.
        (day.to_string() == text).then_some(Self::Day(day))
    }

    /// A word of a specification, if it has the prefix; an error if it is invalid.
    pub(crate) fn of_word(word: &str) -> Option<Result<Self, String>> {
        let text = word.strip_prefix(WORD)?;
        Some(
            Self::parse(text)
                .ok_or_else(|| format!("\"+{word}\" is neither +as-of-release nor +as-of-YYYY-MM-DD")),
        )
    }

    /// Its word in a specification, without the `+`.
    #[must_use]
    pub fn word(&self) -> String {
        format!("{WORD}{self}")
    }

    /// For a title.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Release => "dependencies as of its release".to_owned(),
            Self::Day(day) => format!("dependencies as of {day}"),
        }
    }
}

impl fmt::Display for AsOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Release => f.write_str(RELEASE),
            Self::Day(day) => day.fmt(f),
        }
    }
}
